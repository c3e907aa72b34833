// The arguments that all forms of gemm share: how they are checked and how one product is carried out.
#pragma once
#include "cublas_handle.hpp"

namespace standin {

template <class T>
struct GemmCall {
  const char* call;
  cublasOperation_t transa;
  cublasOperation_t transb;
  Index m;
  Index n;
  Index k;
  Index lda;
  Index ldb;
  Index ldc;

  bool valid_arguments() const {
    if (!valid(transa) || !valid(transb) || m < 0 || n < 0 || k < 0) return false;
    return valid_leading_dimension(lda, stored_rows(transa, m, k)) &&
           valid_leading_dimension(ldb, stored_rows(transb, k, n)) && valid_leading_dimension(ldc, m);
  }

  bool empty() const { return m == 0 || n == 0; }

  Work work() const { return gemm_work<T>(m, n, k); }

  // Runs inside enqueued work, on device addresses.
  void run(T alpha, const T* a, const T* b, T beta, T* c) const {
    T* result = device_matrix(c, m, n, ldc, call, "C");
    const T* left = nullptr;
    const T* right = nullptr;
    if (alpha != T(0) && k > 0) {
      // The device writes tiles of C while other tiles still read A and B.
      if (a == c || b == c) emulator::defect("%s: C is also an input", call);
      left = device_matrix(a, stored_rows(transa, m, k), stored_columns(transa, m, k), lda, call, "A");
      right = device_matrix(b, stored_rows(transb, k, n), stored_columns(transb, k, n), ldb, call, "B");
    }
    kernels::gemm(transa, transb, m, n, k, alpha, left, lda, right, ldb, beta, result, ldc);
  }
};

template <class T>
cublasStatus_t gemm(const GemmCall<T>& gemm, cublasHandle_t handle, const T* alpha, const T* a, const T* b,
                    const T* beta, T* c) {
  if (const cublasStatus_t status = enter(gemm.call, handle)) return status;
  if (!gemm.valid_arguments() || alpha == nullptr || beta == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (gemm.empty()) return CUBLAS_STATUS_SUCCESS;
  if (c == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  const Scalar<T> factor(handle, alpha, gemm.call, "alpha");
  const Scalar<T> keep(handle, beta, gemm.call, "beta");
  return submit(handle, gemm.call, gemm.work(), [=] { gemm.run(factor.value(), a, b, keep.value(), c); });
}

}  // namespace standin
