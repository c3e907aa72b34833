#pragma once

#include "device/bound_view.hpp"
#include "device/contender_view.hpp"

namespace carbo::kernels {

/// Whether this block of threads is the last of its launch to come here, for all of its threads: what all others
/// wrote before can then be read. `arrived` is 0 before a launch and after it.
__device__ inline bool is_last_block(unsigned* arrived) {
  __shared__ unsigned before;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    before = atomicAdd(arrived, 1u);
    if (before + 1 == gridDim.x) *arrived = 0;
  }
  __syncthreads();
  __threadfence();
  return before + 1 == gridDim.x;
}

/// The place of this block of threads in the order in which they began. All threads call it.
__device__ inline unsigned block_turn(const BlockProgress& progress) {
  __shared__ unsigned turn;
  if (threadIdx.x == 0) turn = atomicAdd(progress.begun, 1u);
  __syncthreads();
  return turn;
}

/// What the blocks of earlier turns have counted together, for all threads, after this one has told its own. A block
/// waits for blocks that have begun before it only.
__device__ inline std::uint64_t counted_before(const BlockProgress& progress, unsigned turn, unsigned own) {
  __shared__ unsigned long long before;
  if (threadIdx.x == 0) {
    before = 0;
    *static_cast<volatile unsigned*>(progress.counts + turn) = own + 1;
  }
  __syncthreads();
  unsigned long long sum = 0;
  for (unsigned other = threadIdx.x; other < turn; other += blockDim.x) {
    unsigned told = 0;
    while ((told = *static_cast<const volatile unsigned*>(progress.counts + other)) == 0) {
    }
    sum += told - 1;
  }
  if (sum > 0) atomicAdd(&before, sum);
  __syncthreads();
  return before;
}

/// The last block leaves everything as it was found. All threads call it.
__device__ inline void end_turns(const BlockProgress& progress) {
  if (!is_last_block(progress.arrived)) return;
  for (unsigned block = threadIdx.x; block < gridDim.x; block += blockDim.x) progress.counts[block] = 0;
  if (threadIdx.x == 0) *progress.begun = 0;
}

}  // namespace carbo::kernels
