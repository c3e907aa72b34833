/// Maximum likelihood against MAP: held-out log predictive density and error of a GP on uniform data.
/// Usage: bench_estimation [seeds]. Prints one row a function and size: medians (and means) over the seeds.

#include <algorithm>
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
#include "gp/fit.hpp"
#include "gp/transform.hpp"

namespace {

using namespace carbo;
using namespace carbo::internal;
using Point = std::span<const double>;

struct Problem {
  std::string name;
  std::size_t dimension;
  double noise;  ///< standard deviation, in units of the function
  std::function<double(Point)> function;
};

double branin(Point u) {
  const double pi = std::numbers::pi;
  const double x = 15 * u[0] - 5, y = 15 * u[1];
  const double parabola = y - 5.1 / (4 * pi * pi) * x * x + 5 / pi * x - 6;
  return parabola * parabola + 10 * (1 - 1 / (8 * pi)) * std::cos(x) + 10;
}

double hartmann(Point u, const std::vector<std::vector<double>>& width, const std::vector<std::vector<double>>& peak) {
  const double weight[4] = {1.0, 1.2, 3.0, 3.2};
  double sum = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    double exponent = 0;
    for (std::size_t j = 0; j < u.size(); ++j) exponent += width[i][j] * (u[j] - peak[i][j]) * (u[j] - peak[i][j]);
    sum -= weight[i] * std::exp(-exponent);
  }
  return sum;
}

double hartmann_3(Point u) {
  return hartmann(u, {{3, 10, 30}, {0.1, 10, 35}, {3, 10, 30}, {0.1, 10, 35}},
                  {{0.3689, 0.1170, 0.2673}, {0.4699, 0.4387, 0.7470}, {0.1091, 0.8732, 0.5547},
                   {0.0381, 0.5743, 0.8828}});
}

double hartmann_6(Point u) {
  return hartmann(u,
                  {{10, 3, 17, 3.5, 1.7, 8}, {0.05, 10, 17, 0.1, 8, 14}, {3, 3.5, 1.7, 10, 17, 8},
                   {17, 8, 0.05, 10, 0.1, 14}},
                  {{0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886}, {0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991},
                   {0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650}, {0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381}});
}

double ackley(Point u) {
  double square = 0, wave = 0;
  for (const double v : u) {
    const double x = 20 * v - 8;
    square += x * x / static_cast<double>(u.size());
    wave += std::cos(2 * std::numbers::pi * x) / static_cast<double>(u.size());
  }
  return -20 * std::exp(-0.2 * std::sqrt(square)) - std::exp(wave) + 20 + std::numbers::e;
}

double levy(Point u) {
  const double pi = std::numbers::pi;
  const auto w = [&](std::size_t i) { return 1 + (20 * u[i] - 11) / 4; };
  double sum = std::pow(std::sin(pi * w(0)), 2);
  for (std::size_t i = 0; i + 1 < u.size(); ++i) {
    sum += std::pow(w(i) - 1, 2) * (1 + 10 * std::pow(std::sin(pi * w(i) + 1), 2));
  }
  const double last = w(u.size() - 1);
  return sum + std::pow(last - 1, 2) * (1 + std::pow(std::sin(2 * pi * last), 2));
}

double rosenbrock(Point u) {
  double sum = 0;
  for (std::size_t i = 0; i + 1 < u.size(); ++i) {
    const double x = 4 * u[i] - 2, next = 4 * u[i + 1] - 2;
    sum += 100 * std::pow(next - x * x, 2) + std::pow(1 - x, 2);
  }
  return sum;
}

/// Log cost of training: layers × width² and epochs on logarithmic axes, one parameter without influence.
double log_cost_power(Point u) { return 2.3 * u[0] + 4.6 * u[1] + 1.2 * u[2] + 0.0 * u[3]; }
/// Log cost with a fixed part: log(1 + 30 a b + 5 c²).
double log_cost_offset(Point u) { return std::log(1 + 30 * u[0] * u[1] + 5 * u[2] * u[2]); }

const std::vector<Problem> problems{
    {"branin", 2, 0, branin},
    {"hartmann-3", 3, 0, hartmann_3},
    {"hartmann-6", 6, 0, hartmann_6},
    {"ackley-5", 5, 0, ackley},
    {"levy-4", 4, 0, levy},
    {"rosenbrock-4", 4, 0, rosenbrock},
    {"branin, noisy", 2, 10, branin},
    {"hartmann-3, noisy", 3, 0.2, hartmann_3},
    {"log cost, power", 4, 0.05, log_cost_power},
    {"log cost, offset", 4, 0.05, log_cost_offset},
};

struct Score {
  double log_density;  ///< mean over held-out observations, in standardised units
  double error;        ///< root mean square against the noise-free function, in standardised units
};

struct Sample {
  TrainingData data;
  std::vector<double> observed, truth;  ///< targets
};

/// `rows` uniform points; standardised by `units`, or by themselves where it is null.
Sample draw(const Problem& problem, std::size_t rows, std::mt19937_64& engine, Standardisation& units, bool own_units) {
  std::uniform_real_distribution<double> unit;
  std::normal_distribution<double> normal;
  Sample sample;
  sample.data.columns = problem.dimension;
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<double> point;
    for (std::size_t j = 0; j < problem.dimension; ++j) point.push_back(unit(engine));
    sample.data.points.insert(sample.data.points.end(), point.begin(), point.end());
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

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return 0.5 * (values[(values.size() - 1) / 2] + values[values.size() / 2]);
}

double average(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t seeds = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 20;
  const auto backend = make_backend({});
  std::printf("Held-out log predictive density (higher is better) and RMSE, medians over %zu seeds; mean density in\n"
              "parentheses; wins: share of seeds in which MAP has the higher density.\n", seeds);
  std::printf("%-18s %4s  %18s %18s  %7s %7s  %5s\n", "function", "n", "density ML", "density MAP", "RMSE ML",
              "RMSE MAP", "wins");
  double total[2] = {0, 0}, total_error[2] = {0, 0}, total_wins = 0;
  std::size_t cells = 0;
  for (const Problem& problem : problems) {
    for (const std::size_t rows : {5u, 10u, 20u, 50u, 100u}) {
      std::vector<double> density[2], error[2];
      double wins = 0;
      for (std::size_t seed = 0; seed < seeds; ++seed) {
        for (const Estimation estimation : {Estimation::maximum_likelihood, Estimation::map}) {
          const Score one = score(*backend, problem, rows, seed, estimation);
          density[static_cast<int>(estimation)].push_back(one.log_density);
          error[static_cast<int>(estimation)].push_back(one.error);
        }
        wins += density[1].back() > density[0].back() ? 1.0 / static_cast<double>(seeds) : 0.0;
      }
      std::printf("%-18s %4zu  %7.2f (%8.4g) %7.2f (%8.4g)  %7.3f %7.3f  %4.0f%%\n", problem.name.c_str(),
                  std::size_t{rows}, median(density[0]), average(density[0]), median(density[1]), average(density[1]),
                  median(error[0]), median(error[1]), 100 * wins);
      for (int kind = 0; kind < 2; ++kind) {
        total[kind] += median(density[kind]);
        total_error[kind] += std::log(median(error[kind]));
      }
      total_wins += wins;
      ++cells;
    }
  }
  const double count = static_cast<double>(cells);
  std::printf("%-23s  %18.3f %18.3f  %7.3f %7.3f  %4.0f%%  (means of the medians; RMSE geometric)\n", "all",
              total[0] / count, total[1] / count, std::exp(total_error[0] / count), std::exp(total_error[1] / count),
              100 * total_wins / count);
  return 0;
}
