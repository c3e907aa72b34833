#include <algorithm>
#include <unordered_set>
#include <utility>

#include "engine/history.hpp"
#include "support/row_hash.hpp"
#include "support/state_checks.hpp"

namespace carbo::internal {
namespace {

/// Below it ids can be counted up for ever.
constexpr std::uint64_t most_ids = std::uint64_t{1} << 62;

/// Every id once, and all of them given out.
void check_ids(const HistoryState& state) {
  std::unordered_set<std::uint64_t> ids;
  const auto check = [&](std::uint64_t id) {
    check_state(id < state.given_out, "an id was never given out: it is not below next_id");
    check_state(ids.insert(id).second, "an id is there twice");
  };
  check_state(state.given_out < most_ids, "next_id is beyond 2^62");
  for (const Observation& seen : state.observations)
    if (seen.id) check(*seen.id);
  for (const Suggestion& suggestion : state.pending) check(suggestion.id);
}

/// The first observations, each once.
void check_learned(const HistoryState& state) {
  check_state(state.learned.size() <= state.observations.size(), "learned: more than there are observations");
  std::vector<bool> seen(state.learned.size(), false);
  for (const std::size_t one : state.learned) {
    check_state(one < seen.size() && !seen[one], "learned is not an order of the first observations");
    seen[one] = true;
  }
}

}  // namespace

HistoryState History::state() const {
  HistoryState state{observations_, pool_rows_, learned_order_, {}, given_out_};
  for (const auto& [id, point] : pending_) state.pending.push_back(suggestion_of(id, point));
  return state;
}

Suggestion suggestion_of(std::uint64_t id, const PendingPoint& point) {
  return {id, point.configuration, point.pool_row, point.receipt, point.timeout, 0, point.order};
}

void History::restore(HistoryState state) {
  check_ids(state);
  check_learned(state);
  check_state(state.pool_rows.size() == state.observations.size(), "pool_rows: expected one for each observation");
  given_out_ = state.given_out;
  for (Suggestion& one : state.pending) {
    std::vector<double> encoded = space_.encode(one.configuration);
    pending_.emplace(one.id, PendingPoint{std::move(one.configuration), std::move(encoded), one.pool_index,
                                          std::move(one.receipt), one.timeout, one.order});
  }
  make_room(state.observations.size());
  for (std::size_t i = 0; i < state.observations.size(); ++i)
    record(std::move(state.observations[i]), state.pool_rows[i]);
  for (const std::size_t observation : state.learned) learned_.push_back(learned_point(observation));
  for (const LearnedPoint& point : learned_) observed_.insert(row_hash(point.numbers));
  learned_order_ = std::move(state.learned);
}

}  // namespace carbo::internal
