// cuBLAS level 2: gemv, ger, trsv.
#include <vector>

#include "cublas_handle.hpp"

namespace standin {
namespace {

template <class T>
cublasStatus_t gemv(const char* call, cublasHandle_t handle, cublasOperation_t trans, Index m, Index n,
                    const T* alpha, const T* a, Index lda, const T* x, Index incx, const T* beta, T* y, Index incy) {
  if (const cublasStatus_t status = enter(call, handle)) return status;
  if (!valid(trans) || m < 0 || n < 0 || !valid_leading_dimension(lda, m) || incx == 0 || incy == 0) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (alpha == nullptr || beta == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  const Scalar<T> factor(handle, alpha, call, "alpha");
  const Scalar<T> keep(handle, beta, call, "beta");
  return submit(handle, call, work_of<T>(2 * m * n, m * n + m + n), [=] {
    const Index rows = trans == CUBLAS_OP_N ? m : n;
    const Index columns = trans == CUBLAS_OP_N ? n : m;
    const T scale = factor.value();
    const T old = keep.value();
    const auto to = device_vector(y, rows, incy, call, "y");
    for (Index i = 0; i < rows; ++i) to[i] = old == T(0) ? T(0) : old * to[i];
    if (scale == T(0)) return;

    const T* matrix = device_matrix(a, m, n, lda, call, "A");
    const auto from = device_vector(x, columns, incx, call, "x");
    std::vector<T> sum(rows, T(0));
    for (Index j = 0; j < n; ++j) {
      const T* column = matrix + j * lda;
      if (trans == CUBLAS_OP_N) {
        const T entry = from[j];
        for (Index i = 0; i < m; ++i) sum[i] += column[i] * entry;
      } else {
        for (Index i = 0; i < m; ++i) sum[j] += column[i] * from[i];
      }
    }
    for (Index i = 0; i < rows; ++i) to[i] += scale * sum[i];
  });
}

template <class T>
cublasStatus_t ger(const char* call, cublasHandle_t handle, Index m, Index n, const T* alpha, const T* x, Index incx,
                   const T* y, Index incy, T* a, Index lda) {
  if (const cublasStatus_t status = enter(call, handle)) return status;
  if (m < 0 || n < 0 || incx == 0 || incy == 0 || !valid_leading_dimension(lda, m) || alpha == nullptr) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  const Scalar<T> factor(handle, alpha, call, "alpha");
  return submit(handle, call, work_of<T>(2 * m * n, 2 * m * n + m + n), [=] {
    const T scale = factor.value();
    if (scale == T(0)) return;
    const auto left = device_vector(x, m, incx, call, "x");
    const auto right = device_vector(y, n, incy, call, "y");
    T* matrix = device_matrix(a, m, n, lda, call, "A");
    for (Index j = 0; j < n; ++j) {
      const T entry = scale * right[j];
      for (Index i = 0; i < m; ++i) matrix[i + j * lda] += left[i] * entry;
    }
  });
}

template <class T>
cublasStatus_t trsv(const char* call, cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
                    cublasDiagType_t diag, Index n, const T* a, Index lda, T* x, Index incx) {
  if (const cublasStatus_t status = enter(call, handle)) return status;
  if (!valid(uplo) || !valid(trans) || !valid(diag) || n < 0 || !valid_leading_dimension(lda, n) || incx == 0) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (n == 0) return CUBLAS_STATUS_SUCCESS;
  return submit(handle, call, triangular_work<T>(n, 1), [=] {
    const T* matrix = device_matrix(a, n, n, lda, call, "A");
    const auto vector = device_vector(x, n, incx, call, "x");
    std::vector<T> packed(n);
    for (Index i = 0; i < n; ++i) packed[i] = vector[i];
    kernels::trsm(CUBLAS_SIDE_LEFT, uplo, trans, diag, n, 1, T(1), matrix, lda, packed.data(), n);
    for (Index i = 0; i < n; ++i) vector[i] = packed[i];
  });
}

}  // namespace
}  // namespace standin

#define STANDIN_GEMV(SYMBOL, NAME, T, INT)                                                                       \
  extern "C" cublasStatus_t SYMBOL(cublasHandle_t handle, cublasOperation_t trans, INT m, INT n, const T* alpha, \
                                   const T* A, INT lda, const T* x, INT incx, const T* beta, T* y, INT incy) {   \
    return standin::gemv<T>(NAME, handle, trans, m, n, alpha, A, lda, x, incx, beta, y, incy);                   \
  }

#define STANDIN_GER(SYMBOL, NAME, T, INT)                                                                     \
  extern "C" cublasStatus_t SYMBOL(cublasHandle_t handle, INT m, INT n, const T* alpha, const T* x, INT incx, \
                                   const T* y, INT incy, T* A, INT lda) {                                     \
    return standin::ger<T>(NAME, handle, m, n, alpha, x, incx, y, incy, A, lda);                              \
  }

#define STANDIN_TRSV(SYMBOL, NAME, T, INT)                                                                \
  extern "C" cublasStatus_t SYMBOL(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, \
                                   cublasDiagType_t diag, INT n, const T* A, INT lda, T* x, INT incx) {   \
    return standin::trsv<T>(NAME, handle, uplo, trans, diag, n, A, lda, x, incx);                         \
  }

STANDIN_EXPORT_V2(STANDIN_GEMV, gemv)
STANDIN_EXPORT_V2(STANDIN_GER, ger)
STANDIN_EXPORT_V2(STANDIN_TRSV, trsv)
