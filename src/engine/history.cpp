#include "engine/history.hpp"

#include <algorithm>
#include <utility>

#include <carbo/error.hpp>

#include "support/room.hpp"
#include "support/row_hash.hpp"
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
  if (id < given_out_) {
    throw UnknownSuggestion(text("suggestion ", id, " already has a result or was withdrawn; each id is told once"));
  }
  throw UnknownSuggestion(text("suggestion ", id,
                               " was never given out; tell ids that ask returned, or tell the "
                               "configuration itself"));
}

void History::make_room(std::size_t more) {
  internal::make_room(observations_, pending_.size() + more);
  internal::make_room(pool_rows_, pending_.size() + more);
}

void History::suggest(Suggestions&& points) noexcept {
  if (!points.empty()) given_out_ = points.rbegin()->first + 1;
  pending_.merge(points);
}

void History::resolve(std::uint64_t id, EvaluationResult&& result) noexcept {
  const auto found = pending_.find(id);
  PendingPoint& point = found->second;
  pool_rows_.push_back(point.pool_row);
  observations_.push_back({id, std::move(point.configuration), result.status, Origin::this_run, result.objective,
                           result.cost, std::move(result.reason), result.batch, result.slot});
  ++evaluated_in_run_;
  pending_.erase(found);
}

void History::record(Observation&& observation, std::optional<std::size_t> pool_row) noexcept {
  if (observation.origin == Origin::this_run) ++evaluated_in_run_;
  pool_rows_.push_back(pool_row);
  observations_.push_back(std::move(observation));
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
  for (const LearnedPoint& point : fresh) observed_.insert(row_hash(point.numbers));
  learned_.insert(learned_.end(), std::make_move_iterator(fresh.begin()), std::make_move_iterator(fresh.end()));
}

std::size_t History::points_observed() const {
  std::unordered_set<std::uint64_t> fresh;
  for (std::size_t i = learned_.size(); i < observations_.size(); ++i) {
    const std::uint64_t hash = row_hash(observations_[i].configuration.numbers());
    if (!observed_.contains(hash)) fresh.insert(hash);
  }
  return observed_.size() + fresh.size();
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

const Observation* best_of(std::span<const Observation> observations, Goal goal) {
  const double sign = goal == Goal::maximize ? -1.0 : 1.0;
  const Observation* best = nullptr;
  for (const Observation& seen : observations) {
    if (seen.status != ObservationStatus::succeeded) continue;
    if (best == nullptr || sign * seen.objective < sign * best->objective) best = &seen;
  }
  return best;
}

}  // namespace carbo::internal
