#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <cuda_runtime_api.h>

#include "device/device_views.hpp"
#include "launch/substitution.cuh"

namespace carbo::kernels {

/// A GP with fantasised points and the posterior over all candidates that follows them.
struct ResponseTask {
  GpView gp;
  double* means = nullptr;  ///< fantasy f of candidate i: f · stride + i
  double* reductions = nullptr;
  std::uint32_t* versions = nullptr;  ///< fantasised points that a candidate has seen; null: all but the last
  std::size_t stride = 0;
};

/// Brings every listed candidate up to date with all fantasised points: r_t(x) = (k(x*,x) − k(X,x)ᵀβ) / ℓ for those
/// it has not seen, reduction += r², mean_f += r · z_f, in the order of the points. A candidate's result has the same
/// bits however the points are spread over calls. `tasks`: device memory, GPs of equal size. `counters` may be null.
cudaError_t launch_responses(cudaStream_t stream, const CandidateView& candidates, const CandidateList& list,
                             const ResponseTask* tasks, int task_count, int resident, WorkCounters* counters);

void add_response_kernels(std::vector<const void*>& kernels);

}  // namespace carbo::kernels
