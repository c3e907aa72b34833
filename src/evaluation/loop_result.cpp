// What a closed loop says while it runs, and what it hands over.

#include <new>
#include <utility>

#include <carbo/error.hpp>

#include "engine/history.hpp"
#include "evaluation/closed_loop.hpp"

namespace carbo::internal {

void ClosedLoop::report(const Observation* last) const {
  if (!hooks_.progress || reason_ == StopReason::error) return;
  Progress progress;
  progress.phase = suggester_.phase();
  const Suggester::Counts counts = suggester_.counts();
  progress.evaluations = counts.evaluations;
  progress.failures = counts.failures;
  progress.best_objective = counts.best_objective;
  progress.running = running_.size() - queues_.size();
  progress.spent = suggester_.spent();
  progress.budget = suggester_.options().budget;
  progress.elapsed_seconds = steady_seconds() - began_;
  if (!suggestions_.empty()) progress.alpha = suggestions_.back().receipt.alpha;
  progress.last = last;
  hooks_.progress(progress);
}

/// Copies nothing that there is no room for: what was paid for is handed over even where memory has run out.
Result ClosedLoop::result() {
  Result& result = result_;
  const Goal goal = suggester_.options().goal;
  result.budget = suggester_.options().budget;
  result.accounting = suggester_.accounting();
  result.elapsed_seconds = steady_seconds() - began_;
  guarded([&] { result.spent = suggester_.spent(); });
  guarded([&] { result.stop_reason = suggester_.stop_reason(); });
  if (reason_ != StopReason::running) result.stop_reason = reason_;
  result.error = std::move(error_);
  add_remarks(result);
  result.suggestions = std::move(suggestions_);
  guarded([&] { result.observations = suggester_.take_observations(); });
  if (!error_.empty()) {
    result.stop_reason = StopReason::error;
    result.error = std::move(error_);
  }
  if (const Observation* const best = best_of(result.observations, goal))
    *result.best = *best;
  else
    result.best.reset();
  return std::move(result);
}

/// Room for the best of any study of this space, and for what is known of the result.
Result ClosedLoop::roomy_result(const Suggester& suggester) {
  const Space& space = suggester.space();
  const std::vector<double> corner(space.encoded_columns(), 0.0);
  Result result;
  result.best = {{}, space.decode(corner), ObservationStatus::succeeded, Origin::this_run, 0.0, 0.0, ""};
  result.cost_unit = suggester.options().cost.unit;
  result.warnings.reserve(1);
  return result;
}

/// Why the run failed, and what was probably not meant.
void ClosedLoop::add_remarks(Result& result) const noexcept {
  if (result.stop_reason == StopReason::failures) result.error = suggester_.last_failure();
  try {
    std::vector<std::string> warnings = suggester_.warnings();
    const EvaluationOptions& evaluation = suggester_.options().evaluation;
    if (!sees_context_ && (evaluation.timeout || evaluation.timeout_factor)) {
      warnings.emplace_back(is_time()
                                ? "evaluations have a timeout, but the objective cannot see it: let it take a const "
                                  "EvaluationContext&, and throw EvaluationFailed where stop_requested() turns true"
                                : "evaluations have a timeout, but the objective cannot see it: let it take a const "
                                  "EvaluationContext&, and throw EvaluationFailed where its cost reaches timeout()");
    }
    result.warnings = std::move(warnings);
  } catch (const std::bad_alloc&) {
    result.warnings.emplace_back("out of memory");
  } catch (const std::exception& error) {
    try {
      result.warnings.emplace_back(error.what());
    } catch (const std::bad_alloc&) {
      result.warnings.emplace_back("out of memory");
    }
  }
}

}  // namespace carbo::internal
