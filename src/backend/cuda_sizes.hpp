#pragma once

#include <cstddef>

namespace carbo::internal {

/// What cuBLAS takes by itself below Hopper, where it takes 32 MiB: small, because small budgets must hold it, too.
inline constexpr std::size_t blas_workspace_bytes = std::size_t{4} << 20;
/// Blocks of device memory are rounded up to so many parts of their power of two, so that a block serves requests
/// that differ a little.
inline constexpr std::size_t block_parts = 8;

}  // namespace carbo::internal
