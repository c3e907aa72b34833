// cuSOLVER: potrfBatched and potrsBatched. Both use the other triangle of each matrix as scratch (documented), so it
// comes back poisoned.
#include <cstdlib>
#include <cstring>
#include <limits>

#include "cusolver_cholesky.hpp"

namespace standin {
namespace {

bool goes_wrong() {
  const char* const word = std::getenv("EMULATOR_BATCHED_CHOLESKY");
  return word != nullptr && std::strcmp(word, "wrong") == 0;
}

template <class T>
cusolverStatus_t potrf_batched(const char* call, cusolverDnHandle_t handle, cublasFillMode_t uplo, Index n, T** a,
                               Index lda, int* infos, Index count) {
  if (const cusolverStatus_t status = enter(call, handle)) return status;
  if (!valid_matrix(uplo, n, lda) || count < 1) return CUSOLVER_STATUS_INVALID_VALUE;
  return submit(handle, call, times(count, factor_work<T>(n)), [=] {
    T* const* matrices = device_array(a, count, call, "array of A");
    int* results = device_array(infos, count, call, "infoArray");
    for (Index i = 0; i < count; ++i) {
      T* matrix = device_matrix(matrices[i], n, n, lda, call, "A");
      results[i] = kernels::potrf(uplo, n, matrix, lda);
      if (i == 0 && n > 0 && goes_wrong()) matrix[(n - 1) * (lda + 1)] = std::numeric_limits<T>::quiet_NaN();
      poison_other_triangle(uplo, n, matrix, lda);
    }
  });
}

template <class T>
cusolverStatus_t potrs_batched(const char* call, cusolverDnHandle_t handle, cublasFillMode_t uplo, Index n,
                               Index nrhs, T** a, Index lda, T** b, Index ldb, int* info, Index count) {
  if (const cusolverStatus_t status = enter(call, handle)) return status;
  if (!valid_matrix(uplo, n, lda) || nrhs < 0 || !valid_leading_dimension(ldb, n) || count < 0) {
    return CUSOLVER_STATUS_INVALID_VALUE;
  }
  if (nrhs != 1) emulator::defect("%s: nrhs is %lld; only one right-hand side is supported", call, (long long)nrhs);
  return submit(handle, call, times(2 * count, triangular_work<T>(n, nrhs)), [=] {
    // One info for the whole batch: it tells of arguments only, never of a matrix.
    store_info(call, info, 0);
    T* const* factors = device_array(a, count, call, "array of A");
    T* const* solutions = device_array(b, count, call, "array of B");
    for (Index i = 0; i < count; ++i) {
      T* factor = device_matrix(factors[i], n, n, lda, call, "A");
      T* solution = device_matrix(solutions[i], n, nrhs, ldb, call, "B");
      kernels::potrs(uplo, n, nrhs, factor, lda, solution, ldb);
      poison_other_triangle(uplo, n, factor, lda);
    }
  });
}

}  // namespace
}  // namespace standin

#define STANDIN_POTRF_BATCHED(SYMBOL, T)                                                                       \
  extern "C" cusolverStatus_t SYMBOL(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T* A[], int lda, \
                                     int* infos, int count) {                                                  \
    return standin::potrf_batched<T>(#SYMBOL, handle, uplo, n, A, lda, infos, count);                          \
  }

#define STANDIN_POTRS_BATCHED(SYMBOL, T)                                                                        \
  extern "C" cusolverStatus_t SYMBOL(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, int nrhs, T* A[], \
                                     int lda, T* B[], int ldb, int* info, int count) {                          \
    return standin::potrs_batched<T>(#SYMBOL, handle, uplo, n, nrhs, A, lda, B, ldb, info, count);              \
  }

STANDIN_SOLVER_EXPORT(STANDIN_POTRF_BATCHED, potrfBatched)
STANDIN_SOLVER_EXPORT(STANDIN_POTRS_BATCHED, potrsBatched)
