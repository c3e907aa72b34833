#pragma once

#include <cuda_runtime_api.h>
#include <cusolverDn.h>

#include "backend/cuda/upload.hpp"

namespace carbo::internal {

/// A cuSOLVER handle whose results are deterministic, in float64 as the device has it. Throws where it cannot be
/// made.
cusolverDnHandle_t make_solver(cudaStream_t stream);

/// A stream beside the context's own, with a cuSOLVER handle: its work begins after what the other stream held when
/// it was forked, and what that gets after it was joined comes after this one's.
class SolverLane {
 public:
  SolverLane();
  /// Waits for its work.
  ~SolverLane();
  SolverLane(const SolverLane&) = delete;
  SolverLane& operator=(const SolverLane&) = delete;

  cudaStream_t stream() const { return stream_; }
  cusolverDnHandle_t solver() const { return solver_; }
  cudaError_t fork_from(cudaStream_t stream) const;
  cudaError_t join_to(cudaStream_t stream) const;

 private:
  cudaStream_t stream_ = nullptr;
  cusolverDnHandle_t solver_ = nullptr;
  Event before_, done_;
};

}  // namespace carbo::internal
