#include "engine/run_totals.hpp"

namespace carbo::internal {

StopReason stop_reason(const Options& options, const RunTotals& totals) noexcept {
  if (options.target && totals.best) {
    const bool minimize = options.goal == Goal::minimize;
    if (minimize ? *totals.best <= *options.target : *totals.best >= *options.target) return StopReason::target;
  }
  if (totals.failures_in_a_row >= options.failures.max_consecutive) return StopReason::failures;
  if (options.max_evaluations && totals.evaluated >= *options.max_evaluations) return StopReason::evaluations;
  if (!(totals.spent < options.budget)) return StopReason::budget;
  if (totals.blocked && totals.pending == 0) return *totals.blocked;
  return StopReason::running;
}

}  // namespace carbo::internal
