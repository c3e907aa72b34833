#include "backend/cuda/cuda_error.hpp"

#include <carbo/error.hpp>

namespace carbo::internal {

bool is_sticky(cudaError_t error) {
  switch (error) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorAssert:
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorContained:
    case cudaErrorTensorMemoryLeak:
    case cudaErrorMpsRpcFailure:
    case cudaErrorExternalDevice:
    case cudaErrorUnknown:
      return true;
    default:
      return false;
  }
}

void throw_if_failed(cudaError_t error, const std::string& what) {
  if (error == cudaSuccess) return;
  cudaGetLastError();
  const std::string message = what + ": " + cudaGetErrorName(error) + " (" + cudaGetErrorString(error) + ")";
  if (error == cudaErrorMemoryAllocation)
    throw OutOfMemory(message + "; give fewer candidates or a smaller backend.memory_bytes");
  throw DeviceError(is_sticky(error) ? message + "; the device cannot be used again by this process" : message);
}

void throw_if_failed(cublasStatus_t status, const std::string& what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  cudaGetLastError();
  const std::string message = what + ": " + cublasGetStatusName(status);
  if (status == CUBLAS_STATUS_ALLOC_FAILED) throw OutOfMemory(message);
  throw DeviceError(message);
}

void throw_if_failed(cusolverStatus_t status, const std::string& what) {
  if (status == CUSOLVER_STATUS_SUCCESS) return;
  cudaGetLastError();
  const std::string message = what + ": cusolverStatus " + std::to_string(static_cast<int>(status));
  if (status == CUSOLVER_STATUS_ALLOC_FAILED) throw OutOfMemory(message);
  throw DeviceError(message);
}

}  // namespace carbo::internal
