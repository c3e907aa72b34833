#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <cuda_runtime_api.h>

#include "device/device_views.hpp"
#include "launch/bounds.cuh"
#include "launch/screen.cuh"
#include "launch/substitution.cuh"

namespace carbo::kernels {

/// Rows of forward substitution that the first pass solves for every candidate.
inline constexpr int first_rows = 32;

/// Candidates of one launch where the caller does not say: 0.4 s with two GPs of 1,000 rows on a T4.
inline constexpr std::size_t most_pass_candidates = std::size_t{1} << 18;

/// One GP of a pass over all candidates: shift + scale · posterior mean (+ offset), and a bound on the variance from
/// the first rows.
struct PosteriorTask {
  GpView gp;
  double* means = nullptr;         ///< null: no means
  const double* offset = nullptr;  ///< added to the mean; may be null
  double shift = 0;
  double scale = 1;
  /// Bases null: no variance; where `solved` is not, a mean then counts as made of all rows.
  VarianceTarget target;
  const double* inverse_blocks = nullptr;  ///< where there is a variance
  const FirstLook* screened = nullptr;     ///< device memory; unless in_float64 a screen computes the means
};

/// Kernel row → mean and, where `with_variances` and a task asks for it, partial variance, without a matrix of n × m.
/// `tasks`: device memory. A mean whose
/// offset is where it goes itself adds what lies there. Where there are screens, means of what is chosen come out of
/// these, from below. `part`: candidates of a launch at most, a multiple of 128.
/// Clears nothing else: versions and reductions are the caller's.
cudaError_t launch_posterior(cudaStream_t stream, const CandidateView& candidates, const PosteriorTask* tasks,
                             int task_count, const ScreenList& screens, bool with_variances = true,
                             std::size_t part = most_pass_candidates);

void add_posterior_kernels(std::vector<const void*>& kernels);

}  // namespace carbo::kernels
