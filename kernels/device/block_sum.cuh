#pragma once

namespace carbo::kernels {

/// Sum of `value` over a block of `threads` threads (a power of two), in an order that is always the same; every
/// thread gets it. All threads must call. `scratch` is shared memory and may be used again right after the call.
template <int threads>
__device__ double block_sum(double value, double (&scratch)[threads]) {
  static_assert((threads & (threads - 1)) == 0);
  const int thread = static_cast<int>(threadIdx.x);
  scratch[thread] = value;
  __syncthreads();
  for (int half = threads / 2; half > 0; half /= 2) {
    if (thread < half) scratch[thread] += scratch[thread + half];
    __syncthreads();
  }
  const double sum = scratch[0];
  __syncthreads();
  return sum;
}

}  // namespace carbo::kernels
