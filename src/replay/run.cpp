#include "replay/run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "replay/clock.hpp"
#include "replay/csv.hpp"

namespace carbo::replay {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

double thread_seconds() { return clock_seconds(CLOCK_THREAD_CPUTIME_ID); }

Options options_of(const Problem& problem, const Method& method, const RunKey& key) {
  Options options;
  method.configure(options, problem);
  options.budget = key.budget;
  options.batch_size = key.batch;
  options.seed = key.seed;
  options.accounting = method.accounting;
  options.candidates.pool = problem.pool;
  if (!problem.pool) options.candidates.count = problem.drawn;
  options.backend.threads = 1;
  return options;
}

Step evaluate(const Problem& problem, Optimizer& optimizer, const Suggestion& suggestion, std::uint64_t seed,
              double started) {
  const Outcome outcome = problem.evaluate(suggestion, seed);
  if (std::isfinite(outcome.objective))
    optimizer.tell(suggestion.id, {.objective = outcome.objective, .cost = outcome.cost});
  else
    optimizer.fail(suggestion.id, outcome.cost, "failed when it was measured");
  return step_of(problem, suggestion, outcome, started);
}

}  // namespace

Step step_of(const Problem& problem, const Suggestion& suggestion, const Outcome& outcome, double started) {
  Step step;
  step.phase = suggestion.receipt.phase;
  step.alpha = suggestion.receipt.alpha.value_or(0.0);
  step.cost = outcome.cost;
  step.finished = started + outcome.cost;
  const bool failed = !std::isfinite(outcome.objective);
  step.objective = failed ? never : outcome.objective;
  step.regret = failed ? never : outcome.value - problem.optimum;
  step.row = suggestion.pool_index ? suggestion.pool_index : outcome.row;
  return step;
}

void fill_incumbents(std::vector<Step>& steps) {
  double lowest = never, regret = never;
  for (Step& step : steps) {
    if (step.objective < lowest) {
      lowest = step.objective;
      regret = step.regret;
    }
    step.incumbent_regret = regret;
  }
}

RunRecord run_once(const Problem& problem, const Method& method, const RunKey& key, const std::stop_token& stop) {
  if (method.run) return method.run(problem, key);
  const double began = thread_seconds();
  RunRecord run{.key = key, .steps = {}};
  Optimizer optimizer(problem.space, options_of(problem, method, key));
  const bool queues = optimizer.options().batches != Batches::fixed;
  const std::size_t most_of_a_round = queues ? key.batch * Optimizer::most_per_worker : key.batch;
  while (!optimizer.done() && run.steps.size() + most_of_a_round <= problem.most_evaluations) {
    if (stop.stop_requested()) throw RunStopped();
    const double together = optimizer.spent();
    const auto suggestions = optimizer.ask();
    if (suggestions.empty()) break;
    std::vector<Step> batch;
    std::vector<double> free_at(key.batch, together);  // worker by worker
    for (const Suggestion& suggestion : suggestions) {
      double& free = free_at[suggestion.slot];
      const double started = method.accounting == Accounting::sum ? optimizer.spent() : free;
      batch.push_back(evaluate(problem, optimizer, suggestion, key.seed, started));
      free = batch.back().finished;
    }
    std::stable_sort(batch.begin(), batch.end(),
                     [](const Step& a, const Step& b) { return a.finished < b.finished; });
    run.steps.insert(run.steps.end(), batch.begin(), batch.end());
  }
  if (run.steps.empty())
    throw std::runtime_error("no evaluation was made: the problem allows " +
                             std::to_string(problem.most_evaluations) + ", a batch is up to " +
                             std::to_string(most_of_a_round));
  fill_incumbents(run.steps);
  run.spent = optimizer.spent();
  run.seconds = thread_seconds() - began;
  return run;
}

RunRecord cut_run(const RunRecord& run, double budget) {
  if (!(budget <= run.key.budget))
    throw std::invalid_argument("a run with a budget of " + exact(run.key.budget) + " cannot be cut at " +
                                exact(budget));
  RunRecord cut{.key = run.key, .seconds = run.seconds};
  cut.key.budget = budget;
  // Batches are whole but for the last, and their steps are in the order in which they finish.
  while (cut.spent < budget && cut.steps.size() < run.steps.size()) {
    const std::size_t first = cut.steps.size();
    const std::size_t last = std::min(first + run.key.batch, run.steps.size());
    for (std::size_t i = first; i < last; ++i) cut.steps.push_back(run.steps[i]);
    cut.spent = cut.steps.back().finished;
  }
  return cut;
}

std::size_t evaluations_within(const RunRecord& run, double spent) {
  const auto after = std::partition_point(run.steps.begin(), run.steps.end(),
                                          [&](const Step& step) { return step.finished <= spent; });
  return static_cast<std::size_t>(after - run.steps.begin());
}

double incumbent_regret_at(const RunRecord& run, double spent) {
  const std::size_t finished = evaluations_within(run, spent);
  return finished == 0 ? never : run.steps[finished - 1].incumbent_regret;
}

}  // namespace carbo::replay
