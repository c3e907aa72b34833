#include "backend/cuda/solver_lane.hpp"

#include "backend/cuda/cuda_error.hpp"

namespace carbo::internal {

cusolverDnHandle_t make_solver(cudaStream_t stream) {
  cusolverDnHandle_t solver = nullptr;
  throw_if_failed(cusolverDnCreate(&solver), "making a cuSOLVER handle");
  try {
    throw_if_failed(cusolverDnSetStream(solver, stream), "cusolverDnSetStream");
    throw_if_failed(cusolverDnSetMathMode(solver, CUSOLVER_DEFAULT_MATH), "cusolverDnSetMathMode");
    throw_if_failed(cusolverDnSetDeterministicMode(solver, CUSOLVER_DETERMINISTIC_RESULTS),
                    "cusolverDnSetDeterministicMode");
  } catch (...) {
    cusolverDnDestroy(solver);
    throw;
  }
  return solver;
}

SolverLane::SolverLane() {
  throw_if_failed(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream for factors");
  try {
    solver_ = make_solver(stream_);
  } catch (...) {
    ignore_failure(cudaStreamDestroy(stream_));
    throw;
  }
}

SolverLane::~SolverLane() {
  ignore_failure(cudaStreamSynchronize(stream_));
  cusolverDnDestroy(solver_);
  ignore_failure(cudaStreamDestroy(stream_));
}

cudaError_t SolverLane::fork_from(cudaStream_t stream) const {
  const cudaError_t error = cudaEventRecord(before_.get(), stream);
  return error == cudaSuccess ? cudaStreamWaitEvent(stream_, before_.get()) : error;
}

cudaError_t SolverLane::join_to(cudaStream_t stream) const {
  const cudaError_t error = cudaEventRecord(done_.get(), stream_);
  return error == cudaSuccess ? cudaStreamWaitEvent(stream, done_.get()) : error;
}

}  // namespace carbo::internal
