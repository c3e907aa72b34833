/// Time to fit both Gaussian processes, for a comparison with other libraries on the same data.
///   bench_fit_speed write DATA [rows]       makes the data: 6 coordinates, objective, log cost, both standardised
///   bench_fit_speed fit DATA [repeats]      fits both; prints seconds, evaluations, log likelihoods
///   bench_fit_speed evaluate DATA FITTED    log likelihoods, by this library's code, of another's optimum: two
///                                           lines of 6 lengthscales, signal variance, noise variance and mean
/// Maximum likelihood, noise variance at least 1e-4, no priors.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "backend/backend.hpp"
#include "bench/study/functions.hpp"
#include "gp/fit.hpp"
#include "gp/transform.hpp"
#include "replay/statistics.hpp"

namespace {

using namespace carbo;
using namespace carbo::internal;

constexpr std::size_t dimension = 6;

std::vector<int> groups() {
  std::vector<int> result(dimension);
  std::iota(result.begin(), result.end(), 0);
  return result;
}

void standardise_all(std::vector<double>& values) {
  const Standardisation units = standardisation(values);
  for (double& value : values) value = standardise(value, units);
}

/// Hartmann-6, and the log cost of a job with a fixed part, two products and 5 % of noise.
void write_data(const std::string& file, std::size_t rows) {
  std::mt19937_64 engine(20240607);
  std::uniform_real_distribution<double> unit;
  std::normal_distribution<double> normal;
  std::vector<double> points, objective, log_cost;
  for (std::size_t i = 0; i < rows; ++i) {
    double x[dimension];
    for (double& coordinate : x) points.push_back(coordinate = unit(engine));
    objective.push_back(study::hartmann6(x));
    log_cost.push_back(std::log(1 + 30 * x[0] * x[1] + 10 * x[2] * x[3] * x[3]) + 0.05 * normal(engine));
  }
  standardise_all(objective);
  standardise_all(log_cost);
  std::FILE* out = std::fopen(file.c_str(), "w");
  if (!out) throw std::runtime_error("cannot write " + file);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < dimension; ++j) std::fprintf(out, "%.17g ", points[i * dimension + j]);
    std::fprintf(out, "%.17g %.17g\n", objective[i], log_cost[i]);
  }
  std::fclose(out);
}

struct BothData {
  TrainingData objective, log_cost;
};

BothData read_data(const std::string& file) {
  std::ifstream in(file);
  BothData both;
  const std::vector<double> numbers(std::istream_iterator<double>(in), std::istream_iterator<double>{});
  if (numbers.empty() || numbers.size() % (dimension + 2) != 0) throw std::runtime_error("no data in " + file);
  both.objective.columns = both.log_cost.columns = dimension;
  for (std::size_t at = 0; at < numbers.size(); at += dimension + 2) {
    const auto row = numbers.begin() + static_cast<std::ptrdiff_t>(at);
    both.objective.points.insert(both.objective.points.end(), row, row + dimension);
    both.objective.targets.push_back(row[dimension]);
    both.log_cost.targets.push_back(row[dimension + 1]);
  }
  both.log_cost.points = both.objective.points;
  return both;
}

void print_hyperparameters(const char* name, const FitResult& result) {
  std::printf("%s: log likelihood %.6f, %zu evaluations, lengthscales", name, result.log_likelihood,
              result.evaluations);
  for (const double lengthscale : result.hyperparameters.lengthscales) std::printf(" %.4g", lengthscale);
  std::printf(", signal variance %.4g, noise variance %.4g, mean %.4g\n", result.hyperparameters.signal_variance,
              result.hyperparameters.noise_variance, *result.hyperparameters.mean);
}

void fit_both(const std::string& file, std::size_t repeats) {
  const BothData both = read_data(file);
  const std::vector<int> column_groups = groups();
  SurrogateOptions options;
  options.estimation = Estimation::maximum_likelihood;
  options.noise_floor = 1e-4;
  const std::vector<FitProblem> problems{{&both.objective, column_groups, &options, std::nullopt, true},
                                         {&both.log_cost, column_groups, &options, std::nullopt, true}};
  const auto backend = make_backend({});
  std::vector<double> seconds, cpu_seconds;
  std::vector<FitResult> results;
  for (std::size_t repeat = 0; repeat < repeats; ++repeat) {
    const auto begin = std::chrono::steady_clock::now();
    const std::clock_t cpu_begin = std::clock();
    results = fit(*backend, problems, 1);
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    cpu_seconds.push_back(static_cast<double>(std::clock() - cpu_begin) / CLOCKS_PER_SEC);
  }
  print_hyperparameters("objective", results[0]);
  print_hyperparameters("log cost", results[1]);
  std::printf("build: %s\n", CARBO_BUILD_FLAGS);
  std::printf("rows=%zu\nseconds=%.4f\ncpu_seconds=%.4f\nlog_likelihood=%.6f\n", both.objective.size(),
              replay::median(seconds), replay::median(cpu_seconds),
              results[0].log_likelihood + results[1].log_likelihood);
}

/// One Gaussian process of another library, at its own mean.
double log_likelihood(Backend& backend, const TrainingData& data, std::istream& in) {
  std::vector<double> parameters(dimension + 2);
  double mean = 0;
  for (double& parameter : parameters) {
    if (!(in >> parameter)) throw std::runtime_error("the file of fitted hyperparameters ends early");
    parameter = std::log(parameter);
  }
  in >> mean;
  const std::vector<int> column_groups = groups();
  const LikelihoodRequest request{data.view(), data.targets, column_groups, parameters, mean};
  LikelihoodValue value;
  backend.likelihoods({&request, 1}, {&value, 1});
  return value.log_likelihood;
}

void evaluate(const std::string& file, const std::string& fitted) {
  const BothData both = read_data(file);
  std::ifstream in(fitted);
  const auto backend = make_backend({});
  const double objective = log_likelihood(*backend, both.objective, in);
  const double log_cost = log_likelihood(*backend, both.log_cost, in);
  std::printf("objective: log likelihood %.6f\nlog cost: log likelihood %.6f\nlog_likelihood=%.6f\n", objective,
              log_cost, objective + log_cost);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const auto number = [&](std::size_t i, std::size_t otherwise) {
    return arguments.size() > i ? std::max<std::size_t>(1, std::strtoul(arguments[i].c_str(), nullptr, 10))
                                : otherwise;
  };
  try {
    if (arguments.size() >= 2 && arguments[0] == "write") {
      write_data(arguments[1], number(2, 1000));
    } else if (arguments.size() >= 2 && arguments[0] == "fit") {
      fit_both(arguments[1], number(2, 3));
    } else if (arguments.size() == 3 && arguments[0] == "evaluate") {
      evaluate(arguments[1], arguments[2]);
    } else {
      std::fprintf(stderr, "usage: %s write DATA [rows] | fit DATA [repeats] | evaluate DATA FITTED\n", argv[0]);
      return 2;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
