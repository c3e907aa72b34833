#pragma once

#include <cstddef>
#include <vector>

#include <cuda_runtime_api.h>

#include "device/device_views.hpp"
#include "device/screen_view.hpp"

namespace carbo::kernels {

/// Means of candidates [begin, end) by the tasks that are chosen to be looked at in pairs.
cudaError_t launch_pair_screens(cudaStream_t stream, const CandidateView& candidates, const ScreenTask* tasks,
                                int task_count, std::size_t begin, std::size_t end);

void add_pair_screen_kernels(std::vector<const void*>& kernels);

}  // namespace carbo::kernels
