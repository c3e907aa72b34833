#include "engine/history.hpp"

#include <algorithm>
#include <utility>

#include <carbo/error.hpp>

#include "support/text.hpp"

namespace carbo::internal {
namespace {

/// NaN objectives (failures) compare as equal through their status.
bool canonical_less(const LearnedPoint& a, const LearnedPoint& b) {
  if (a.numbers != b.numbers) return a.numbers < b.numbers;
  if (a.status != b.status) return a.status < b.status;
  if (a.status == ObservationStatus::succeeded && a.objective != b.objective) return a.objective < b.objective;
  return a.cost < b.cost;
}

}  // namespace

const PendingPoint& History::pending_point(std::uint64_t id) const {
  const auto found = pending_.find(id);
  if (found != pending_.end()) return found->second;
  if (resolved_.contains(id)) {
    throw UnknownSuggestion(text("suggestion ", id, " already has a result or was withdrawn; each id is told once"));
  }
  throw UnknownSuggestion(text("suggestion ", id,
                               " was never given out; tell ids that ask returned, or tell the "
                               "configuration itself"));
}

void History::record(Observation observation, std::optional<std::size_t> pool_row) {
  if (observation.origin == Origin::this_run) ++evaluated_in_run_;
  const auto id = observation.id;
  pool_rows_.push_back(id ? pending_point(*id).pool_row : pool_row);
  observations_.push_back(std::move(observation));
  if (id) {
    pending_.erase(*id);
    resolved_.insert(*id);
  }
}

void History::withdraw(std::uint64_t id) {
  pending_point(id);
  pending_.erase(id);
  resolved_.insert(id);
}

void History::learn_new() {
  const std::size_t known = learned_.size();
  std::vector<LearnedPoint> fresh;
  for (std::size_t i = known; i < observations_.size(); ++i) {
    const Observation& seen = observations_[i];
    const auto numbers = seen.configuration.numbers();
    fresh.push_back({std::vector<double>(numbers.begin(), numbers.end()), space_.encode(seen.configuration),
                     seen.status, seen.objective, seen.cost, pool_rows_[i]});
  }
  std::sort(fresh.begin(), fresh.end(), canonical_less);
  learned_.insert(learned_.end(), std::make_move_iterator(fresh.begin()), std::make_move_iterator(fresh.end()));
}

std::vector<const LearnedPoint*> History::best_learned(Goal goal, std::size_t count) const {
  std::vector<const LearnedPoint*> successes;
  for (const LearnedPoint& point : learned_) {
    if (point.status == ObservationStatus::succeeded) successes.push_back(&point);
  }
  const auto better = [goal](const LearnedPoint* a, const LearnedPoint* b) {
    if (a->objective != b->objective) return (a->objective < b->objective) == (goal == Goal::minimize);
    return a->numbers < b->numbers;
  };
  count = std::min(count, successes.size());
  std::partial_sort(successes.begin(), successes.begin() + static_cast<std::ptrdiff_t>(count), successes.end(),
                    better);
  successes.resize(count);
  return successes;
}

}  // namespace carbo::internal
