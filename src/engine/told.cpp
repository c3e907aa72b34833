// What was not suggested: observations of an earlier run, and where the initial design of a run that goes on has
// ended.

#include <algorithm>
#include <optional>

#include "engine/optimizer_state.hpp"

namespace carbo {

std::optional<double> Optimizer::State::used_at_design_end(const Observation& told) const {
  if (plan_.settled() || (told.batch && ledger_.knows_batch(*told.batch))) return std::nullopt;
  Batch batch;
  batch.spent = ledger_.spent();
  const internal::DesignState state = design_state(batch);
  return plan_.over(state) ? std::optional(plan_.used(state)) : std::nullopt;
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
