#include "bench/study/run.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "bench/support/timing.hpp"
#include "formulas/philox.hpp"

namespace carbo::study {

namespace {

double thread_seconds() { return bench::clock_seconds(CLOCK_THREAD_CPUTIME_ID); }

/// Standard normal; lane 0 disturbs the value, lane 1 the cost of the suggestion with this id.
double noise(std::uint64_t seed, std::uint64_t id, std::uint64_t lane) {
  const auto block = kernels::philox(seed, id, lane);
  const double radius = std::sqrt(-2.0 * std::log(kernels::unit_double(block.word[0], block.word[1])));
  return radius * std::cos(2.0 * std::numbers::pi * kernels::unit_double(block.word[2], block.word[3]));
}

Options options_of(const Method& method, const RunKey& key) {
  Options options;
  options.budget = key.budget;
  options.batch_size = key.batch;
  options.seed = key.seed;
  options.acquisition = method.acquisition;
  options.initial_design = method.design;
  options.accounting = Accounting::longest;
  options.candidates.count = key.candidates;
  options.backend.threads = 1;
  return options;
}

Step evaluate(const Problem& problem, const Suggestion& suggestion, std::uint64_t seed, double started) {
  const auto x = suggestion.configuration.numbers();
  const double value = problem.value(x);
  Step step;
  step.phase = suggestion.receipt.phase;
  step.alpha = suggestion.receipt.alpha.value_or(0.0);
  step.cost = problem.cost(x) * std::exp(problem.log_cost_noise * noise(seed, suggestion.id, 1));
  step.finished = started + step.cost;
  step.objective = value + problem.value_noise * noise(seed, suggestion.id, 0);
  step.regret = value - problem.optimum;
  return step;
}

}  // namespace

double budget_of(const Problem& problem, const CostProfile& profile, std::size_t batch) {
  return affordable(problem) * profile.mean / std::sqrt(static_cast<double>(batch));
}

void fill_incumbents(std::vector<Step>& steps) {
  double lowest = std::numeric_limits<double>::infinity();
  double regret = lowest;
  for (Step& step : steps) {
    if (step.objective < lowest) {
      lowest = step.objective;
      regret = step.regret;
    }
    step.incumbent_regret = regret;
  }
}

StudyRun run_once(const Problem& problem, const Method& method, const RunKey& key) {
  const double began = thread_seconds();
  StudyRun run{.key = key, .steps = {}};
  Optimizer optimizer(problem.space, options_of(method, key));
  while (!optimizer.done()) {
    const double started = optimizer.spent();
    const auto suggestions = optimizer.ask();
    if (suggestions.empty()) break;
    std::vector<Step> batch;
    for (const Suggestion& suggestion : suggestions) {
      batch.push_back(evaluate(problem, suggestion, key.seed, started));
      optimizer.tell(suggestion.id, {.objective = batch.back().objective, .cost = batch.back().cost});
    }
    std::stable_sort(batch.begin(), batch.end(),
                     [](const Step& a, const Step& b) { return a.finished < b.finished; });
    run.steps.insert(run.steps.end(), batch.begin(), batch.end());
  }
  fill_incumbents(run.steps);
  run.spent = optimizer.spent();
  run.seconds = thread_seconds() - began;
  return run;
}

std::size_t evaluations_within(const StudyRun& run, double spent) {
  const auto after = std::partition_point(run.steps.begin(), run.steps.end(),
                                          [&](const Step& step) { return step.finished <= spent; });
  return static_cast<std::size_t>(after - run.steps.begin());
}

double incumbent_regret_at(const StudyRun& run, double spent) {
  const std::size_t finished = evaluations_within(run, spent);
  return finished == 0 ? std::numeric_limits<double>::infinity() : run.steps[finished - 1].incumbent_regret;
}

}  // namespace carbo::study
