#pragma once

#include <cstddef>
#include <limits>
#include <map>

#include "evaluation/evaluation_workers.hpp"

namespace carbo::internal {

/// What waits, slot by slot, behind the evaluations of a synchronous round that run. Once it is filled, nothing here
/// needs memory.
class SlotQueues {
 public:
  using Tasks = EvaluationWorkers::Tasks;

  SlotQueues() = default;
  /// `share`: what the evaluations of each slot, the one that runs included, may cost together.
  explicit SlotQueues(double share) : share_(share) {}

  /// At the end of its slot's queue.
  void add(std::size_t slot, Job job);
  /// An evaluation of `slot` ended after `cost`: the task that begins now, kept to what is left of the share; empty
  /// where nothing waits or nothing is left for it.
  Tasks next(std::size_t slot, double cost) noexcept;
  /// Whether what waits in `slot` cannot begin any more.
  bool spent(std::size_t slot) const noexcept;
  /// Takes out what waits in `slot`, or everything.
  Tasks take(std::size_t slot) noexcept;
  Tasks take_all() noexcept;
  /// Tasks that wait.
  std::size_t size() const noexcept;

 private:
  struct Queue {
    Tasks tasks{};
    double used = 0;
  };

  double share_ = std::numeric_limits<double>::infinity();
  std::map<std::size_t, Queue> queues_;
};

}  // namespace carbo::internal
