/// Held-out error of a GP that learns from 1,000 of 3,000 points, over that of the GP that learns from all of them.
/// Usage: bench_subset_error [points [kept [NAME]]]. Prints one row a function and noise: root mean squares of the
/// residuals of 1,000 observations not seen and of the function itself, in standard deviations of the function.

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numbers>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "backend/backend.hpp"
#include "bench/study/functions.hpp"
#include "gp/surrogate.hpp"
#include "gp/transform.hpp"

namespace {

using namespace carbo;
using namespace carbo::internal;
using Point = std::span<const double>;

constexpr std::size_t held_out = 1000;
constexpr std::uint64_t seed = 7;

/// A draw from a GP with the Matérn-5/2 kernel, by random Fourier features.
class SamplePath {
 public:
  SamplePath(std::size_t dimension, double lengthscale) : dimension_(dimension) {
    std::mt19937_64 engine(dimension);
    std::normal_distribution<double> normal;
    std::chi_squared_distribution<double> chi_squared(5);
    std::uniform_real_distribution<double> angle(0, 2 * std::numbers::pi);
    for (std::size_t i = 0; i < features; ++i) {
      const double scale = std::sqrt(5 / chi_squared(engine)) / lengthscale;
      for (std::size_t c = 0; c < dimension; ++c) frequencies_.push_back(scale * normal(engine));
      phases_.push_back(angle(engine));
      amplitudes_.push_back(normal(engine));
    }
  }
  double operator()(Point x) const {
    double sum = 0;
    for (std::size_t i = 0; i < features; ++i) {
      const auto first = frequencies_.begin() + static_cast<std::ptrdiff_t>(i * dimension_);
      sum += amplitudes_[i] * std::cos(std::inner_product(x.begin(), x.end(), first, phases_[i]));
    }
    return sum;
  }

 private:
  static constexpr std::size_t features = 1000;
  std::size_t dimension_;
  std::vector<double> frequencies_, phases_, amplitudes_;
};

struct Problem {
  std::string name;
  std::size_t dimension;
  double lower, upper;  ///< of every coordinate
  std::function<double(Point)> function;
};

const std::vector<Problem> problems{
    {"smooth: Branin", 2, 0, 1,
     [](Point u) {
       const double x[2] = {15 * u[0] - 5, 15 * u[1]};
       return study::branin(x);
     }},
    {"smooth: Hartmann-3", 3, 0, 1, study::hartmann3},
    {"smooth: Styblinski-Tang-4", 4, -5, 5, study::styblinski_tang},
    {"smooth: Hartmann-6", 6, 0, 1, study::hartmann6},
    {"smooth: sample path, d = 4, lengthscale 0.5", 4, 0, 1, SamplePath(4, 0.5)},
    {"rough: Ackley-5", 5, -5, 5, study::ackley},
    {"rough: Levy-4", 4, -10, 10, study::levy},
    {"rough: sample path, d = 4, lengthscale 0.1", 4, 0, 1, SamplePath(4, 0.1)},
    {"rough: sample path, d = 6, lengthscale 0.2", 6, 0, 1, SamplePath(6, 0.2)},
};

struct Sample {
  TrainingData data;
  std::vector<double> truth;  ///< targets without noise
};

/// Uniform points; targets in standard deviations of the function, with noise of `noise` of these.
Sample draw(const Problem& problem, std::size_t rows, double noise, std::mt19937_64& engine) {
  std::uniform_real_distribution<double> unit;
  std::normal_distribution<double> normal;
  Sample sample;
  sample.data.columns = problem.dimension;
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<double> point;
    for (std::size_t c = 0; c < problem.dimension; ++c) {
      sample.data.points.push_back(unit(engine));
      point.push_back(problem.lower + (problem.upper - problem.lower) * sample.data.points.back());
    }
    sample.truth.push_back(problem.function(point));
  }
  const Standardisation units = standardisation(sample.truth);
  for (double& value : sample.truth) {
    value = standardise(value, units);
    sample.data.targets.push_back(value + noise * normal(engine));
  }
  return sample;
}

struct Error {
  double observations = 0;
  double function = 0;
  double seconds = 0;
};

/// Fitted, factored and asked as in a study. The last points are those held out.
Error error_with(Backend& backend, const Sample& sample, std::size_t points, std::size_t max_points) {
  std::vector<int> groups(sample.data.columns);
  std::iota(groups.begin(), groups.end(), 0);
  std::vector<std::size_t> first(points);
  std::iota(first.begin(), first.end(), std::size_t{0});
  SurrogateOptions options;
  options.max_points = max_points;
  Surrogate surrogate(backend, options, groups);
  const auto begin = std::chrono::steady_clock::now();
  const FitProblem* problem = surrogate.prepare(rows_of(sample.data, first));
  surrogate.update(fit(backend, {problem, 1}, seed).front());
  Error error;
  error.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::vector<double> means(held_out), variances(held_out);
  surrogate.factor().predict({sample.data.view().row(points).data(), held_out, sample.data.columns}, means,
                             variances);
  for (std::size_t i = 0; i < held_out; ++i) {
    error.observations += std::pow(means[i] - sample.data.targets[points + i], 2) / held_out;
    error.function += std::pow(means[i] - sample.truth[points + i], 2) / held_out;
  }
  error.observations = std::sqrt(error.observations);
  error.function = std::sqrt(error.function);
  return error;
}

}  // namespace

int main(int count, char** arguments) {
  const std::size_t points = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 3000;
  const std::size_t kept = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 1000;
  const auto backend = make_backend({.kind = BackendKind::cpu});
  std::printf(
      "| function | noise | error, all %zu | with %zu | ratio | of the function, all | with %zu | ratio | "
      "seconds | seconds |\n",
      points, kept, kept);
  std::printf("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
  for (const Problem& problem : problems) {
    if (count > 3 && problem.name.find(arguments[3]) == std::string::npos) continue;
    for (const double noise : {0.0, 0.1}) {
      std::mt19937_64 engine(seed);
      const Sample sample = draw(problem, points + held_out, noise, engine);
      const Error all = error_with(*backend, sample, points, points);
      // One in sixteen of the points that may be kept is left to those that come next.
      const Error part = error_with(*backend, sample, points, kept + kept / 15);
      std::printf("| %s | %.1f | %.2e | %.2e | %.2f | %.2e | %.2e | %.2f | %.1f | %.1f |\n", problem.name.c_str(),
                  noise, all.observations, part.observations, part.observations / all.observations, all.function,
                  part.function, part.function / all.function, all.seconds, part.seconds);
      std::fflush(stdout);
    }
  }
  return 0;
}
