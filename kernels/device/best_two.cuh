#pragma once

#include "device/contender_view.hpp"

namespace carbo::kernels {

__device__ inline BestTwo no_best() { return {{-HUGE_VAL, -HUGE_VAL}, {no_candidate, no_candidate}}; }

/// Whether (score, index) comes before another; nobody comes before no_candidate only.
__device__ inline bool comes_before(double score, std::uint32_t index, double other, std::uint32_t other_index) {
  if (other_index == no_candidate) return index != no_candidate;
  return index != no_candidate && (score > other || (score == other && index < other_index));
}

/// NaN is passed over.
__device__ inline void offer(BestTwo& best, double score, std::uint32_t index) {
  if (isnan(score)) return;
  if (comes_before(score, index, best.score[0], best.index[0])) {
    best.score[1] = best.score[0];
    best.index[1] = best.index[0];
    best.score[0] = score;
    best.index[0] = index;
  } else if (comes_before(score, index, best.score[1], best.index[1])) {
    best.score[1] = score;
    best.index[1] = index;
  }
}

__device__ inline void offer(BestTwo& best, const BestTwo& more) {
  offer(best, more.score[0], more.index[0]);
  offer(best, more.score[1], more.index[1]);
}

/// The best two over all threads of a block of bound_block, for thread 0. The result does not depend on any order.
__device__ inline BestTwo block_best(BestTwo own, BestTwo (&room)[bound_block]) {
  room[threadIdx.x] = own;
  __syncthreads();
  for (int half = bound_block / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      offer(own, room[threadIdx.x + half]);
      room[threadIdx.x] = own;
    }
    __syncthreads();
  }
  return own;
}

/// The best of `count` partial results; all threads of a block of bound_block call it.
__device__ inline void reduce_parts(const BestTwo* parts, std::size_t count, const BestTarget& target,
                                    BestTwo (&room)[bound_block]) {
  BestTwo own = no_best();
  if (target.keep && threadIdx.x == 0) own = target.state->best;
  for (std::size_t i = threadIdx.x; i < count; i += bound_block) offer(own, parts[i]);
  own = block_best(own, room);
  if (threadIdx.x != 0) return;
  target.state->best = own;
  const std::uint32_t last = target.wanted == 1 ? own.index[0] : own.index[1];
  const double least = last == no_candidate ? -HUGE_VAL : (target.wanted == 1 ? own.score[0] : own.score[1]);
  target.state->threshold = least > target.floor ? least : target.floor;
}

}  // namespace carbo::kernels
