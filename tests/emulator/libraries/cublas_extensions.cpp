// cuBLAS extensions that no BLAS has: geam (sum of two matrices) and dgmm (product with a diagonal matrix).
#include "cublas_handle.hpp"

namespace standin {
namespace {

template <class T>
cublasStatus_t geam(const char* call, cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                    Index m, Index n, const T* alpha, const T* a, Index lda, const T* beta, const T* b, Index ldb,
                    T* c, Index ldc) {
  if (const cublasStatus_t status = enter(call, handle)) return status;
  if (!valid(transa) || !valid(transb) || m < 0 || n < 0 || alpha == nullptr || beta == nullptr) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (!valid_leading_dimension(lda, stored_rows(transa, m, n)) ||
      !valid_leading_dimension(ldb, stored_rows(transb, m, n)) || !valid_leading_dimension(ldc, m)) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  if (c == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  // Documented: in place only where each element of C depends on the element in its own place.
  if (a == c && (transa != CUBLAS_OP_N || lda != ldc)) return CUBLAS_STATUS_INVALID_VALUE;
  if (b == c && (transb != CUBLAS_OP_N || ldb != ldc)) return CUBLAS_STATUS_INVALID_VALUE;
  const Scalar<T> first(handle, alpha, call, "alpha");
  const Scalar<T> second(handle, beta, call, "beta");
  return submit(handle, call, work_of<T>(3 * m * n, 3 * m * n), [=] {
    const T scale_a = first.value();
    const T scale_b = second.value();
    // A matrix whose factor is 0 is not read; programs pass null for it when they only transpose.
    const T* left = nullptr;
    const T* right = nullptr;
    if (scale_a != T(0)) {
      left = device_matrix(a, stored_rows(transa, m, n), stored_columns(transa, m, n), lda, call, "A");
    }
    if (scale_b != T(0)) {
      right = device_matrix(b, stored_rows(transb, m, n), stored_columns(transb, m, n), ldb, call, "B");
    }
    T* result = device_matrix(c, m, n, ldc, call, "C");
    for (Index j = 0; j < n; ++j) {
      for (Index i = 0; i < m; ++i) {
        T sum = 0;
        if (left != nullptr) sum += scale_a * (transa == CUBLAS_OP_N ? left[i + j * lda] : left[j + i * lda]);
        if (right != nullptr) sum += scale_b * (transb == CUBLAS_OP_N ? right[i + j * ldb] : right[j + i * ldb]);
        result[i + j * ldc] = sum;
      }
    }
  });
}

template <class T>
cublasStatus_t dgmm(const char* call, cublasHandle_t handle, cublasSideMode_t mode, Index m, Index n, const T* a,
                    Index lda, const T* x, Index incx, T* c, Index ldc) {
  if (const cublasStatus_t status = enter(call, handle)) return status;
  if (!valid(mode) || m < 0 || n < 0 || !valid_leading_dimension(lda, m) || !valid_leading_dimension(ldc, m)) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  return submit(handle, call, work_of<T>(m * n, 2 * m * n + (mode == CUBLAS_SIDE_LEFT ? m : n)), [=] {
    if (a == c && lda != ldc) emulator::defect("%s: C is A with another leading dimension", call);
    const T* matrix = device_matrix(a, m, n, lda, call, "A");
    const auto diagonal = device_vector(x, mode == CUBLAS_SIDE_LEFT ? m : n, incx, call, "x");
    T* result = device_matrix(c, m, n, ldc, call, "C");
    for (Index j = 0; j < n; ++j) {
      for (Index i = 0; i < m; ++i) {
        result[i + j * ldc] = matrix[i + j * lda] * diagonal[mode == CUBLAS_SIDE_LEFT ? i : j];
      }
    }
  });
}

}  // namespace
}  // namespace standin

#define STANDIN_GEAM(SYMBOL, NAME, T, INT)                                                                           \
  extern "C" cublasStatus_t SYMBOL(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, INT m, \
                                   INT n, const T* alpha, const T* A, INT lda, const T* beta, const T* B, INT ldb,   \
                                   T* C, INT ldc) {                                                                  \
    return standin::geam<T>(NAME, handle, transa, transb, m, n, alpha, A, lda, beta, B, ldb, C, ldc);                \
  }

#define STANDIN_DGMM(SYMBOL, NAME, T, INT)                                                                          \
  extern "C" cublasStatus_t SYMBOL(cublasHandle_t handle, cublasSideMode_t mode, INT m, INT n, const T* A, INT lda, \
                                   const T* x, INT incx, T* C, INT ldc) {                                           \
    return standin::dgmm<T>(NAME, handle, mode, m, n, A, lda, x, incx, C, ldc);                                     \
  }

STANDIN_EXPORT(STANDIN_GEAM, geam)
STANDIN_EXPORT(STANDIN_DGMM, dgmm)
