#pragma once

#include <vector>

#include <cuda_runtime_api.h>

#include "device/contender_view.hpp"

namespace carbo::kernels {

/// What improvement is measured from in a pick that follows no fantasised one.
cudaError_t launch_follow_incumbents(cudaStream_t stream, const IncumbentTarget& target);

void add_batch_kernels(std::vector<const void*>& kernels);

}  // namespace carbo::kernels
