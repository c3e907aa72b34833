#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "support/thread_pool.hpp"

namespace carbo::internal {

/// Algorithm 1's race. Excludes the dearest of `entrants`, then the closest, and so on in turn until one is left, and
/// returns it. Ties in cost go closest first, ties in distance dearest first, then the highest index first.
/// `entrants` ascend; `log_costs` and `squared_distances` are indexed by candidate and hold no NaN. O(m log m).
std::size_t run_race(ThreadPool& pool, std::span<const std::uint32_t> entrants, std::span<const double> log_costs,
                     std::span<const double> squared_distances);

}  // namespace carbo::internal
