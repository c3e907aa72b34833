#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "backend/cpu/race_criterion.hpp"
#include "backend/cpu/race_plan.hpp"
#include "support/thread_pool.hpp"

namespace carbo::internal {

/// The entrants of a race on the grid of cost bands × distance bands. `entrants` and `criteria` must outlive it.
class RaceGrid {
 public:
  RaceGrid(ThreadPool& pool, std::span<const std::uint32_t> entrants, const std::array<RaceCriterion, 2>& criteria);

  std::size_t bands() const { return bands_; }
  /// Whether the bands hold about equally many. If not, nothing is counted.
  bool even() const { return !counts_.empty(); }
  /// Entrants by cell.
  std::span<const std::uint32_t> counts() const { return counts_; }

  std::size_t count(const RacePlan& plan, RaceFate fate) const;
  /// Ascending.
  std::vector<std::uint32_t> collect(const RacePlan& plan, RaceFate fate) const;
  /// Sorts the tracked, which ascend, and finds the number of the others between them.
  std::array<PlannedOrder, 2> orders(const RacePlan& plan, std::span<const std::uint32_t> tracked) const;

 private:
  /// body(range, begin, end) on one range of entrants a thread.
  template <class Body>
  void for_ranges(const Body& body) const;

  std::vector<std::uint32_t> tracked_starts(const RacePlan& plan, std::size_t c) const;
  void count_untracked(const RacePlan& plan, std::span<const std::uint32_t> tracked,
                       std::array<PlannedOrder, 2>& orders) const;

  ThreadPool& pool_;
  std::span<const std::uint32_t> entrants_;
  const std::array<RaceCriterion, 2>& criteria_;
  std::size_t bands_;
  std::vector<std::uint32_t> cells_;  ///< by entrant
  std::vector<std::uint32_t> counts_;
};

}  // namespace carbo::internal
