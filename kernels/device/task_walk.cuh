#pragma once

#include <cstddef>

namespace carbo::kernels {

/// Candidates [begin, end), `width` of them a block of threads at a time, under every task that `wanted(task)` names
/// to all threads alike: work(task, candidate), whose candidate may lie beyond the end. Ends with a barrier.
template <int width, class Wanted, class Work>
__device__ inline void walk_tasks(int task_count, std::size_t begin, std::size_t end, Wanted wanted, Work work) {
  const std::size_t blocks = (end - begin + width - 1) / width;
  for (std::size_t block = blockIdx.x; block < blocks; block += gridDim.x) {
    for (int t = 0; t < task_count; ++t) {
      if (!wanted(t)) continue;
      work(t, begin + block * width + threadIdx.x % width);
      __syncthreads();
    }
  }
}

}  // namespace carbo::kernels
