/// In which precision searches would look at means first: float32, pairs of it, or float64.
/// Usage: bench_first_looks [searches [seed]]. Random searches of an objective: n from 65 to 1,000, d from 2 to 10,
/// noise from 1e-8 to 0.3, a third with data all over the cube, the others with half or more of them round one point.
/// Each is decided as the device decides: by the median of margin over deviation of 32 candidates, these by 256 rows.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "acquisition/pair_margin.hpp"
#include "backend/backend.hpp"
#include "formulas/matern.hpp"
#include "formulas/variance_floor.hpp"

namespace {

using namespace carbo::internal;
namespace kernels = carbo::kernels;

constexpr std::size_t sample_size = 32, sample_rows = 256;

struct RandomSearch {
  explicit RandomSearch(std::uint64_t seed) : engine(seed) {
    columns = 2 + static_cast<std::size_t>(between(0, 9));
    const auto rows = static_cast<std::size_t>(log_between(65, 1001));
    for (std::size_t c = 0; c < columns; ++c) centre.push_back(between(0.1, 0.9));
    const double near = std::array{0.0, 0.5, 0.8}[static_cast<std::size_t>(between(0, 3))];
    const double width = log_between(0.01, 0.2);
    points = cluster(rows, near, width);
    sample = cluster(sample_size, 0.3, width);
    gp.noise_variance = log_between(1e-8, 0.3);
    gp.signal_variance = log_between(0.2, 5);
    for (std::size_t c = 0; c < columns; ++c)
      gp.inverse_lengthscales.push_back(1 / (std::sqrt(static_cast<double>(columns)) * between(0.15, 0.8)));
    for (std::size_t i = 0; i < rows; ++i) targets.push_back(bowl(i) + std::sqrt(gp.noise_variance) * normal(engine));
  }

  double between(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine); }
  double log_between(double low, double high) { return std::exp(between(std::log(low), std::log(high))); }
  std::vector<double> cluster(std::size_t rows, double near_share, double width) {
    std::vector<double> made;
    for (std::size_t i = 0; i < rows; ++i) {
      const bool near = between(0, 1) < near_share;
      for (const double c : centre)
        made.push_back(near ? std::clamp(c + width * normal(engine), 0.0, 1.0) : between(0, 1));
    }
    return made;
  }
  /// Rippled, about standardised.
  double bowl(std::size_t i) const {
    double value = 0;
    for (std::size_t c = 0; c < columns; ++c) {
      const double moved = points[i * columns + c] - centre[c];
      value += 4 * moved * moved - 0.3 * std::cos(9 * moved);
    }
    return value / std::sqrt(static_cast<double>(columns)) - 0.5;
  }
  std::size_t rows() const { return targets.size(); }
  MatrixView first(std::size_t count) const { return {points.data(), count, columns}; }

  std::mt19937_64 engine;
  std::normal_distribution<double> normal;
  std::size_t columns = 0;
  std::vector<double> centre, points, sample, targets;  ///< points: rows × columns
  GpParameters gp;
};

/// s² K⁻¹(y − mean).
std::vector<double> weights_of(const RandomSearch& search, const GpFactor& factor) {
  const LeaveOneOut left = factor.leave_one_out();
  std::vector<double> weights;
  for (std::size_t i = 0; i < search.rows(); ++i)
    weights.push_back(search.gp.signal_variance * (search.targets[i] - left.mean[i]) / left.variance[i]);
  return weights;
}

std::vector<double> deviations_of(const RandomSearch& search, Backend& backend) {
  const std::size_t rows = std::min(sample_rows, search.rows());
  const auto factor = backend.factor(search.first(rows), std::span(search.targets).first(rows), {&search.gp, 1});
  std::vector<double> means(sample_size), variances(sample_size);
  factor.front()->predict({search.sample.data(), sample_size, search.columns}, means, variances);
  const double floor = kernels::variance_floor(search.gp.signal_variance, static_cast<double>(search.rows()));
  for (double& variance : variances) variance = std::sqrt(kernels::floored(variance, floor));
  return variances;
}

