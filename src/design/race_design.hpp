#pragma once

#include <cstddef>
#include <functional>

#include "backend/race_backend.hpp"

namespace carbo::internal {

/// What Algorithm 1 picks from, and what becomes of its picks.
struct RaceProblem {
  const CandidateSet& candidates;
  const Field& log_cost;
  std::size_t count = 1;
  /// Log of the highest cost that the next pick may have; asked once a pick, since what was picked may count.
  std::function<double()> log_cost_limit{};
  /// Whether the first pick is worth its place; absent: it is.
  std::function<bool(std::size_t row)> worth{};
  /// Takes a row out of what may be picked and makes it a point of the design.
  std::function<void(std::size_t row)> take{};
};

/// Picks point by point: the winner of a race is taken, and the next race knows it. Returns how many were found:
/// fewer than `count` where nothing is left within the limit, none where the first is not worth it.
std::size_t pick_design(RaceBackend& backend, const RaceProblem& problem);

}  // namespace carbo::internal
