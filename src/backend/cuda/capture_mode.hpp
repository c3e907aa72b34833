#pragma once

#include <cuda_runtime_api.h>

#include "backend/cuda/cuda_error.hpp"

namespace carbo::internal {

/// While it lives, what this thread allocates leaves graphs alone that other threads capture in other streams: in the
/// runtime's usual mode an allocation anywhere makes them invalid. Our own stream is never captured (DeviceScope).
class RelaxedCapture {
 public:
  RelaxedCapture() noexcept {
    const cudaError_t error = cudaThreadExchangeStreamCaptureMode(&other_);
    changed_ = error == cudaSuccess;
    ignore_failure(error);
  }
  ~RelaxedCapture() {
    if (changed_) ignore_failure(cudaThreadExchangeStreamCaptureMode(&other_));
  }
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

 private:
  cudaStreamCaptureMode other_ = cudaStreamCaptureModeRelaxed;  ///< then the caller's
  bool changed_ = false;
};

}  // namespace carbo::internal
