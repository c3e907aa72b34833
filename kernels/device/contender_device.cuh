#pragma once

#include <cmath>

#include "device/bins.cuh"
#include "device/contender_view.hpp"

namespace carbo::kernels {

__device__ inline bool reaches(const ContenderView& contenders, double ceiling) {
  return ceiling > -HUGE_VAL && !(ceiling < contenders.state->threshold);
}

__device__ inline int age_class(const ContenderView& contenders, std::size_t candidate) {
  const std::uint32_t missed = contenders.now - contenders.versions[candidate];
  return missed == 0 ? 0 : min(age_classes - 1, 32 - __clz(static_cast<int>(missed)));
}

/// Of a ceiling that reaches the threshold; one bin for all where a bound is infinite.
__device__ inline int bin_of(const ContenderView& contenders, const ChunkRange& range, double ceiling) {
  const double width = range.highest - contenders.state->threshold;
  if (!(width > 0.0) || !(width < HUGE_VAL)) return 0;
  const double place = (range.highest - ceiling) / width * bin_count;
  return place > 0.0 ? min(bin_count - 1, static_cast<int>(place)) : 0;
}

/// Whether a candidate is in the list that is made; `range` may be null: whoever reaches the threshold.
__device__ inline bool is_kept(const ContenderView& contenders, const ChunkRange* range, double ceiling) {
  if (!reaches(contenders, ceiling)) return false;
  return range == nullptr || bin_of(contenders, *range, ceiling) <= range->last_bin;
}

/// Places of a list that a block of threads takes.
struct ListShare {
  std::size_t first;
  std::size_t end;
};

__device__ inline ListShare list_share(std::size_t size, unsigned block) {
  const std::size_t each = (size + gridDim.x - 1) / gridDim.x;
  const std::size_t first = each * block;
  return {first < size ? first : size, first + each < size ? first + each : size};
}

/// What this block of threads has counted by class, for all others. All threads call it.
__device__ inline void store_counts(const unsigned (&own)[age_classes], const ContenderCounts& counts) {
  __syncthreads();
  if (threadIdx.x < age_classes) counts.counts[threadIdx.x * gridDim.x + blockIdx.x] = own[threadIdx.x];
}

}  // namespace carbo::kernels
