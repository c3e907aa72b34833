#pragma once

#include <cstddef>
#include <vector>

#include <cuda_runtime_api.h>

#include "device/device_views.hpp"

namespace carbo::kernels {

/// Rows of L and of its inverse that kernels take together. L⁻¹ lies where L has no entries: block (r, c) of it, r >
/// c, in the place of block (c, r) of L's matrix, element (i, j) of the block at (32 r + j) · stride + 32 c + i.
/// Those of the diagonal are apart, one after the other, column-major. Both are zero beyond the last row.
inline constexpr int inverse_block = 32;

/// Doubles of the blocks on the diagonal.
inline std::size_t diagonal_blocks_size(std::size_t rows) {
  constexpr std::size_t block = inverse_block;
  return (rows + block - 1) / block * block * block;
}

/// L⁻¹ of the observed rows from block `first` of rows on. Each row of it is a solution of xᵀL = eᵀ of its own, so
/// that its bits do not depend on where the others were made. `lower`: the matrix of `gp`, with room for whole
/// blocks; `diagonal`: room for all blocks, of which those before `first` are there.
cudaError_t launch_inverse(cudaStream_t stream, const GpView& gp, double* lower, double* diagonal, int first);

void add_inverse_kernels(std::vector<const void*>& kernels);

}  // namespace carbo::kernels
