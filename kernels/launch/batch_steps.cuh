#pragma once

#include <cstdint>
#include <vector>

#include <cuda_runtime_api.h>

#include "device/contender_view.hpp"
#include "device/device_views.hpp"

namespace carbo::kernels {

/// What improvement is measured from, `count` values, and their mean in `record`, summed in their order. Where
/// `values` is given, the values of the pick in `before` as they were fantasised, lower ones take the place of what
/// is there; not where nothing was picked.
cudaError_t launch_follow_incumbents(cudaStream_t stream, const PickRecord* before, const double* values,
                                     double* incumbents, int count, PickRecord* record);

void add_batch_kernels(std::vector<const void*>& kernels);

}  // namespace carbo::kernels
