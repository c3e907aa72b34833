#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "support/thread_pool.hpp"

namespace carbo::internal {

/// Races of more entrants than this are thinned first; up to here two sorts are as quick.
constexpr std::size_t race_thin_above = 30000;

/// Algorithm 1's race. Excludes the dearest of `entrants`, then the closest, and so on in turn until one is left, and
/// returns it. Ties in cost go closest first, ties in distance dearest first, then the highest index first.
/// `entrants` ascend, one at least; `log_costs` and `squared_distances` are indexed by candidate and hold no NaN.
///
/// A large race sorts only those few of whom it is not plain which criterion will reach them first, and counts the
/// others, who still use up their turns: the pick is that of two full sorts, and takes about 5 bytes an entrant.
/// Where that does not pay (few distinct keys, or the dearest are nearly always the closest) it is two full sorts of
/// 64 bytes an entrant. Does not depend on the number of threads, nor does the pick on `thin_above`.
std::size_t run_race(ThreadPool& pool, std::span<const std::uint32_t> entrants, std::span<const double> log_costs,
                     std::span<const double> squared_distances, std::size_t thin_above = race_thin_above);

}  // namespace carbo::internal
