#pragma once

#include "device/contender_view.hpp"

namespace carbo::kernels {

/// See IncumbentTarget; by one block of threads, all of which call it.
__device__ inline void follow_incumbents(const IncumbentTarget& target) {
  const bool follows = target.values != nullptr && target.before->state.best.index[0] != no_candidate;
  for (int i = static_cast<int>(threadIdx.x); follows && i < target.count; i += static_cast<int>(blockDim.x))
    if (target.values[i] < target.incumbents[i]) target.incumbents[i] = target.values[i];
  __syncthreads();
  if (threadIdx.x != 0) return;
  double sum = 0.0;
  for (int i = 0; i < target.count; ++i) sum += target.incumbents[i];
  target.record->incumbent = sum / target.count;
}

}  // namespace carbo::kernels
