#include "engine/ledger.hpp"

#include <algorithm>
#include <utility>

namespace carbo::internal {

Ledger::Ledger(Accounting accounting, Execution execution, std::size_t slots, double seconds_per_unit,
               std::function<double()> clock)
    : accounting_(accounting),
      execution_(execution),
      slots_(slots),
      seconds_per_unit_(seconds_per_unit),
      clock_(std::move(clock)) {}

void Ledger::start(std::span<const std::uint64_t> ids) {
  if (!started_) {
    started_ = true;
    start_time_ = clock_();
  }
  const double started = now();
  for (const std::uint64_t id : ids) entries_[id] = {batches_, next_slot(), started, 0.0, false};
  ++batches_;
}

void Ledger::finish(std::uint64_t id, double cost) {
  Entry& entry = entries_.at(id);
  entry.cost = cost;
  entry.finished = true;
}

void Ledger::withdraw(std::uint64_t id) { entries_.erase(id); }

void Ledger::add_unsuggested(double cost) {
  unsuggested_.insert(std::upper_bound(unsuggested_.begin(), unsuggested_.end(), cost), cost);
}

double Ledger::spent() const {
  if (accounting_ == Accounting::wall_clock) return started_ ? now() : 0.0;
  return total({});
}

double Ledger::committed(const std::map<std::uint64_t, double>& predicted_cost) const {
  if (accounting_ != Accounting::wall_clock) return std::max(0.0, total(predicted_cost) - total({}));
  double longest = 0;
  for (const auto& [id, cost] : predicted_cost) {
    longest = std::max(longest, cost - (now() - entries_.at(id).started));
  }
  return longest;
}

double Ledger::now() const { return (clock_() - start_time_) / seconds_per_unit_; }

double Ledger::total(const std::map<std::uint64_t, double>& predicted_cost) const {
  const auto cost_of = [&](std::uint64_t id, const Entry& entry) {
    if (entry.finished) return entry.cost;
    const auto predicted = predicted_cost.find(id);
    return predicted == predicted_cost.end() ? 0.0 : predicted->second;
  };
  double sum = unsuggested_total();
  if (accounting_ == Accounting::sum) {
    for (const auto& [id, entry] : entries_) sum += cost_of(id, entry);
    return sum;
  }
  if (execution_ == Execution::synchronous) {
    std::map<std::uint64_t, double> longest;
    for (const auto& [id, entry] : entries_) {
      double& batch = longest[entry.batch];
      batch = std::max(batch, cost_of(id, entry));
    }
    for (const auto& [batch, cost] : longest) sum += cost;
    return sum;
  }
  std::vector<double> slot_time(slots_, 0.0);
  for (const auto& [id, entry] : entries_) slot_time[entry.slot] += cost_of(id, entry);
  return sum + *std::max_element(slot_time.begin(), slot_time.end());
}

double Ledger::unsuggested_total() const {
  double sum = 0;
  for (const double cost : unsuggested_) sum += cost;
  return sum;
}

std::size_t Ledger::next_slot() const {
  std::vector<double> slot_time(slots_, 0.0);
  std::vector<std::size_t> running(slots_, 0);
  for (const auto& [id, entry] : entries_) {
    slot_time[entry.slot] += entry.cost;
    running[entry.slot] += entry.finished ? 0 : 1;
  }
  std::size_t best = 0;
  for (std::size_t slot = 1; slot < slots_; ++slot) {
    if (std::pair(running[slot], slot_time[slot]) < std::pair(running[best], slot_time[best])) best = slot;
  }
  return best;
}

}  // namespace carbo::internal
