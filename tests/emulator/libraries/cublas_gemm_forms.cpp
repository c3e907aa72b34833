// The other forms of gemm: gemmBatched, gemmStridedBatched.
#include "gemm_call.hpp"

namespace standin {
namespace {

template <class T>
cublasStatus_t gemm_batched(const GemmCall<T>& gemm, cublasHandle_t handle, const T* alpha, const T* const* a,
                            const T* const* b, const T* beta, T* const* c, Index count) {
  if (const cublasStatus_t status = enter(gemm.call, handle)) return status;
  if (!gemm.valid_arguments() || alpha == nullptr || beta == nullptr || count < 0) return CUBLAS_STATUS_INVALID_VALUE;
  if (gemm.empty() || count == 0) return CUBLAS_STATUS_SUCCESS;
  const Scalar<T> factor(handle, alpha, gemm.call, "alpha");
  const Scalar<T> keep(handle, beta, gemm.call, "beta");
  return submit(handle, gemm.call, times(count, gemm.work()), [=] {
    // The arrays of pointers are device memory; the pointers in them are device addresses again.
    const auto left = device_array(a, count, gemm.call, "array of A");
    const auto right = device_array(b, count, gemm.call, "array of B");
    const auto results = device_array(c, count, gemm.call, "array of C");
    for (Index i = 0; i < count; ++i) gemm.run(factor.value(), left[i], right[i], keep.value(), results[i]);
  });
}

template <class T>
cublasStatus_t gemm_strided(const GemmCall<T>& gemm, cublasHandle_t handle, const T* alpha, const T* a,
                            Index stride_a, const T* b, Index stride_b, const T* beta, T* c, Index stride_c,
                            Index count) {
  if (const cublasStatus_t status = enter(gemm.call, handle)) return status;
  if (!gemm.valid_arguments() || alpha == nullptr || beta == nullptr || count < 0) return CUBLAS_STATUS_INVALID_VALUE;
  if (gemm.empty() || count == 0) return CUBLAS_STATUS_SUCCESS;
  if (c == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  const Scalar<T> factor(handle, alpha, gemm.call, "alpha");
  const Scalar<T> keep(handle, beta, gemm.call, "beta");
  return submit(handle, gemm.call, times(count, gemm.work()), [=] {
    // An input may be shared by a stride of 0; results that share an address race with each other.
    if (count > 1 && stride_c == 0) emulator::defect("%s: all results have the same address", gemm.call);
    for (Index i = 0; i < count; ++i) {
      gemm.run(factor.value(), a + i * stride_a, b + i * stride_b, keep.value(), c + i * stride_c);
    }
  });
}

}  // namespace
}  // namespace standin

#define STANDIN_GEMM_BATCHED(SYMBOL, NAME, T, INT)                                                                   \
  extern "C" cublasStatus_t SYMBOL(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, INT m, \
                                   INT n, INT k, const T* alpha, const T* const A[], INT lda, const T* const B[],    \
                                   INT ldb, const T* beta, T* const C[], INT ldc, INT batchCount) {                  \
    return standin::gemm_batched<T>({NAME, transa, transb, m, n, k, lda, ldb, ldc}, handle, alpha, A, B, beta, C,    \
                                    batchCount);                                                                     \
  }

#define STANDIN_GEMM_STRIDED(SYMBOL, NAME, T, INT)                                                                   \
  extern "C" cublasStatus_t SYMBOL(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, INT m, \
                                   INT n, INT k, const T* alpha, const T* A, INT lda, long long int strideA,         \
                                   const T* B, INT ldb, long long int strideB, const T* beta, T* C, INT ldc,         \
                                   long long int strideC, INT batchCount) {                                          \
    return standin::gemm_strided<T>({NAME, transa, transb, m, n, k, lda, ldb, ldc}, handle, alpha, A, strideA, B,    \
                                    strideB, beta, C, strideC, batchCount);                                          \
  }

STANDIN_EXPORT(STANDIN_GEMM_BATCHED, gemmBatched)
STANDIN_EXPORT(STANDIN_GEMM_STRIDED, gemmStridedBatched)
