#include "engine/ledger.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "support/room.hpp"

namespace carbo::internal {
namespace {

/// Sums that pass it stay there, so that what is reported is a number.
constexpr double largest = std::numeric_limits<double>::max();

}  // namespace

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

void Ledger::start(std::span<const std::uint64_t> ids, std::span<const std::size_t> slots) {
  const auto slot_of = [&](std::size_t i) {
    if (execution_ == Execution::asynchronous) return slots_by_load({}).front().index;
    return slots.empty() ? i : slots[i];
  };
  open();
  const double started = now();
  try {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const std::size_t slot = slot_of(i);
      slot_times_.resize(std::max(slot_times_.size(), slot + 1));
      entries_[ids[i]] = {batches_, slot, started, 0.0, false};
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

void Ledger::add_unsuggested(double cost, const ToldPlace& place) {
  const bool asynchronous = execution_ == Execution::asynchronous;
  if (accounting_ == Accounting::wall_clock && started_) cost = 0;
  // What can fail: a slot with no time in it is none, and the batch comes last.
  make_room(unsuggested_, 1);
  if (place.slot) told_slots_.try_emplace(*place.slot, 0.0);
  double own_slot = 0;
  double* queue = &own_slot;
  if (place.batch && place.slot && !asynchronous)
    queue = &told_queues_.try_emplace({*place.batch, *place.slot}, 0.0).first->second;
  if (place.batch) {
    double& longest = told_batches_[*place.batch];
    *queue += cost;
    longest = std::max(longest, *queue);
    batches_ = std::max(batches_, *place.batch + 1);
  }
  if (place.slot) told_slots_.find(*place.slot)->second += cost;
  const bool beside_others = asynchronous ? place.slot.has_value() : place.batch.has_value();
  if (beside_others && accounting_ != Accounting::sum) return;
  unsuggested_.insert(std::upper_bound(unsuggested_.begin(), unsuggested_.end(), cost), cost);
}

Place Ledger::place(std::uint64_t id) const noexcept {
  const Entry& entry = entries_.find(id)->second;
  return {entry.batch, entry.slot};
}

bool Ledger::knows_batch(std::uint64_t batch) const {
  return told_batches_.contains(batch) ||
         std::ranges::any_of(entries_, [batch](const auto& one) { return one.second.batch == batch; });
}

double Ledger::spent() const {
  if (accounting_ == Accounting::wall_clock) return told_total() + (started_ ? now() : 0.0);
  return std::min(total({}), largest);
}

double Ledger::committed(const std::map<std::uint64_t, double>& predicted_cost) const {
  if (accounting_ != Accounting::wall_clock) return std::clamp(total(predicted_cost) - spent(), 0.0, largest);
  double longest = 0;
  for (const auto& [id, cost] : predicted_cost) {
    const double before = queued_before(id, predicted_cost);
    longest = std::max(longest, before + cost - (now() - entries_.at(id).started));
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
  if (accounting_ == Accounting::sum) {
    double sum = unsuggested_total();
    for (const auto& [id, entry] : entries_) sum += cost_of(id, entry, predicted_cost);
    return sum;
  }
  if (execution_ == Execution::synchronous) return total_of_rounds(predicted_cost);
  return unsuggested_total() + makespan(predicted_cost);
}

double Ledger::total_of_rounds(const std::map<std::uint64_t, double>& predicted_cost) const {
  double sum = unsuggested_total();
  for (const auto& [batch, longest] : told_batches_) sum += longest;
  std::uint64_t batch = 0;
  double longest = 0;     // of the batch, whose ids are neighbours, beyond what was told of it
  std::size_t slots = 0;  // of the batch
  for (const auto& [id, entry] : entries_) {
    if (entry.batch != batch) {
      sum += std::exchange(longest, 0.0);
      slots = 0;
    }
    batch = entry.batch;
    for (; slots <= entry.slot; ++slots) slot_times_[slots] = 0;
    double& queue = slot_times_[entry.slot];
    queue += cost_of(id, entry, predicted_cost);
    const auto told = told_batches_.find(batch);
    if (told == told_batches_.end()) {
      longest = std::max(longest, queue);
    } else {
      const auto before = told_queues_.find({batch, entry.slot});
      longest = std::max(longest, queue + (before == told_queues_.end() ? 0.0 : before->second) - told->second);
    }
  }
  return sum + longest;
}

double Ledger::makespan(const std::map<std::uint64_t, double>& predicted_cost) const {
  std::fill(slot_times_.begin(), slot_times_.end(), 0.0);
  for (const auto& [slot, time] : told_slots_) {
    if (slot < slots_) slot_times_[slot] += time;
  }
  for (const auto& [id, entry] : entries_) slot_times_[entry.slot] += cost_of(id, entry, predicted_cost);
  return std::max(*std::max_element(slot_times_.begin(), slot_times_.end()), busiest_told_slot());
}

double Ledger::queued_before(std::uint64_t id, const std::map<std::uint64_t, double>& predicted_cost) const {
  if (execution_ == Execution::asynchronous) return 0;
  auto one = entries_.find(id);
  const Entry& own = one->second;
  double sum = 0;
  while (one != entries_.begin() && (--one)->second.batch == own.batch) {
    if (one->second.slot == own.slot) sum += cost_of(one->first, one->second, predicted_cost);
  }
  return sum;
}

double Ledger::unsuggested_total() const {
  double sum = 0;
  for (const double cost : unsuggested_) sum += cost;
  return sum;
}

double Ledger::busiest_told_slot() const {
  double busiest = 0;
  for (const auto& [slot, time] : told_slots_) busiest = std::max(busiest, time);
  return busiest;
}

double Ledger::told_total() const {
  if (execution_ == Execution::asynchronous) return unsuggested_total() + busiest_told_slot();
  double sum = unsuggested_total();
  for (const auto& [batch, longest] : told_batches_) sum += longest;
  return sum;
}

std::vector<Ledger::Slot> Ledger::slots_by_load(const std::map<std::uint64_t, double>& predicted_cost) const {
  std::vector<Slot> slots(slots_);
  for (std::size_t i = 0; i < slots_; ++i) slots[i].index = i;
  for (const auto& [slot, time] : told_slots_) {
    if (slot < slots_) slots[slot].time += time;
  }
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
