#pragma once

#include "device/block_order.cuh"
#include "device/contender_device.cuh"
#include "device/covariance_tile.cuh"

namespace carbo::kernels {

/// Those of a block's share of a list that keeps(candidate) names, behind those of the blocks that began before, in
/// their order: the list that all blocks of a launch make together. `turn` is this block's, of Threads threads, all
/// of which call it; keeps() is asked twice.
template <int Threads, class Keeps>
__device__ inline void keep_in_order(const CandidateList& list, const ListShare& share, unsigned turn,
                                     const BlockProgress& progress, const ListBuffer& kept, const Keeps& keeps) {
  constexpr int warp = 32, warps = Threads / warp;
  __shared__ unsigned in_warp[warps];
  const int lane = threadIdx.x % warp, own_warp = threadIdx.x / warp;
  unsigned own = 0;
  for (std::size_t place = share.first + threadIdx.x; place < share.end; place += Threads)
    own += keeps(list_at(list, place)) ? 1u : 0u;
  for (int step = warp / 2; step > 0; step /= 2) own += __shfl_down_sync(0xffffffffu, own, step);
  if (lane == 0) in_warp[own_warp] = own;
  __syncthreads();
  unsigned counted = 0;
  for (int w = 0; w < warps; ++w) counted += in_warp[w];
  std::uint64_t place_of = counted_before(progress, turn, counted);
  if (turn + 1 == gridDim.x && threadIdx.x == 0) *kept.count = place_of + counted;
  for (std::size_t start = share.first; start < share.end; start += Threads) {
    const std::size_t place = start + threadIdx.x;
    const std::size_t i = place < share.end ? list_at(list, place) : 0;
    const bool stays = place < share.end && keeps(i);
    const unsigned votes = __ballot_sync(0xffffffffu, stays);
    __syncthreads();
    if (lane == 0) in_warp[own_warp] = __popc(votes);
    __syncthreads();
    unsigned before = __popc(votes & ((1u << lane) - 1u)), all = 0;
    for (int w = 0; w < warps; ++w) {
      if (w < own_warp) before += in_warp[w];
      all += in_warp[w];
    }
    if (stays) kept.indices[place_of + before] = static_cast<std::uint32_t>(i);
    place_of += all;
  }
  end_turns(progress);
}

}  // namespace carbo::kernels
