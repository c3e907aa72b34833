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
      clock_(std::move(clock)),
      slot_times_(slots) {}

void Ledger::open() {
  if (started_) return;
  started_ = true;
  start_time_ = clock_();
}

void Ledger::start(std::span<const std::uint64_t> ids) {
  open();
  const double started = now();
  try {
    for (const std::uint64_t id : ids) {
      const std::size_t slot = slots_by_load({}).front().index;
      entries_[id] = {batches_, slot, started, 0.0, false};
    }
  } catch (...) {
    for (const std::uint64_t id : ids) entries_.erase(id);
    throw;
  }
  ++batches_;
}

void Ledger::finish(std::uint64_t id, double cost) noexcept {
  Entry& entry = entries_.find(id)->second;
  entry.cost = cost;
  entry.finished = true;
}

void Ledger::withdraw(std::uint64_t id) noexcept { entries_.erase(id); }

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

double Ledger::room(double budget, const std::map<std::uint64_t, double>& predicted_cost,
                    std::size_t position) const {
  if (accounting_ == Accounting::wall_clock) return budget - spent();
  if (accounting_ == Accounting::longest && execution_ == Execution::asynchronous) {
    return budget - unsuggested_total() - slots_by_load(predicted_cost)[position % slots_].time;
  }
  return budget - total(predicted_cost);
}

double Ledger::cost_of(std::uint64_t id, const Entry& entry, const std::map<std::uint64_t, double>& predicted_cost) {
  if (entry.finished) return entry.cost;
  const auto predicted = predicted_cost.find(id);
  return predicted == predicted_cost.end() ? 0.0 : predicted->second;
}

double Ledger::now() const { return (clock_() - start_time_) / seconds_per_unit_; }

double Ledger::total(const std::map<std::uint64_t, double>& predicted_cost) const {
  double sum = unsuggested_total();
  if (accounting_ == Accounting::sum) {
    for (const auto& [id, entry] : entries_) sum += cost_of(id, entry, predicted_cost);
    return sum;
  }
  if (execution_ == Execution::synchronous) {
    std::uint64_t batch = 0;
    double longest = 0;  // of the batch, whose ids are neighbours
    for (const auto& [id, entry] : entries_) {
      if (entry.batch != batch) sum += std::exchange(longest, 0.0);
      batch = entry.batch;
      longest = std::max(longest, cost_of(id, entry, predicted_cost));
    }
    return sum + longest;
  }
  std::fill(slot_times_.begin(), slot_times_.end(), 0.0);
  for (const auto& [id, entry] : entries_) slot_times_[entry.slot] += cost_of(id, entry, predicted_cost);
  return sum + *std::max_element(slot_times_.begin(), slot_times_.end());
}

double Ledger::unsuggested_total() const {
  double sum = 0;
  for (const double cost : unsuggested_) sum += cost;
  return sum;
}

std::vector<Ledger::Slot> Ledger::slots_by_load(const std::map<std::uint64_t, double>& predicted_cost) const {
  std::vector<Slot> slots(slots_);
  for (std::size_t i = 0; i < slots_; ++i) slots[i].index = i;
  for (const auto& [id, entry] : entries_) {
    slots[entry.slot].time += cost_of(id, entry, predicted_cost);
    slots[entry.slot].running += entry.finished ? 0 : 1;
  }
  std::stable_sort(slots.begin(), slots.end(), [](const Slot& a, const Slot& b) {
    return a.running != b.running ? a.running < b.running : a.time < b.time;
  });
  return slots;
}

}  // namespace carbo::internal
