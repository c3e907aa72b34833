// cuSOLVER's 64-bit interface: Xpotrf and Xpotrs. Data types are arguments, sizes are in bytes, and there is a second
// workspace in host memory.
#include "cusolver_cholesky.hpp"

namespace standin {
namespace {

std::size_t device_workspace(Index n, cudaDataType type) {
  return static_cast<std::size_t>(factor_workspace(n)) * element_size(type);
}

}  // namespace
}  // namespace standin

using namespace standin;

extern "C" cusolverStatus_t cusolverDnXpotrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                                        cublasFillMode_t uplo, int64_t n, cudaDataType dataTypeA,
                                                        const void*, int64_t lda, cudaDataType computeType,
                                                        size_t* bytesOnDevice, size_t* bytesOnHost) {
  const char* call = "cusolverDnXpotrf_bufferSize";
  if (const cusolverStatus_t status = enter(call, handle)) return status;
  if (!valid_params(call, params) || !valid_matrix(uplo, n, lda)) return CUSOLVER_STATUS_INVALID_VALUE;
  if (bytesOnDevice == nullptr || bytesOnHost == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  require_real(call, dataTypeA);
  if (computeType != dataTypeA) return CUSOLVER_STATUS_INVALID_VALUE;
  *bytesOnDevice = device_workspace(n, dataTypeA);
  *bytesOnHost = host_workspace(n);
  return CUSOLVER_STATUS_SUCCESS;
}

extern "C" cusolverStatus_t cusolverDnXpotrf(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             cublasFillMode_t uplo, int64_t n, cudaDataType dataTypeA, void* A,
                                             int64_t lda, cudaDataType computeType, void* bufferOnDevice,
                                             size_t bytesOnDevice, void* bufferOnHost, size_t bytesOnHost,
                                             int* info) {
  const char* call = "cusolverDnXpotrf";
  if (const cusolverStatus_t status = enter(call, handle)) return status;
  if (!valid_params(call, params) || !valid_matrix(uplo, n, lda)) return CUSOLVER_STATUS_INVALID_VALUE;
  require_real(call, dataTypeA);
  if (computeType != dataTypeA) return CUSOLVER_STATUS_INVALID_VALUE;
  check_device_workspace(call, bufferOnDevice, bytesOnDevice, device_workspace(n, dataTypeA));
  check_host_workspace(call, bufferOnHost, bytesOnHost, host_workspace(n));
  if (dataTypeA == CUDA_R_32F) {
    return submit_factor(handle, call, uplo, n, static_cast<float*>(A), lda, static_cast<float*>(bufferOnDevice),
                         info);
  }
  return submit_factor(handle, call, uplo, n, static_cast<double*>(A), lda, static_cast<double*>(bufferOnDevice),
                       info);
}

extern "C" cusolverStatus_t cusolverDnXpotrs(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             cublasFillMode_t uplo, int64_t n, int64_t nrhs, cudaDataType dataTypeA,
                                             const void* A, int64_t lda, cudaDataType dataTypeB, void* B, int64_t ldb,
                                             int* info) {
  const char* call = "cusolverDnXpotrs";
  if (const cusolverStatus_t status = enter(call, handle)) return status;
  if (!valid_params(call, params) || !valid_matrix(uplo, n, lda)) return CUSOLVER_STATUS_INVALID_VALUE;
  if (nrhs < 0 || !valid_leading_dimension(ldb, n)) return CUSOLVER_STATUS_INVALID_VALUE;
  require_real(call, dataTypeA);
  if (dataTypeB != dataTypeA) return CUSOLVER_STATUS_INVALID_VALUE;
  if (dataTypeA == CUDA_R_32F) {
    return submit_solve(handle, call, uplo, n, nrhs, static_cast<const float*>(A), lda, static_cast<float*>(B), ldb,
                        info);
  }
  return submit_solve(handle, call, uplo, n, nrhs, static_cast<const double*>(A), lda, static_cast<double*>(B), ldb,
                      info);
}
