// cuSOLVER: potrf, potrs and potri on one matrix.
#include "cusolver_cholesky.hpp"

namespace standin {
namespace {

cusolverStatus_t workspace_size(const char* call, cusolverDnHandle_t handle, cublasFillMode_t uplo, Index n,
                                Index lda, Index (*elements)(Index), int* lwork) {
  if (const cusolverStatus_t status = enter(call, handle)) return status;
  if (!valid_matrix(uplo, n, lda) || lwork == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  *lwork = static_cast<int>(elements(n));
  return CUSOLVER_STATUS_SUCCESS;
}

// A negative lwork is less than any requirement, also as an unsigned number of bytes.
template <class T>
std::size_t bytes_of(Index elements) {
  return elements > 0 ? static_cast<std::size_t>(elements) * sizeof(T) : 0;
}

template <class T>
cusolverStatus_t potrf(const char* call, cusolverDnHandle_t handle, cublasFillMode_t uplo, Index n, T* a, Index lda,
                       T* workspace, Index lwork, int* info) {
  if (const cusolverStatus_t status = enter(call, handle)) return status;
  if (!valid_matrix(uplo, n, lda)) return CUSOLVER_STATUS_INVALID_VALUE;
  check_device_workspace(call, workspace, bytes_of<T>(lwork), bytes_of<T>(factor_workspace(n)));
  return submit_factor(handle, call, uplo, n, a, lda, workspace, info);
}

template <class T>
cusolverStatus_t potrs(const char* call, cusolverDnHandle_t handle, cublasFillMode_t uplo, Index n, Index nrhs,
                       const T* a, Index lda, T* b, Index ldb, int* info) {
  if (const cusolverStatus_t status = enter(call, handle)) return status;
  if (!valid_matrix(uplo, n, lda) || nrhs < 0 || !valid_leading_dimension(ldb, n)) {
    return CUSOLVER_STATUS_INVALID_VALUE;
  }
  return submit_solve(handle, call, uplo, n, nrhs, a, lda, b, ldb, info);
}

template <class T>
cusolverStatus_t potri(const char* call, cusolverDnHandle_t handle, cublasFillMode_t uplo, Index n, T* a, Index lda,
                       T* workspace, Index lwork, int* info) {
  if (const cusolverStatus_t status = enter(call, handle)) return status;
  if (!valid_matrix(uplo, n, lda)) return CUSOLVER_STATUS_INVALID_VALUE;
  check_device_workspace(call, workspace, bytes_of<T>(lwork), bytes_of<T>(inverse_workspace(n)));
  return submit(handle, call, times(2, factor_work<T>(n)), [=] {
    T* matrix = device_matrix(a, n, n, lda, call, "A");
    T* scratch = device_array(workspace, inverse_workspace(n), call, "workspace");
    check_apart(call, matrix, n, n, lda, scratch, inverse_workspace(n));
    poison(scratch, inverse_workspace(n));
    store_info(call, info, kernels::potri(uplo, n, matrix, lda));
  });
}

}  // namespace
}  // namespace standin

#define STANDIN_POTRF_SIZE(SYMBOL, T)                                                                      \
  extern "C" cusolverStatus_t SYMBOL(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T*, int lda, \
                                     int* lwork) {                                                         \
    return standin::workspace_size(#SYMBOL, handle, uplo, n, lda, standin::factor_workspace, lwork);       \
  }

#define STANDIN_POTRF(SYMBOL, T)                                                                             \
  extern "C" cusolverStatus_t SYMBOL(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T* A, int lda, \
                                     T* workspace, int lwork, int* info) {                                   \
    return standin::potrf<T>(#SYMBOL, handle, uplo, n, A, lda, workspace, lwork, info);                      \
  }

#define STANDIN_POTRS(SYMBOL, T)                                                                                    \
  extern "C" cusolverStatus_t SYMBOL(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, int nrhs, const T* A, \
                                     int lda, T* B, int ldb, int* info) {                                           \
    return standin::potrs<T>(#SYMBOL, handle, uplo, n, nrhs, A, lda, B, ldb, info);                                 \
  }

#define STANDIN_POTRI_SIZE(SYMBOL, T)                                                                      \
  extern "C" cusolverStatus_t SYMBOL(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T*, int lda, \
                                     int* lwork) {                                                         \
    return standin::workspace_size(#SYMBOL, handle, uplo, n, lda, standin::inverse_workspace, lwork);      \
  }

#define STANDIN_POTRI(SYMBOL, T)                                                                             \
  extern "C" cusolverStatus_t SYMBOL(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T* A, int lda, \
                                     T* workspace, int lwork, int* info) {                                   \
    return standin::potri<T>(#SYMBOL, handle, uplo, n, A, lda, workspace, lwork, info);                      \
  }

STANDIN_SOLVER_EXPORT(STANDIN_POTRF_SIZE, potrf_bufferSize)
STANDIN_SOLVER_EXPORT(STANDIN_POTRF, potrf)
STANDIN_SOLVER_EXPORT(STANDIN_POTRS, potrs)
STANDIN_SOLVER_EXPORT(STANDIN_POTRI_SIZE, potri_bufferSize)
STANDIN_SOLVER_EXPORT(STANDIN_POTRI, potri)
