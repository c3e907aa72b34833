#include "driver/shadow.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace carbo::test {
namespace {

std::vector<double> copied(std::span<const double> numbers) { return {numbers.begin(), numbers.end()}; }

bool same_observation(const Observation& a, const Observation& b) {
  return a.id == b.id && std::ranges::equal(a.configuration.numbers(), b.configuration.numbers()) &&
         a.status == b.status && a.origin == b.origin && same(a.objective, b.objective) && a.cost == b.cost &&
         a.reason == b.reason;
}

}  // namespace

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

void Shadow::suggested(std::span<const Suggestion> batch) {
  for (const Suggestion& suggestion : batch) {
    const std::vector<double> numbers = copied(suggestion.configuration.numbers());
    pending_.emplace(suggestion.id, numbers);
    if (suggestion.receipt.enqueued) dequeued(numbers);
    points_.insert(numbers);
    const bool asynchronous = options_.execution == Execution::asynchronous;
    const std::size_t slot = asynchronous ? freest_slot() : suggestion.slot;
    entries_[suggestion.id] = {batches_, slot, 0.0, false};
    next_id_ = suggestion.id + 1;
  }
  ++batches_;
}

bool Shadow::dequeued(std::span<const double> numbers) {
  const auto found = std::ranges::find(queue_, copied(numbers));
  if (found == queue_.end()) return false;
  queue_.erase(found);
  return true;
}

void Shadow::told(std::uint64_t id, const Observation& expected) {
  pending_.erase(id);
  entries_[id].cost = expected.cost;
  entries_[id].finished = true;
  paid_ += expected.cost;
  ++evaluated_in_run_;
  observations_.push_back(expected);
}

void Shadow::told_unsuggested(const Observation& expected) {
  points_.insert(copied(expected.configuration.numbers()));
  observations_.push_back(expected);
  if (expected.origin != Origin::this_run) return;
  paid_ += expected.cost;
  unsuggested_ += expected.cost;
  ++evaluated_in_run_;
}

void Shadow::withdrawn(std::uint64_t id) {
  points_.erase(points_.find(pending_.at(id)));
  pending_.erase(id);
  entries_.erase(id);
}

bool Shadow::known(std::span<const double> numbers) const { return points_.contains(copied(numbers)); }

std::vector<double> Shadow::slot_times() const {
  std::vector<double> times(slots_, 0.0);
  for (const auto& [id, entry] : entries_) times[entry.slot] += entry.cost;
  return times;
}

/// Fewest evaluations running, then least time behind it, then the first.
std::size_t Shadow::freest_slot() const {
  const std::vector<double> times = slot_times();
  std::vector<std::size_t> running(slots_, 0);
  for (const auto& [id, entry] : entries_) running[entry.slot] += entry.finished ? 0 : 1;
  std::size_t freest = 0;
  for (std::size_t slot = 1; slot < slots_; ++slot)
    if (std::pair(running[slot], times[slot]) < std::pair(running[freest], times[freest])) freest = slot;
  return freest;
}

double Shadow::spent() const {
  const bool time = options_.accounting == Accounting::longest;
  if (time && options_.execution == Execution::asynchronous) return unsuggested_ + std::ranges::max(slot_times());
  std::map<std::size_t, std::map<std::size_t, double>> batches;
  double sum = unsuggested_;
  for (const auto& [id, entry] : entries_) {
    sum += time ? 0.0 : entry.cost;
    batches[entry.batch][entry.slot] += entry.cost;
  }
  if (time)
    for (const auto& [batch, slots] : batches)
      sum += std::ranges::max_element(slots, {}, &std::pair<const std::size_t, double>::second)->second;
  return sum;
}

std::optional<double> Shadow::best() const {
  std::optional<double> best;
  for (const Observation& seen : observations_) {
    if (seen.status != ObservationStatus::succeeded) continue;
    const bool better = best && (options_.goal == Goal::minimize ? seen.objective < *best : seen.objective > *best);
    if (!best || better) best = seen.objective;
  }
  return best;
}

std::string Shadow::difference(const Optimizer& optimizer, bool deeply) const {
  std::ostringstream out;
  const std::vector<std::uint64_t> ids = optimizer.pending();
  if (!std::ranges::equal(ids, pending_, {}, {}, &decltype(pending_)::value_type::first))
    out << "other suggestions are pending; ";
  const std::vector<Configuration> waiting = optimizer.enqueued();
  const auto same_point = [](const Configuration& a, const std::vector<double>& b) {
    return std::ranges::equal(a.numbers(), b);
  };
  if (!std::ranges::equal(waiting, queue_, same_point)) out << "other points wait to be suggested; ";
  const std::span<const Observation> seen = optimizer.observations();
  if (seen.size() != observations_.size())
    out << seen.size() << " observations instead of " << observations_.size() << "; ";
  if (deeply && !std::ranges::equal(seen, observations_, same_observation)) out << "other observations; ";
  // Sums of a few dozen costs in another order.
  const double found = optimizer.spent(), expected = spent();
  if (!(found == expected || std::abs(found - expected) <= 1e-13 * paid_))
    out << "spent " << found << " instead of " << expected << "; ";
  const std::optional<Observation> best_seen = optimizer.best();
  if (best_seen.has_value() != best().has_value() || (best_seen && best_seen->objective != *best()))
    out << "another best; ";
  return out.str();
}

}  // namespace carbo::test
