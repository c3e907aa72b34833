#pragma once

#include <string>

#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <cusolverDn.h>

namespace carbo::internal {

/// Whether every later call on the device will fail, too, until the process ends.
bool is_sticky(cudaError_t error);

/// Throw OutOfMemory where memory was short and DeviceError otherwise, naming what was being done and the error; they
/// clear the runtime's last error where it can be cleared.
void throw_if_failed(cudaError_t error, const std::string& what);
void throw_if_failed(cublasStatus_t status, const std::string& what);
void throw_if_failed(cusolverStatus_t status, const std::string& what);

/// For what must not throw: leaves no error behind that a later launch would be taken for.
inline void ignore_failure(cudaError_t error) noexcept {
  if (error != cudaSuccess) cudaGetLastError();
}

}  // namespace carbo::internal
