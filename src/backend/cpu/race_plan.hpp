#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "backend/cpu/race_criterion.hpp"

namespace carbo::internal {

/// The race's criteria, in the order of their turns.
constexpr std::size_t by_cost = 0;
constexpr std::size_t by_distance = 1;

/// What a plan expects of all candidates of a cell. The first two are the criterion that excludes them.
enum class RaceFate : std::uint8_t { cost_takes = by_cost, distance_takes = by_distance, stays, tracked };

/// How to run the first `turns` turns of a race without sorting all of it. Each criterion's order is cut into
/// `bands`, a power of 2; a cell (cost band, distance band) is element cost band · bands + distance band. A plan is a
/// guess: the walk proves it, turn by turn, or refuses it.
struct RacePlan {
  std::size_t bands = 1;
  std::size_t turns = 0;
  std::vector<RaceFate> fates;  ///< by cell
  /// By criterion and its band: bands of the other criterion that must be used up before this one is entered, so that
  /// nothing that this walk skips is still in. Ascends.
  std::array<std::vector<std::uint32_t>, 2> needs{};
  /// By criterion: the first band that must not be entered, because some of it stays.
  std::array<std::size_t, 2> closed{};

  static std::size_t band_of(std::size_t cell, std::size_t criterion, std::size_t bands) {
    return (cell >> (criterion == by_cost ? std::countr_zero(bands) : 0)) & (bands - 1);
  }
};

/// The order of one criterion as far as a plan needs it: the tracked one by one, and of those left to this criterion
/// only the number between two of the tracked, or between one and an end of its band.
struct PlannedOrder {
  std::vector<RaceEntry> tracked;
  std::vector<std::uint32_t> starts;  ///< by band, and at the end: its first place among the tracked
  std::vector<std::uint32_t> counts;  ///< element place + band: those in this band between place − 1 and place
};

/// Follows the two walks over the cells as if every band were well mixed. A cell is left to one criterion where that
/// is through with its band at least `margin` of its turns before the other comes to it. `counts` by cell; `turns`
/// even.
RacePlan plan_race(std::span<const std::uint32_t> counts, std::size_t bands, std::size_t turns, double margin);

}  // namespace carbo::internal
