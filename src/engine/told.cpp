// What was not suggested: observations of an earlier run, and where the initial design of a run that goes on has
// ended.

#include <algorithm>
#include <limits>

#include "engine/optimizer_state.hpp"

namespace carbo {

Optimizer::State::ToldBatch Optimizer::State::told_batch_of(const Observation& told) const {
  ToldBatch batch;
  if (told.batch && ledger_.knows_batch(*told.batch)) {
    const bool last = told_batch_ && told_batch_->number == told.batch;
    batch = last ? *told_batch_ : ToldBatch{told.batch, 0, std::numeric_limits<std::size_t>::max()};
  } else {
    Batch beginning;
    beginning.spent = ledger_.spent();
    const internal::DesignState state = design_state(beginning);
    batch.number = told.batch;
    batch.used = plan_.used(state);
    batch.owed = plan_.warm_start_left(state.points) + plan_.points_left();
    batch.searchable = best() != nullptr;
    batch.design_over = plan_.over(state);
  }
  ++batch.told;
  return batch;
}

void Optimizer::State::follow_design(const ToldBatch& batch, std::optional<Phase> phase) noexcept {
  const bool counted = batch.design_over || (!plan_.races() && batch.told > batch.owed);
  // Uniform draws also stand in for a search before anything has succeeded.
  const bool said = phase && *phase != Phase::warm_start;
  if (!(said ? *phase == Phase::search : counted)) return;
  plan_.end(counted ? std::optional(plan_.usual_end()) : std::nullopt);
  if (batch.searchable) plan_.settle_spent(batch.used);
}

void Optimizer::State::pass_told_points(const Observation& told) noexcept {
  const auto behind = [&](const Configuration& point) {
    const auto same = [&](const Observation& seen) {
      return std::ranges::equal(seen.configuration.numbers(), point.numbers());
    };
    return same(told) || (!options_.candidates.allow_repeats && std::ranges::any_of(history_.observations(), same));
  };
  while (plan_.points_left() > 0 && behind(plan_.point(0))) {
    plan_.serve_points(1);
    if (options_.candidates.allow_repeats) return;
  }
}

}  // namespace carbo
