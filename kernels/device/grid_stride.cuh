#pragma once

#include <cstddef>

namespace carbo::kernels {

inline constexpr unsigned stride_threads = 256;

/// Thread t of the grid takes elements t, t + all threads, …: a grid of any size covers them all.
__device__ inline std::size_t first_element() {
  return static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ inline std::size_t element_step() { return static_cast<std::size_t>(gridDim.x) * blockDim.x; }

/// Blocks that one launch starts at most: a thread may take several elements.
inline constexpr std::size_t most_stride_blocks = std::size_t{1} << 20;

/// Blocks of `threads` for `elements`, at least one of which there is, but no more than `most`.
inline unsigned stride_blocks(std::size_t elements, std::size_t most = most_stride_blocks,
                              std::size_t threads = stride_threads) {
  const std::size_t blocks = (elements + threads - 1) / threads;
  return static_cast<unsigned>(blocks < most ? blocks : most);
}

}  // namespace carbo::kernels
