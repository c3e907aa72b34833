#include "bench/hpo/iterations.hpp"

#include <cmath>

#include "replay/statistics.hpp"

namespace carbo::hpo {

IterationCosts iteration_costs(const replay::MethodSummary& method) {
  IterationCosts result;
  const auto iterations = static_cast<std::size_t>(std::floor(method.evaluations));
  for (std::size_t k = 0; k < iterations; ++k) {
    std::vector<double> costs;
    for (const replay::RunRecord* run : method.runs)
      if (k < run->steps.size()) costs.push_back(run->steps[k].cost);
    result.medians.push_back(replay::median(std::move(costs)));
  }
  std::vector<double> early;
  for (const replay::RunRecord* run : method.runs)
    early.push_back(static_cast<double>(evaluations_within(*run, run->key.budget / 8)));
  result.first_eighth = replay::median(std::move(early));
  return result;
}

std::vector<double> evaluated_costs(const replay::MethodSummary& method) {
  std::vector<double> costs;
  for (const replay::RunRecord* run : method.runs)
    for (std::size_t k = 0; k < evaluations_within(*run, run->key.budget); ++k) costs.push_back(run->steps[k].cost);
  return costs;
}

}  // namespace carbo::hpo
