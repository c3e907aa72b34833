#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <cuda_runtime_api.h>

#include "device/contender_view.hpp"
#include "device/device_views.hpp"
#include "device/response_view.hpp"

namespace carbo::kernels {

/// Brings every listed candidate up to date with all fantasised points: r_t(x) = (k(x*,x) − k(X,x)ᵀβ) / ℓ for those
/// it has not seen, reduction += r², mean_f += r · z_f, in the order of the points. A candidate's result has the same
/// bits however the points are spread over calls. Does nothing where means are screened: bounds follow by
/// launch_screen_responses, others when they are looked at. `tasks`: device memory. `counters` may be null.
cudaError_t launch_responses(cudaStream_t stream, const CandidateView& candidates, const CandidateList& list,
                             const ResponseTask* tasks, int task_count, int resident, WorkCounters* counters);

void add_response_kernels(std::vector<const void*>& kernels);

}  // namespace carbo::kernels
