#pragma once

#include <vector>

#include <cuda_runtime_api.h>

#include "device/contender_view.hpp"
#include "device/device_views.hpp"
#include "device/response_view.hpp"
#include "device/screen_view.hpp"
#include "device/substitution_view.hpp"

namespace carbo::kernels {

/// GPs whose means become exact.
struct ExactList {
  const ResponseTask* tasks = nullptr;  ///< device memory
  int count = 0;
};

/// launch_substitution over all rows. Before a variance is stored, listed candidates are brought up to date as by
/// launch_responses, and means of theirs that are bounds become exact: those of launch_posterior without a screen, to
/// the bit.
cudaError_t launch_finish(cudaStream_t stream, const CandidateView& candidates, const CandidateList& list,
                          const ExactList& exact, const SubstitutionTask* tasks, int task_count, int rows,
                          const SubstitutionView& room, WorkCounters* counters);

/// launch_substitution over `rows` rows or, where variances are chosen to be in float32, bounds from above on what it
/// computes, where these are lower than what is there. `screens`: of the same GPs, with as many rows of L⁻¹.
cudaError_t launch_tighten(cudaStream_t stream, const CandidateView& candidates, const CandidateList& list,
                           const SubstitutionTask* tasks, const ScreenTask* screens, int task_count, int rows,
                           const SubstitutionView& room, WorkCounters* counters);

void add_finish_kernels(std::vector<const void*>& kernels);

}  // namespace carbo::kernels
