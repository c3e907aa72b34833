/// Held-out error of a GP that keeps 1,000 of 3,000 points, over that of the GP that learns from all of them.
/// Usage: bench_subset_error [points [kept [seeds [NAME]]]]. One row a function, noise and kind of data: root mean
/// squares of residuals of observations not seen, in standard deviations of the function, and how much more they are
/// with the subset; the same for the function itself, without the noise. Over the space, and near the best point.
/// Medians over seeds.

#include <algorithm>
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

constexpr std::size_t held_out = 1000;  ///< over the space, and as many near the best

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

/// Points of the unit cube, row-major.
using Points = std::vector<double>;

Points uniform_points(std::size_t rows, std::size_t columns, std::mt19937_64& engine) {
  std::uniform_real_distribution<double> unit;
  Points points(rows * columns);
  for (double& one : points) one = unit(engine);
  return points;
}

Points points_near(Point centre, std::size_t rows, std::mt19937_64& engine) {
  std::normal_distribution<double> step(0, 0.1);
  Points points;
  for (std::size_t i = 0; i < rows; ++i)
    for (const double coordinate : centre) points.push_back(std::clamp(coordinate + step(engine), 0.0, 1.0));
  return points;
}

std::vector<double> values_at(const Problem& problem, const Points& points) {
  std::vector<double> values, x(problem.dimension);
  for (std::size_t i = 0; i < points.size(); i += problem.dimension) {
    for (std::size_t c = 0; c < problem.dimension; ++c)
      x[c] = problem.lower + (problem.upper - problem.lower) * points[i + c];
    values.push_back(problem.function(x));
  }
  return values;
}

struct Sample {
  TrainingData data;             ///< points to learn from, those over the space, those near the best
  std::vector<double> truth;     ///< targets without noise
  std::size_t learned_from = 0;  ///< the first rows
};

/// Half of the points uniform and half near the best, as a study has them, or all uniform; targets in standard
/// deviations of what is learned from, with noise of `noise` of these.
Sample draw(const Problem& problem, std::size_t rows, bool like_a_study, double noise, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  const std::size_t columns = problem.dimension;
  const Points probe = uniform_points(20000, columns, engine);
  const std::vector<double> heights = values_at(problem, probe);
  const auto best = static_cast<std::size_t>(std::min_element(heights.begin(), heights.end()) - heights.begin());
  const Point centre(probe.data() + best * columns, columns);
  Sample sample;
  sample.learned_from = rows;
  sample.data.columns = columns;
  const std::size_t near = like_a_study ? rows / 2 : 0;
  for (const Points& part : {uniform_points(rows - near, columns, engine), points_near(centre, near, engine),
                             uniform_points(held_out, columns, engine), points_near(centre, held_out, engine)})
    sample.data.points.insert(sample.data.points.end(), part.begin(), part.end());
  sample.truth = values_at(problem, sample.data.points);
  const Standardisation units = standardisation(std::span(sample.truth).first(rows));
  std::normal_distribution<double> normal;
  for (double& value : sample.truth) {
    value = standardise(value, units);
    sample.data.targets.push_back(value + noise * normal(engine));
  }
  return sample;
}

struct Error {
  double observations = 0;
  double function = 0;
};

struct Errors {
  Error space, best;
  double seconds = 0;  ///< that the fit took
};

Error residuals(const Sample& sample, const GpFactor& factor, std::size_t first) {
  std::vector<double> means(held_out), variances(held_out);
  factor.predict({sample.data.view().row(first).data(), held_out, sample.data.columns}, means, variances);
  Error error;
  for (std::size_t i = 0; i < held_out; ++i) {
    error.observations += std::pow(means[i] - sample.data.targets[first + i], 2) / held_out;
    error.function += std::pow(means[i] - sample.truth[first + i], 2) / held_out;
  }
  return {std::sqrt(error.observations), std::sqrt(error.function)};
}

/// Fitted, factored and asked as in a study.
Errors errors_with(Backend& backend, const Sample& sample, std::size_t max_points) {
  std::vector<int> groups(sample.data.columns);
  std::iota(groups.begin(), groups.end(), 0);
  std::vector<std::size_t> first(sample.learned_from);
  std::iota(first.begin(), first.end(), std::size_t{0});
  SurrogateOptions options;
  options.max_points = max_points;
  Surrogate surrogate(backend, options, groups);
  const auto begin = std::chrono::steady_clock::now();
  const FitProblem* problem = surrogate.prepare(rows_of(sample.data, first));
  surrogate.update(fit(backend, {problem, 1}, 7).front());
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  return {residuals(sample, surrogate.factor(), sample.learned_from),
          residuals(sample, surrogate.factor(), sample.learned_from + held_out), seconds.count()};
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Comparison {
  Errors all, part;
};

void print_row(const Problem& problem, double noise, bool like_a_study, const std::vector<Comparison>& found) {
  const auto over_seeds = [&](const auto& of) {
    std::vector<double> values;
    for (const Comparison& one : found) values.push_back(of(one));
    return median(values);
  };
  std::printf("| %s | %.1f | %s", problem.name.c_str(), noise, like_a_study ? "study" : "uniform");
  for (Error Errors::*const place : {&Errors::space, &Errors::best})
    for (double Error::*const kind : {&Error::observations, &Error::function}) {
      const double all = over_seeds([&](const Comparison& one) { return one.all.*place.*kind; });
      const double ratio =
          over_seeds([&](const Comparison& one) { return one.part.*place.*kind / (one.all.*place.*kind); });
      std::printf(" | %.2e | %.2f", all, ratio);
    }
  std::printf(" | %.1f | %.1f |\n", over_seeds([](const Comparison& one) { return one.all.seconds; }),
              over_seeds([](const Comparison& one) { return one.part.seconds; }));
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  const auto number = [&](int place, std::size_t usual) {
    return count > place ? std::strtoull(arguments[place], nullptr, 10) : usual;
  };
  const std::size_t points = number(1, 3000), kept = number(2, 1000), seeds = number(3, 1);
  const auto backend = make_backend({.kind = BackendKind::cpu});
  std::printf("%zu points, %zu kept, %zu seeds\n", points, kept, seeds);
  std::printf(
      "| function | noise | data | observations, space | ratio | function, space | ratio | observations, best | "
      "ratio "
      "| function, best | ratio | seconds, all | kept |\n"
      "| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
  for (const Problem& problem : problems) {
    if (count > 4 && problem.name.find(arguments[4]) == std::string::npos) continue;
    for (const double noise : {0.0, 0.1}) {
      for (const bool like_a_study : {false, true}) {
        std::vector<Comparison> found;
        for (std::size_t seed = 1; seed <= seeds; ++seed) {
          const Sample sample = draw(problem, points, like_a_study, noise, seed);
          // One in sixteen of the points that may be kept is left to those that come next.
          found.push_back({errors_with(*backend, sample, points), errors_with(*backend, sample, kept + kept / 15)});
        }
        print_row(problem, noise, like_a_study, found);
      }
    }
  }
  return 0;
}
