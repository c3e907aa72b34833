#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include <carbo/carbo.hpp>

namespace carbo::test {

/// Two reals; a valley whose floor is at (0.7, 0.3), and a cost that rises twentyfold with x.
inline Space valley_space() { return Space{real("x", 0, 1), real("y", 0, 1)}; }

inline Evaluation valley(const Configuration& point) {
  const double x = point.real("x");
  const double y = point.real("y");
  return {std::pow(x - 0.7, 2) + 2 * std::pow(y - 0.3, 2) + 0.05 * std::sin(9 * x) * std::cos(7 * y),
          std::exp(3.0 * x)};
}

using Visits = std::vector<std::vector<double>>;

/// Ask, evaluate and tell until the run is over; returns the numbers of every suggestion in order.
template <typename Function>
Visits run(Optimizer& optimizer, Function&& evaluate, std::size_t batch = 1) {
  Visits visited;
  while (!optimizer.done()) {
    const std::vector<Suggestion> batch_of_points = optimizer.ask(batch);
    if (batch_of_points.empty()) break;
    for (const Suggestion& suggestion : batch_of_points) {
      const auto numbers = suggestion.configuration.numbers();
      visited.emplace_back(numbers.begin(), numbers.end());
      optimizer.tell(suggestion.id, evaluate(suggestion.configuration));
    }
  }
  return visited;
}

inline Options small_options(double budget, std::uint64_t seed = 3) {
  Options options;
  options.budget = budget;
  options.seed = seed;
  options.candidates.count = 512;
  options.backend.threads = 1;
  return options;
}

/// The same with the paper's cooling, for tests that follow alpha.
inline Options cooled_options(double budget, std::uint64_t seed = 3) {
  Options options = small_options(budget, seed);
  options.acquisition_parameters.cooling = 1;
  return options;
}

/// A grid of `side` × `side` points off the symmetric places, row-major in x then y.
inline std::shared_ptr<const Pool> grid_pool(const Space& space, int side) {
  std::vector<double> numbers;
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) {
      numbers.push_back((i + 0.37) / side);
      numbers.push_back((j + 0.61) / side);
    }
  }
  return std::make_shared<const Pool>(space, numbers, static_cast<std::size_t>(side) * side);
}

/// Numbers of every suggestion of a whole run on the valley, costs multiplied by a factor.
inline Visits visits(const Options& options, std::size_t batch = 1, double cost_factor = 1.0) {
  Optimizer optimizer(valley_space(), options);
  return run(
      optimizer,
      [&](const Configuration& x) {
        Evaluation evaluation = valley(x);
        evaluation.cost *= cost_factor;
        return evaluation;
      },
      batch);
}

}  // namespace carbo::test
