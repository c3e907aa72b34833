#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <cuda_runtime_api.h>

#include "formulas/axis_map.hpp"

namespace carbo::kernels {

/// Encoded coordinates of `count` Sobol points, by coordinate: coordinate c of point j of these goes to
/// target[c · stride + j]. Point j has index indices[j] or, where `indices` is null, first + j, below 2^32. `axes`,
/// one a parameter, `indices` and `target` are device memory.
cudaError_t launch_sobol_rows(cudaStream_t stream, const SobolAxis* axes, int axis_count, std::uint32_t first,
                              const std::uint32_t* indices, std::size_t count, double* target, std::size_t stride);

void add_sobol_kernels(std::vector<const void*>& kernels);

}  // namespace carbo::kernels
