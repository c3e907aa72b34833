#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <cuda_runtime_api.h>

#include "device/device_views.hpp"
#include "launch/bounds.cuh"
#include "launch/substitution.cuh"

namespace carbo::kernels {

/// Rows of forward substitution that the first pass solves for every candidate.
inline constexpr int first_rows = 32;

/// One GP of a pass over all candidates: shift + scale · posterior mean (+ offset), and a bound on the variance from
/// the first rows.
struct PosteriorTask {
  GpView gp;
  double* means = nullptr;         ///< null: no means
  const double* offset = nullptr;  ///< added to the mean; may be null
  double shift = 0;
  double scale = 1;
  VarianceTarget target;                   ///< bases null: no variance
  const double* inverse_blocks = nullptr;  ///< where there is a variance
};

/// Kernel row → mean and partial variance → where `bounds` is given, ceiling and block maxima, in one pass and
/// without a matrix of n × m. `tasks`: device memory. Clears nothing else: versions and reductions are the caller's.
cudaError_t launch_posterior(cudaStream_t stream, const CandidateView& candidates, const PosteriorTask* tasks,
                             int task_count, const BoundView* bounds, const BoundOutput& output);

void add_posterior_kernels(std::vector<const void*>& kernels);

}  // namespace carbo::kernels
