#include "evaluation/evaluation_fault.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <utility>

#include "support/text.hpp"

namespace carbo::internal {
namespace {

bool has_no_logarithm(const Evaluation& evaluation, Transform transform) {
  return transform == Transform::log && !(evaluation.objective > 0);
}

bool usable(double cost) { return std::isfinite(cost) && cost > 0; }

Fault fault_of(const Evaluation& evaluation, Transform transform) {
  const auto [objective, cost] = evaluation;
  if (!std::isfinite(objective)) return {text("the objective returned ", objective)};
  if (!usable(cost)) {
    return {text("the objective returned ", objective, " with a cost of ", cost, "; a cost is finite and above 0")};
  }
  if (has_no_logarithm(evaluation, transform)) {
    return {text("the objective returned ", objective,
                 ", which has no logarithm; use Transform::automatic, none or rank"),
            true};
  }
  return {};
}

}  // namespace

Fault fault_of(Outcome& outcome, Transform transform) noexcept {
  const bool odd_cost = outcome.failure_cost && !usable(*outcome.failure_cost) && *outcome.failure_cost != 0;
  try {
    if (odd_cost) {
      return {text(outcome.reason, " (EvaluationFailed has a cost of ", *outcome.failure_cost,
                   ", which is passed over; give a finite number above 0)")};
    }
    if (!outcome.evaluation && !outcome.reason.empty()) return {std::move(outcome.reason), outcome.mistaken};
    if (!outcome.evaluation) return {"the objective threw without a message", outcome.mistaken};
    return fault_of(*outcome.evaluation, transform);
  } catch (const std::bad_alloc&) {
    const bool returned_finite = outcome.evaluation && std::isfinite(outcome.evaluation->objective);
    return {lost_reason, outcome.mistaken || (returned_finite && has_no_logarithm(*outcome.evaluation, transform))};
  }
}

FailureCost cost_of_failure(const Outcome& outcome, double predicted, double seconds_per_unit) noexcept {
  if (outcome.failure_cost && usable(*outcome.failure_cost)) return {*outcome.failure_cost, true};
  if (outcome.evaluation && usable(outcome.evaluation->cost)) return {outcome.evaluation->cost, true};
  if (seconds_per_unit > 0) return {outcome.seconds / seconds_per_unit, true};
  return {predicted, false};
}

std::string last_failure(std::span<const Observation> observations) noexcept {
  const auto failed = [](const Observation& seen) { return seen.status != ObservationStatus::succeeded; };
  const auto last = std::find_if(observations.rbegin(), observations.rend(), failed);
  if (last == observations.rend()) return {};
  try {
    return last->reason;
  } catch (const std::bad_alloc&) {
    return lost_reason;
  }
}

}  // namespace carbo::internal
