#pragma once

#include <cstddef>
#include <vector>

#include <cuda_runtime_api.h>

namespace carbo::kernels {

/// Copies one mean a candidate into each of `copies` rows of `size`: copy f of candidate i goes to
/// target[f · size + i]. Device memory.
cudaError_t launch_spread(cudaStream_t stream, const double* means, std::size_t size, std::size_t copies,
                          double* target);

void add_field_kernels(std::vector<const void*>& kernels);

}  // namespace carbo::kernels
