#include <cmath>
#include <cstdint>
#include <numbers>

#include "bench/study/problem.hpp"
#include "formulas/philox.hpp"

namespace carbo::study {

namespace {

/// Standard normal; lane 0 disturbs the value, lane 1 the cost of the suggestion with this id.
double noise(std::uint64_t seed, std::uint64_t id, std::uint64_t lane) {
  const auto block = kernels::philox(seed, id, lane);
  const double radius = std::sqrt(-2.0 * std::log(kernels::unit_double(block.word[0], block.word[1])));
  return radius * std::cos(2.0 * std::numbers::pi * kernels::unit_double(block.word[2], block.word[3]));
}

}  // namespace

double budget_of(const Problem& problem, const CostProfile& profile, std::size_t batch) {
  return affordable(problem) * profile.mean / std::sqrt(static_cast<double>(batch));
}

replay::Problem replayed(const Problem& problem, const CostProfile& profile, std::size_t candidates) {
  replay::Problem result{.name = problem.name, .title = problem.title, .space = problem.space};
  result.drawn = candidates;
  result.optimum = problem.optimum;
  result.mean_cost = profile.mean;
  result.cost_spread = profile.spread;
  result.evaluate = [problem](const Suggestion& suggestion, std::uint64_t seed) {
    const auto x = suggestion.configuration.numbers();
    const double value = problem.value(x);
    return replay::Outcome{
        .objective = value + problem.value_noise * noise(seed, suggestion.id, 0),
        .value = value,
        .cost = problem.cost(x) * std::exp(problem.log_cost_noise * noise(seed, suggestion.id, 1))};
  };
  return result;
}

}  // namespace carbo::study
