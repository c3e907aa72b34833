#pragma once

#include <algorithm>
#include <cstddef>

#include "device/device_views.hpp"

namespace carbo::internal {

/// Issue slots of float64 arithmetic, 32 threads each, that a launch may take of every multiprocessor: a quarter of a
/// second on the slowest, which issue one in 16 cycles. A display's watchdog ends a launch of a few seconds, and the
/// device cannot be used again.
inline constexpr double slots_of_a_launch = 2e7;
/// A launch on a list of a search may take so many times as long: few lists are long, and every part is a launch
/// whether or not its list goes so far.
inline constexpr double longer_lists = 3;

/// Candidates of one launch that takes so many slots a candidate: whole blocks of threads, at least one for each
/// multiprocessor.
inline std::size_t candidates_of_a_launch(int multiprocessors, double slots_a_candidate,
                                          double slots = slots_of_a_launch) {
  constexpr std::size_t block = 128;
  constexpr double most = 4294967296.0;
  const double each = 32 * slots / std::max(1.0, slots_a_candidate);  // of a multiprocessor
  const auto blocks = static_cast<std::size_t>(std::min(most, each) / block);
  return block * std::max<std::size_t>(1, blocks) * static_cast<std::size_t>(std::max(1, multiprocessors));
}

/// Slots of one correlation.
inline double correlation_slots(int columns) { return 32.0 + 2.0 * columns; }

/// Candidates first … first + count alone.
inline kernels::CandidateView part_of(const kernels::CandidateView& all, std::size_t first, std::size_t count) {
  kernels::CandidateView part = all;
  const std::size_t bytes = all.single_precision ? sizeof(float) : sizeof(double);
  part.data = static_cast<const std::byte*>(all.data) + first * all.row_stride * bytes;
  part.size = count;
  return part;
}

/// work(first, count) over [0, size), `part` at a time.
template <class Work>
void in_parts(std::size_t size, std::size_t part, const Work& work) {
  for (std::size_t first = 0; first < size; first += part) work(first, std::min(part, size - first));
}

}  // namespace carbo::internal
