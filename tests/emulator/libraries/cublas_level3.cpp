// cuBLAS level 3 without triangular matrices: gemm, syrk.
#include "gemm_call.hpp"

namespace standin {
namespace {

template <class T>
cublasStatus_t syrk(const char* call, cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, Index n,
                    Index k, const T* alpha, const T* a, Index lda, const T* beta, T* c, Index ldc) {
  if (const cublasStatus_t status = enter(call, handle)) return status;
  const Index rows = stored_rows(trans, n, k);
  if (!valid(uplo) || !valid(trans) || n < 0 || k < 0 || !valid_leading_dimension(lda, rows) ||
      !valid_leading_dimension(ldc, n)) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (alpha == nullptr || beta == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (n == 0) return CUBLAS_STATUS_SUCCESS;
  if (c == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  const Scalar<T> factor(handle, alpha, call, "alpha");
  const Scalar<T> keep(handle, beta, call, "beta");
  return submit(handle, call, syrk_work<T>(n, k), [=] {
    const T scale = factor.value();
    T* result = device_matrix(c, n, n, ldc, call, "C");
    const T* input = nullptr;
    if (scale != T(0) && k > 0) {
      if (a == c) emulator::defect("%s: C is also an input", call);
      input = device_matrix(a, rows, stored_columns(trans, n, k), lda, call, "A");
    }
    kernels::syrk(uplo, trans, n, k, scale, input, lda, keep.value(), result, ldc);
  });
}

}  // namespace
}  // namespace standin

#define STANDIN_GEMM(SYMBOL, NAME, T, INT)                                                                           \
  extern "C" cublasStatus_t SYMBOL(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, INT m, \
                                   INT n, INT k, const T* alpha, const T* A, INT lda, const T* B, INT ldb,           \
                                   const T* beta, T* C, INT ldc) {                                                   \
    return standin::gemm<T>({NAME, transa, transb, m, n, k, lda, ldb, ldc}, handle, alpha, A, B, beta, C);           \
  }

#define STANDIN_SYRK(SYMBOL, NAME, T, INT)                                                                       \
  extern "C" cublasStatus_t SYMBOL(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, INT n, \
                                   INT k, const T* alpha, const T* A, INT lda, const T* beta, T* C, INT ldc) {   \
    return standin::syrk<T>(NAME, handle, uplo, trans, n, k, alpha, A, lda, beta, C, ldc);                       \
  }

STANDIN_EXPORT_V2(STANDIN_GEMM, gemm)
STANDIN_EXPORT_V2(STANDIN_SYRK, syrk)
