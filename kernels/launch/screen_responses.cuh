#pragma once

#include <vector>

#include <cuda_runtime_api.h>

#include "device/device_views.hpp"
#include "launch/responses.cuh"
#include "launch/screen.cuh"

namespace carbo::kernels {

/// What launch_responses does, by responses in float32 or its pairs, for those listed candidates whose means are
/// bounds: these fall by what a response may err by, and reductions rise by no more than they must. `screens`: of the
/// same GPs in their order. `tasks` and `screens`: device memory.
cudaError_t launch_screen_responses(cudaStream_t stream, const CandidateView& candidates, const CandidateList& list,
                                    const ResponseTask* tasks, const ScreenList& screens, int task_count,
                                    int resident, WorkCounters* counters);

void add_screen_response_kernels(std::vector<const void*>& kernels);

}  // namespace carbo::kernels
