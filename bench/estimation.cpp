/// Maximum likelihood against MAP: held-out log predictive density and error of a GP on uniform data.
/// Usage: bench_estimation [seeds]. Prints one row a function and size: medians (and means) over the seeds.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <numeric>
#include <random>
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
using Point = std::span<const double>;

struct Problem {
  std::string name;
  std::size_t dimension;
  double lower, upper;  ///< of every coordinate
  double noise;         ///< standard deviation, in units of the function
  double (*function)(Point);
};

double branin_square(Point u) {
  const double x[2] = {15 * u[0] - 5, 15 * u[1]};
  return study::branin(x);
}

/// Log cost of training: depth, width and epochs on logarithmic axes, and a parameter without influence.
double log_cost_power(Point u) { return 2.3 * u[0] + 4.6 * u[1] + 1.2 * u[2]; }
/// Log cost with a fixed part.
double log_cost_offset(Point u) { return std::log(1 + 30 * u[0] * u[1] + 5 * u[2] * u[2]); }

const std::vector<Problem> problems{
    {"branin", 2, 0, 1, 0, branin_square},
    {"hartmann-3", 3, 0, 1, 0, study::hartmann3},
    {"hartmann-6", 6, 0, 1, 0, study::hartmann6},
    {"ackley-5", 5, -8, 12, 0, study::ackley},
    {"levy-4", 4, -10, 10, 0, study::levy},
    {"log rosenbrock-4", 4, -2, 2, 0, study::log_rosenbrock},
    {"branin, noisy", 2, 0, 1, 10, branin_square},
    {"hartmann-3, noisy", 3, 0, 1, 0.2, study::hartmann3},
    {"log cost, power", 4, 0, 1, 0.05, log_cost_power},
    {"log cost, offset", 4, 0, 1, 0.05, log_cost_offset},
};

struct Score {
  double log_density;  ///< mean over held-out observations, in standardised units
  double error;        ///< root mean square against the noise-free function, in standardised units
};

struct Sample {
  TrainingData data;
  std::vector<double> truth;  ///< targets without noise
};

/// `rows` uniform points; standardised by `units`, which is first set to theirs where `own_units`.
Sample draw(const Problem& problem, std::size_t rows, std::mt19937_64& engine, Standardisation& units,
            bool own_units) {
  std::uniform_real_distribution<double> unit;
  std::normal_distribution<double> normal;
  Sample sample;
  sample.data.columns = problem.dimension;
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<double> point;
    for (std::size_t j = 0; j < problem.dimension; ++j) {
      sample.data.points.push_back(unit(engine));
      point.push_back(problem.lower + (problem.upper - problem.lower) * sample.data.points.back());
    }
    sample.truth.push_back(problem.function(point));
    sample.data.targets.push_back(sample.truth.back() + problem.noise * normal(engine));
  }
  if (own_units) units = standardisation(sample.data.targets);
  for (double& value : sample.data.targets) value = standardise(value, units);
  for (double& value : sample.truth) value = standardise(value, units);
  return sample;
}

Score score(Backend& backend, const Problem& problem, std::size_t rows, std::uint64_t seed, Estimation estimation) {
  std::mt19937_64 engine(1000 * seed + rows);
  Standardisation units;
  const Sample training = draw(problem, rows, engine, units, true);
  const Sample held_out = draw(problem, 400, engine, units, false);
  std::vector<int> groups(problem.dimension);
  std::iota(groups.begin(), groups.end(), 0);
  SurrogateOptions options;
  options.estimation = estimation;
  const FitProblem fit_problem{&training.data, groups, &options, std::nullopt, true};
  const FitResult fitted = fit(backend, {&fit_problem, 1}, seed).front();
  const GpParameters parameters = expand(backend, fitted.hyperparameters, training.data, groups);
  const auto factor = backend.factor(training.data.view(), training.data.targets, {&parameters, 1});
  const std::size_t count = held_out.data.size();
  std::vector<double> mean(count), variance(count);
  factor.front()->predict(held_out.data.view(), mean, variance);
  Score result{0, 0};
  for (std::size_t i = 0; i < count; ++i) {
    const double spread = variance[i] + parameters.noise_variance;
    const double residual = held_out.data.targets[i] - mean[i];
    result.log_density -= 0.5 * (std::log(2 * std::numbers::pi * spread) + residual * residual / spread) / count;
    result.error += std::pow(held_out.truth[i] - mean[i], 2) / count;
  }
  result.error = std::sqrt(result.error);
  return result;
}

/// Scores of both estimations on one function and size, by Estimation.
struct Cell {
  std::vector<double> density[2], error[2];

  double wins() const {
    double count = 0;
    for (std::size_t i = 0; i < density[0].size(); ++i) count += density[1][i] > density[0][i] ? 1 : 0;
    return count / static_cast<double>(density[0].size());
  }
};

Cell measure(Backend& backend, const Problem& problem, std::size_t rows, std::size_t seeds) {
  Cell cell;
  for (std::size_t seed = 0; seed < seeds; ++seed) {
    for (const Estimation estimation : {Estimation::maximum_likelihood, Estimation::map}) {
      const Score one = score(backend, problem, rows, seed, estimation);
      cell.density[static_cast<int>(estimation)].push_back(one.log_density);
      cell.error[static_cast<int>(estimation)].push_back(one.error);
    }
  }
  return cell;
}

void print_row(const std::string& name, std::size_t rows, const Cell& cell) {
  std::printf("%-18s %4zu  %8.2f (%9.4g) %8.2f (%9.4g)  %8.3f %8.3f  %4.0f%%\n", name.c_str(), rows,
              replay::median(cell.density[0]), replay::mean(cell.density[0]), replay::median(cell.density[1]),
              replay::mean(cell.density[1]), replay::median(cell.error[0]), replay::median(cell.error[1]),
              100 * cell.wins());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t seeds = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 20;
  if (seeds == 0) {
    std::fprintf(stderr, "usage: %s [seeds, at least 1]\n", argv[0]);
    return 2;
  }
  const auto backend = make_backend({});
  std::printf("Built with %s\n", CARBO_BUILD_FLAGS);
  std::printf(
      "Held-out log predictive density (higher is better) and RMSE, medians over %zu seeds; mean density in\n"
      "parentheses; wins: share of seeds in which MAP has the higher density.\n",
      seeds);
  std::printf("%-18s %4s  %20s %20s  %8s %8s  %5s\n", "function", "n", "density ML", "density MAP", "RMSE ML",
              "RMSE MAP", "wins");
  for (const std::size_t rows : {5, 10, 20, 50, 100}) {
    Cell all;  // medians of the functions
    double wins = 0;
    for (const Problem& problem : problems) {
      const Cell cell = measure(*backend, problem, rows, seeds);
      print_row(problem.name, rows, cell);
      wins += cell.wins() / static_cast<double>(problems.size());
      for (int kind = 0; kind < 2; ++kind) {
        all.density[kind].push_back(replay::median(cell.density[kind]));
        all.error[kind].push_back(std::log(replay::median(cell.error[kind])));
      }
    }
    std::printf("%-18s %4zu  %20.3f %20.3f  %8.3f %8.3f  %4.0f%%  (means of the medians; RMSE geometric)\n", "all",
                rows, replay::mean(all.density[0]), replay::mean(all.density[1]),
                std::exp(replay::mean(all.error[0])), std::exp(replay::mean(all.error[1])), 100 * wins);
  }
  return 0;
}
