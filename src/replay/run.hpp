#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <tuple>
#include <vector>

#include <carbo/optimizer.hpp>

#include "replay/problem.hpp"

namespace carbo::replay {

/// Identity of a run: two runs with equal keys make the same evaluations with the same build.
struct RunKey {
  std::string problem{};
  std::string method{};
  std::uint64_t seed = 0;
  std::size_t batch = 1;
  std::size_t candidates = 0;
  double budget = 0;

  auto tied() const { return std::tie(problem, method, seed, batch, candidates, budget); }
  friend bool operator<(const RunKey& a, const RunKey& b) { return a.tied() < b.tied(); }
  friend bool operator==(const RunKey& a, const RunKey& b) { return a.tied() == b.tied(); }
};

/// One evaluation, in the order in which evaluations finish.
struct Step {
  Phase phase = Phase::warm_start;
  double alpha = 0;  ///< cost exponent of the suggestion's receipt
  double cost = 0;
  double finished = 0;               ///< budget spent when it finished
  double objective = 0;              ///< as observed; infinite where it failed
  double regret = 0;                 ///< of this point: noise-free value minus optimum; infinite where it failed
  double incumbent_regret = 0;       ///< of the point with the lowest objective observed so far
  std::optional<std::size_t> row{};  ///< of the problem's pool
};

struct RunRecord {
  RunKey key;
  std::vector<Step> steps{};
  double spent = 0;    ///< below the budget only where the problem's `most_evaluations` or its pool ended the run
  double seconds = 0;  ///< CPU time of the run's thread
};

/// A run that was asked to stop: nothing is left of it.
class RunStopped : public std::runtime_error {
 public:
  RunStopped() : std::runtime_error("the run was stopped") {}
};

/// Sets `incumbent_regret` of every step from the steps before it.
void fill_incumbents(std::vector<Step>& steps);

/// A suggestion that was evaluated once so much of the budget was spent.
Step step_of(const Problem& problem, const Suggestion& suggestion, const Outcome& outcome, double started);

/// One run by ask and tell, on the calling thread. Synchronous batches count their longest evaluation, or the busiest
/// of `batch` workers where these have queues; where the method's accounting is `sum`, one evaluation after the other
/// in the order of suggestion. Throws RunStopped where it is asked to before a batch.
RunRecord run_once(const Problem& problem, const Method& method, const RunKey& key, const std::stop_token& stop = {});

/// What a method that ignores the budget does with a smaller one: the batches that began before it was spent, each of
/// `batch` evaluations (Batches::fixed). Its seconds are those of the whole run. Throws std::invalid_argument where
/// `budget` is above the run's own.
RunRecord cut_run(const RunRecord& run, double budget);

/// Regret of the incumbent once `spent` of the budget is spent; infinity before the first success finished.
double incumbent_regret_at(const RunRecord& run, double spent);
/// Evaluations that finished by then.
std::size_t evaluations_within(const RunRecord& run, double spent);

}  // namespace carbo::replay
