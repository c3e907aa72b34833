#pragma once

#include <cmath>

#include "device/bins.cuh"
#include "device/contender_view.hpp"
#include "formulas/sort_keys.hpp"

namespace carbo::kernels {

/// How many threads of the block before this one say yes, and how many do in all. All threads call it.
template <int Threads>
__device__ inline unsigned before_in_block(bool yes, unsigned (&in_warp)[Threads / 32], unsigned& total) {
  constexpr int warp = 32;
  const int lane = threadIdx.x % warp;
  const int own_warp = threadIdx.x / warp;
  const unsigned votes = __ballot_sync(0xffffffffu, yes);
  __syncthreads();
  if (lane == 0) in_warp[own_warp] = __popc(votes);
  __syncthreads();
  unsigned before = __popc(votes & ((1u << lane) - 1u));
  total = 0;
  for (int w = 0; w < Threads / warp; ++w) {
    if (w < own_warp) before += in_warp[w];
    total += in_warp[w];
  }
  return before;
}

/// The key of the `most`-th lowest by digits of eight bits, highest first: who is below it is taken, and of those
/// that equal it the first `ties`.
struct KeyCut {
  std::uint64_t key;
  unsigned ties;
};

template <int Threads>
__device__ inline KeyCut cut_of(const std::uint64_t* keys, const std::uint32_t* indices, std::size_t count, int most,
                                BinStage& stage) {
  std::uint64_t key = 0, known = 0;
  unsigned left = static_cast<unsigned>(most);
  for (int shift = 56; shift >= 0; shift -= 8) {
    __syncthreads();
    for (int bin = threadIdx.x; bin < bin_count; bin += Threads) stage.bins[bin] = 0;
    __syncthreads();
    for (std::size_t i = threadIdx.x; i < count; i += Threads)
      if (indices[i] != no_candidate && (keys[i] & known) == key)
        atomicAdd(&stage.bins[static_cast<int>(keys[i] >> shift) & (bin_count - 1)], 1u);
    find_bin(stage, left);
    key |= static_cast<std::uint64_t>(stage.found) << shift;
    known |= static_cast<std::uint64_t>(bin_count - 1) << shift;
    left -= stage.before;
  }
  return {key, left};
}

/// See SeedTarget, by one block of Threads threads, all of which call it; `count` blocks of candidates.
template <int Threads>
__device__ inline void select_seeds(const BoundOutput& output, std::size_t count, const SeedTarget& target) {
  __shared__ BinStage stage;
  __shared__ unsigned in_warp[Threads / 32];
  const std::uint64_t* const keys = output.seed_keys;
  const std::uint32_t* const indices = output.seed_indices;
  __shared__ unsigned long long first;
  if (threadIdx.x == 0) first = descending_key(-HUGE_VAL);
  const KeyCut cut = cut_of<Threads>(keys, indices, count, target.most, stage);
  double own = -HUGE_VAL;
  for (std::size_t i = threadIdx.x; i < count; i += Threads) own = fmax(own, output.highest[i]);
  atomicMin(&first, static_cast<unsigned long long>(descending_key(own)));
  unsigned written = 0, equal = 0;
  for (std::size_t start = 0; start < count; start += Threads) {
    const std::size_t place = start + threadIdx.x;
    const bool valid = place < count && indices[place] != no_candidate;
    const std::uint64_t key = valid ? keys[place] : 0;
    unsigned ties = 0, taken = 0;
    const unsigned equals_before = before_in_block<Threads>(valid && key == cut.key, in_warp, ties);
    const bool takes = valid && (key < cut.key || (key == cut.key && equal + equals_before < cut.ties));
    const unsigned before = before_in_block<Threads>(takes, in_warp, taken);
    if (takes) target.seeds.indices[written + before] = indices[place];
    equal += ties;
    written += taken;
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  *target.seeds.count = written;
  *target.highest = value_of_descending_key(first);
}

}  // namespace carbo::kernels
