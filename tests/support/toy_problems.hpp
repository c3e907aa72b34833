#pragma once

#include <cmath>
#include <cstdint>
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

/// Ask, evaluate and tell until the run is over; returns the numbers of every suggestion in order.
template <typename Function>
std::vector<std::vector<double>> run(Optimizer& optimizer, Function&& evaluate, std::size_t batch = 1) {
  std::vector<std::vector<double>> visited;
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

}  // namespace carbo::test
