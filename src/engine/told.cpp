// What was not suggested: observations of an earlier run, and where the initial design of a run that goes on has
// ended.

#include <algorithm>
#include <limits>
#include <utility>

#include <carbo/error.hpp>

#include "engine/optimizer_state.hpp"
#include "support/text.hpp"

namespace carbo {

using internal::text;

void Optimizer::State::tell(const Observation& observation) {
  Observation mine = observation;
  mine.id.reset();
  mine.configuration = own(observation.configuration);
  const std::string where = text("configuration ", observation.configuration.to_string());
  if (mine.batch == std::numeric_limits<std::uint64_t>::max()) {
    throw InvalidObservation(text(where, ": the batch is ", *mine.batch, ", which no batch can follow"));
  }
  if (mine.status == ObservationStatus::succeeded) {
    check({mine.objective, mine.cost}, where);
  } else {
    check_failure_cost(mine.cost, mine.status == ObservationStatus::timed_out, where);
    mine.objective = std::numeric_limits<double>::quiet_NaN();
  }
  record(std::move(mine));
}

void Optimizer::State::follow_design(const Observation& told) {
  if (plan_.settled() || (told.batch && ledger_.knows_batch(*told.batch))) return;
  Batch batch;
  batch.spent = ledger_.spent();
  const internal::DesignState state = design_state(batch);
  if (!plan_.over(state)) return;
  plan_.end();
  if (best_) plan_.settle_spent(plan_.used(state));  // without a success there was nothing to search by
}

void Optimizer::State::pass_told_points(const Observation& told) {
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
