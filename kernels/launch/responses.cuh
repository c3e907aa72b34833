#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <cuda_runtime_api.h>

#include "device/device_views.hpp"
#include "launch/substitution.cuh"

namespace carbo::kernels {

/// What makes a mean exact that was bounded from below; as in PosteriorTask, its background apart.
struct ExactMean {
  const std::uint32_t* screened = nullptr;  ///< device memory; null or 0: means are exact
  std::uint32_t* solved = nullptr;          ///< those of candidates with fewer rows than all are bounds
  bool marks = false;                       ///< `solved` becomes all rows: there is no variance that would do so
  GpView background;                        ///< no observed rows where there is none
  const double* offset = nullptr;
  double shift = 0;
  double scale = 1;
};

/// A GP with fantasised points and the posterior over all candidates that follows them.
struct ResponseTask {
  GpView gp;
  double* means = nullptr;  ///< fantasy f of candidate i: f · stride + i
  double* reductions = nullptr;
  std::uint32_t* versions = nullptr;  ///< fantasised points that a candidate has seen; null: all but the last
  std::size_t stride = 0;
  ExactMean exact;
};

/// Brings every listed candidate up to date with all fantasised points: r_t(x) = (k(x*,x) − k(X,x)ᵀβ) / ℓ for those
/// it has not seen, reduction += r², mean_f += r · z_f, in the order of the points. A candidate's result has the same
/// bits however the points are spread over calls. Does nothing where means are screened: bounds follow by
/// launch_screen_responses, others when they are looked at. `tasks`: device memory. `counters` may be null.
cudaError_t launch_responses(cudaStream_t stream, const CandidateView& candidates, const CandidateList& list,
                             const ResponseTask* tasks, int task_count, int resident, WorkCounters* counters);

/// The same, and means that are bounds become exact before: those of launch_posterior without a screen, to the bit.
cudaError_t launch_exact_means(cudaStream_t stream, const CandidateView& candidates, const CandidateList& list,
                               const ResponseTask* tasks, int task_count, int resident, WorkCounters* counters);

void add_response_kernels(std::vector<const void*>& kernels);

}  // namespace carbo::kernels
