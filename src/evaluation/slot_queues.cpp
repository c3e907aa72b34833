#include "evaluation/slot_queues.hpp"

#include <algorithm>
#include <utility>

namespace carbo::internal {

void SlotQueues::add(std::size_t slot, Job job) { queues_[slot].tasks.emplace_back(std::move(job)); }

SlotQueues::Tasks SlotQueues::next(std::size_t slot, double cost) noexcept {
  Tasks next;
  const auto found = queues_.find(slot);
  if (found == queues_.end()) return next;
  auto& [tasks, used] = found->second;
  used += cost;
  if (tasks.empty() || spent(slot)) return next;
  next.splice(next.end(), tasks, tasks.begin());
  Job& job = next.front().job;
  job.timeout = std::min(job.timeout, share_ - used);
  return next;
}

bool SlotQueues::spent(std::size_t slot) const noexcept {
  const auto found = queues_.find(slot);
  return found != queues_.end() && !(found->second.used < share_);
}

SlotQueues::Tasks SlotQueues::take(std::size_t slot) noexcept {
  Tasks taken;
  const auto found = queues_.find(slot);
  if (found != queues_.end()) taken.swap(found->second.tasks);
  return taken;
}

SlotQueues::Tasks SlotQueues::take_all() noexcept {
  Tasks taken;
  for (auto& [slot, queue] : queues_) taken.splice(taken.end(), queue.tasks);
  return taken;
}

std::size_t SlotQueues::size() const noexcept {
  std::size_t count = 0;
  for (const auto& [slot, queue] : queues_) count += queue.tasks.size();
  return count;
}

}  // namespace carbo::internal
