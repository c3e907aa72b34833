#include "engine/history.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <carbo/error.hpp>

#include "support/room.hpp"
#include "support/row_hash.hpp"
#include "support/text.hpp"

namespace carbo::internal {
namespace {

/// NaN objectives (failures) compare as equal through their status, costs that are not known come last.
bool canonical_less(const LearnedPoint& a, const LearnedPoint& b) {
  if (a.numbers != b.numbers) return a.numbers < b.numbers;
  if (a.status != b.status) return a.status < b.status;
  if (a.status == ObservationStatus::succeeded && a.objective != b.objective) return a.objective < b.objective;
  if (std::isnan(a.cost) || std::isnan(b.cost)) return std::isnan(b.cost) && !std::isnan(a.cost);
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
  record({id, std::move(point.configuration), result.status, Origin::this_run, result.objective, result.cost,
          std::move(result.reason), result.batch, result.slot, point.receipt.phase},
         point.pool_row);
  pending_.erase(found);
}

void History::record(Observation&& observation, std::optional<std::size_t> pool_row) noexcept {
  if (observation.origin == Origin::this_run) ++evaluated_in_run_;
  if (std::isnan(observation.cost)) ++without_cost_;
  pool_rows_.push_back(pool_row);
  observations_.push_back(std::move(observation));
}

std::size_t History::failures_in_a_row() const {
  std::uint64_t after_success = 0;  // ids from which on nothing succeeded
  for (const Observation& seen : observations_)
    if (seen.id && seen.status == ObservationStatus::succeeded) after_success = std::max(after_success, *seen.id + 1);
  return static_cast<std::size_t>(std::ranges::count_if(observations_, [&](const Observation& seen) {
    return seen.id && *seen.id >= after_success && seen.status == ObservationStatus::failed;
  }));
}

LearnedPoint History::learned_point(std::size_t observation) const {
  const Observation& seen = observations_[observation];
  const auto numbers = seen.configuration.numbers();
  return {std::vector<double>(numbers.begin(), numbers.end()),
          space_.encode(seen.configuration),
          seen.status,
          seen.objective,
          seen.cost,
          pool_rows_[observation]};
}

void History::learn_new() {
  std::vector<std::pair<LearnedPoint, std::size_t>> fresh;
  for (std::size_t i = learned_.size(); i < observations_.size(); ++i) fresh.emplace_back(learned_point(i), i);
  std::sort(fresh.begin(), fresh.end(),
            [](const auto& a, const auto& b) { return canonical_less(a.first, b.first); });
  internal::make_room(learned_, fresh.size());
  internal::make_room(learned_order_, fresh.size());
  for (const auto& [point, observation] : fresh) observed_.insert(row_hash(point.numbers));
  for (auto& [point, observation] : fresh) {
    learned_.push_back(std::move(point));
    learned_order_.push_back(observation);
  }
}

std::size_t History::points_observed() const {
  std::unordered_set<std::uint64_t> fresh;
  for (std::size_t i = learned_.size(); i < observations_.size(); ++i) {
    const std::uint64_t hash = row_hash(observations_[i].configuration.numbers());
    if (!observed_.contains(hash)) fresh.insert(hash);
  }
  return observed_.size() + fresh.size();
}

double History::typical_cost() const {
  double log_sum = 0;
  std::size_t known = 0;
  for (const LearnedPoint& point : learned_) {
    if (point.status == ObservationStatus::failed || std::isnan(point.cost)) continue;
    log_sum += std::log(point.cost);
    ++known;
  }
  return known == 0 ? 1.0 : std::exp(log_sum / static_cast<double>(known));
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
