#include <cmath>
#include <cstdint>

#include "bench/replay/noise.hpp"
#include "bench/study/problem.hpp"

namespace carbo::study {

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
        .objective = value + problem.value_noise * replay::noise(seed, suggestion.id, replay::value_lane),
        .value = value,
        .cost = problem.cost(x) *
                std::exp(problem.log_cost_noise * replay::noise(seed, suggestion.id, replay::cost_lane))};
  };
  return result;
}

}  // namespace carbo::study
