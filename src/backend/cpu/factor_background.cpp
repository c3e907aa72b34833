#include <algorithm>
#include <carbo/error.hpp>

#include "backend/checks.hpp"
#include "backend/cpu/factor.hpp"
#include "backend/cpu/weighted_sums.hpp"

namespace carbo::internal {
namespace {

std::vector<double> times(std::span<const double> values, double factor) {
  std::vector<double> scaled(values.begin(), values.end());
  for (double& one : scaled) one *= factor;
  return scaled;
}

}  // namespace

std::vector<double> weighted_sums(ThreadPool& pool, const WeightedPoints& from, const PointColumns& at,
                                  std::size_t count) {
  std::vector<double> sums(padded(count), 0.0);
  pool.parallel_for((sums.size() + panel_width - 1) / panel_width, [&](std::size_t panel) {
    const std::size_t first = panel * panel_width;
    add_weighted_sums(from, at, first, std::min(panel_width, sums.size() - first), sums.data() + first);
  });
  sums.resize(count);
  return sums;
}

ScaledPoints CpuFactor::scale(MatrixView points) const {
  const std::size_t stride = padded(points.rows);
  ScaledPoints scaled{std::vector<double>(columns() * stride, 0.0), points.rows, columns()};
  for (std::size_t i = 0; i < points.rows; ++i)
    for (std::size_t c = 0; c < columns(); ++c)
      scaled.data[c * stride + i] = points.row(i)[c] * parameters_.inverse_lengthscales[c];
  return scaled;
}

void CpuFactor::set_background(MatrixView points, std::span<const double> weights) {
  if (fantasised() > 0) throw InvalidOptions("set_background: drop the fantasised points first");
  check_weighted_points(points, weights, columns(), "set_background");
  ScaledPoints scaled = scale(points);
  std::vector<double> scales = times(weights, parameters_.signal_variance);
  std::vector<double> prior = weighted_sums(*pool_, {scaled.view(), scales}, this->points(), observed_);
  for (double& one : prior) one += parameters_.mean;
  std::vector<double> whitened = whiten(targets_, prior);
  background_ = std::move(scaled);
  background_scales_ = std::move(scales);
  prior_ = std::move(prior);
  whitened_ = std::move(whitened);
}

double CpuFactor::prior_at(std::span<const double> scaled_point) const {
  alignas(64) double squared[panel_width], sums[panel_width] = {};
  const PointColumns points = background_.view();
  // Points of the background stand in the lanes here; what pads the last ones has no weight.
  for (std::size_t first = 0; first < background_.count; first += panel_width) {
    const std::size_t width = std::min(panel_width, points.stride - first);
    squared_distances(scaled_point.data(), 1, points, first, width, squared);
    for (std::size_t j = 0; j < std::min(width, background_.count - first); ++j)
      sums[j] += background_scales_[first + j] * kernels::matern(squared[j]);
  }
  double prior = parameters_.mean;
  for (const double sum : sums) prior += sum;
  return prior;
}

std::vector<double> CpuFactor::posterior_products(MatrixView points, std::span<const double> weights) const {
  check_weighted_points(points, weights, columns(), "posterior_products");
  const ScaledPoints scaled = scale(points);
  const std::vector<double> scales = times(weights, parameters_.signal_variance);
  const WeightedPoints given{scaled.view(), scales};
  std::vector<double> explaining = weighted_sums(*pool_, given, this->points(), observed_);
  solve_lower(observed_lower(), explaining.data());
  solve_lower_transposed(observed_lower(), explaining.data());
  explaining = times(explaining, parameters_.signal_variance);
  std::vector<double> products = weighted_sums(*pool_, given, scaled.view(), points.rows);
  const std::vector<double> explained =
      weighted_sums(*pool_, {this->points(), explaining}, scaled.view(), points.rows);
  std::transform(products.begin(), products.end(), explained.begin(), products.begin(), std::minus<>());
  return products;
}

void CpuFactor::predict_means(MatrixView points, std::span<double> mean) const {
  const ScaledPoints scaled = scale(points);
  const std::vector<double> scales = times(weights(), parameters_.signal_variance);
  const std::vector<double> learned = weighted_sums(*pool_, {this->points(), scales}, scaled.view(), points.rows);
  const std::vector<double> known = weighted_sums(*pool_, background(), scaled.view(), points.rows);
  for (std::size_t i = 0; i < points.rows; ++i) mean[i] = parameters_.mean + known[i] + learned[i];
}

}  // namespace carbo::internal