struct Margins {
  double float32;
  double pairs;
};

Margins margins_of(const RandomSearch& search, const std::vector<double>& weights, std::size_t candidate) {
  double absolute = 0, total = 0, radius = 0, own = 0;
  const auto moved = [&](double x, std::size_t c) {
    return std::sqrt(5.0) * (x - 0.5) * search.gp.inverse_lengthscales[c];
  };
  for (std::size_t c = 0; c < search.columns; ++c)
    own += std::pow(moved(search.sample[candidate * search.columns + c], c), 2);
  for (std::size_t i = 0; i < search.rows(); ++i) {
    double squared = 0, norm = 0;
    for (std::size_t c = 0; c < search.columns; ++c) {
      const double point = moved(search.points[i * search.columns + c], c);
      squared += std::pow(moved(search.sample[candidate * search.columns + c], c) - point, 2);
      norm += point * point;
    }
    absolute += std::abs(weights[i]) * kernels::matern(squared / 5);
    total += std::abs(weights[i]);
    radius = std::max(radius, std::sqrt(norm));
  }
  const double reach = std::sqrt(own) + radius, d = static_cast<double>(search.columns);
  const double rows = static_cast<double>(search.rows());
  const auto margin = [&](const kernels::SumErrors& errors) {
    return kernels::sum_margin(errors, absolute, total, reach, d, rows);
  };
  return {margin(kernels::float_sum_errors(reach, d)), margin(kernels::pair_sum_errors(d))};
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + sample_size / 2, values.end());
  return values[sample_size / 2];
}

/// 0: float32, 1: pairs, 2: float64.
std::size_t look_of(const RandomSearch& search, Backend& backend) {
  const auto factor = backend.factor(search.first(search.rows()), search.targets, {&search.gp, 1});
  const std::vector<double> weights = weights_of(search, *factor.front()),
                            deviations = deviations_of(search, backend);
  std::vector<double> float32, pairs;
  for (std::size_t i = 0; i < sample_size; ++i) {
    const Margins margins = margins_of(search, weights, i);
    float32.push_back(margins.float32 / deviations[i]);
    pairs.push_back(margins.pairs / deviations[i]);
  }
  if (median(float32) < kernels::worthwhile_margin) return 0;
  return median(pairs) < kernels::worthwhile_margin ? 1 : 2;
}

using Counts = std::array<std::size_t, 3>;

void print(const std::string& name, const Counts& counts) {
  std::printf("| %s | %zu | %zu | %zu |\n", name.c_str(), counts[0], counts[1], counts[2]);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t searches = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 700;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  carbo::BackendOptions options;
  options.kind = carbo::BackendKind::cpu;
  const auto backend = make_backend(options);
  constexpr std::array limits = {1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1.0};
  std::array<Counts, limits.size()> by_noise{};
  std::array<Counts, 11> by_columns{};
  Counts all{};
  for (std::size_t i = 0; i < searches; ++i) {
    const RandomSearch search(1000003 * seed + i);
    const std::size_t look = look_of(search, *backend);
    const auto band = std::upper_bound(limits.begin(), limits.end(), search.gp.noise_variance) - limits.begin();
    ++by_noise[static_cast<std::size_t>(band)][look];
    ++by_columns[search.columns][look];
    ++all[look];
  }
  std::printf("| %zu searches | float32 | pairs | float64 |\n| --- | ---: | ---: | ---: |\n", searches);
  for (std::size_t b = 0; b < limits.size(); ++b) {
    char name[32];
    std::snprintf(name, sizeof name, "noise below %.0e", limits[b]);
    print(name, by_noise[b]);
  }
  for (std::size_t d = 2; d < by_columns.size(); ++d) print("d = " + std::to_string(d), by_columns[d]);
  print("all", all);
}
