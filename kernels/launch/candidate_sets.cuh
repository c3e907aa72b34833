#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <cuda_runtime_api.h>

#include "device/device_views.hpp"

namespace carbo::kernels {

/// All pointers are device memory.

/// From rows to coordinates: element (r, c) of the row-major matrix goes to target[c · stride + r].
cudaError_t launch_by_column(cudaStream_t stream, const double* row_major, std::size_t rows, std::size_t columns,
                             double* target, std::size_t stride);

/// Sets mask[i] to `value` for each of the indices.
cudaError_t launch_mark(cudaStream_t stream, std::uint8_t* mask, const std::uint64_t* indices, std::size_t count,
                        std::uint8_t value);

/// nearest[i] becomes the least squared distance of candidate i to the points (count × columns, row-major), and to
/// those before unless `afresh`; infinite where there are none. Sums run over the coordinates in order.
cudaError_t launch_nearest(cudaStream_t stream, const CandidateView& candidates, const double* points,
                           std::size_t count, bool afresh, double* nearest);

/// Lowers `first` to row · columns + column of the first value that is not in [0, 1], if any; NaN is not.
cudaError_t launch_first_outside_cube(cudaStream_t stream, const CandidateView& candidates, std::uint64_t* first);

/// `count` rows as row-major doubles: those of `rows`, or the first ones where it is null.
cudaError_t launch_read_rows(cudaStream_t stream, const CandidateView& candidates, const std::uint64_t* rows,
                             std::size_t count, double* target);

/// Room that launch_largest needs.
inline constexpr std::size_t largest_partials = 256;
/// The greatest of `count` > 0 values, none of them NaN.
cudaError_t launch_largest(cudaStream_t stream, const double* values, std::size_t count, double* partials,
                           double* largest);

void add_candidate_kernels(std::vector<const void*>& kernels);

}  // namespace carbo::kernels
