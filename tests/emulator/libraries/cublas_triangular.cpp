// cuBLAS level 3 with a triangular matrix: trsm, trmm, trsmBatched.
#include "cublas_handle.hpp"

namespace standin {
namespace {

// The arguments that the three routines share.
struct TriangularCall {
  const char* call;
  cublasSideMode_t side;
  cublasFillMode_t uplo;
  cublasOperation_t trans;
  cublasDiagType_t diag;
  Index m;
  Index n;
  Index lda;
  Index ldb;

  Index order() const { return side == CUBLAS_SIDE_LEFT ? m : n; }

  bool valid_arguments() const {
    return valid(side) && valid(uplo) && valid(trans) && valid(diag) && m >= 0 && n >= 0 &&
           valid_leading_dimension(lda, order()) && valid_leading_dimension(ldb, m);
  }

  bool empty() const { return m == 0 || n == 0; }

  template <class T>
  Work work() const {
    return triangular_work<T>(order(), side == CUBLAS_SIDE_LEFT ? n : m);
  }

  // Where alpha is 0 the triangular matrix is not read, so it need not exist.
  template <class T>
  const T* stored_triangle(T alpha, const T* a) const {
    return alpha == T(0) ? nullptr : device_matrix(a, order(), order(), lda, call, "A");
  }

  template <class T>
  void solve(T alpha, const T* a, T* b) const {
    T* solution = device_matrix(b, m, n, ldb, call, "B");
    kernels::trsm(side, uplo, trans, diag, m, n, alpha, stored_triangle(alpha, a), lda, solution, ldb);
  }
};

template <class T>
cublasStatus_t trsm(const TriangularCall& trsm, cublasHandle_t handle, const T* alpha, const T* a, T* b) {
  if (const cublasStatus_t status = enter(trsm.call, handle)) return status;
  if (!trsm.valid_arguments() || alpha == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (trsm.empty()) return CUBLAS_STATUS_SUCCESS;
  const Scalar<T> factor(handle, alpha, trsm.call, "alpha");
  return submit(handle, trsm.call, trsm.work<T>(), [=] { trsm.solve(factor.value(), a, b); });
}

template <class T>
cublasStatus_t trmm(const TriangularCall& trmm, cublasHandle_t handle, const T* alpha, const T* a, const T* b, T* c,
                    Index ldc) {
  if (const cublasStatus_t status = enter(trmm.call, handle)) return status;
  if (!trmm.valid_arguments() || !valid_leading_dimension(ldc, trmm.m) || alpha == nullptr) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (trmm.empty()) return CUBLAS_STATUS_SUCCESS;
  const Scalar<T> factor(handle, alpha, trmm.call, "alpha");
  return submit(handle, trmm.call, trmm.work<T>(), [=] {
    const T scale = factor.value();
    T* result = device_matrix(c, trmm.m, trmm.n, ldc, trmm.call, "C");
    const T* triangle = trmm.stored_triangle(scale, a);
    const T* other = nullptr;
    if (scale != T(0)) {
      other = device_matrix(b, trmm.m, trmm.n, trmm.ldb, trmm.call, "B");
      // In place means the same layout too; with another leading dimension C would overwrite parts of B unread.
      if (b == c && trmm.ldb != ldc) emulator::defect("%s: C is B with another leading dimension", trmm.call);
      if (a == c) emulator::defect("%s: C is also the triangular matrix", trmm.call);
    }
    kernels::trmm(trmm.side, trmm.uplo, trmm.trans, trmm.diag, trmm.m, trmm.n, scale, triangle, trmm.lda, other,
                  trmm.ldb, result, ldc);
  });
}

template <class T>
cublasStatus_t trsm_batched(const TriangularCall& trsm, cublasHandle_t handle, const T* alpha, const T* const* a,
                            T* const* b, Index count) {
  if (const cublasStatus_t status = enter(trsm.call, handle)) return status;
  if (!trsm.valid_arguments() || alpha == nullptr || count < 0) return CUBLAS_STATUS_INVALID_VALUE;
  if (trsm.empty() || count == 0) return CUBLAS_STATUS_SUCCESS;
  const Scalar<T> factor(handle, alpha, trsm.call, "alpha");
  return submit(handle, trsm.call, times(count, trsm.work<T>()), [=] {
    const auto triangles = device_array(a, count, trsm.call, "array of A");
    const auto others = device_array(b, count, trsm.call, "array of B");
    for (Index i = 0; i < count; ++i) trsm.solve(factor.value(), triangles[i], others[i]);
  });
}

}  // namespace
}  // namespace standin

#define STANDIN_TRSM(SYMBOL, NAME, T, INT)                                                                       \
  extern "C" cublasStatus_t SYMBOL(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,          \
                                   cublasOperation_t trans, cublasDiagType_t diag, INT m, INT n, const T* alpha, \
                                   const T* A, INT lda, T* B, INT ldb) {                                         \
    return standin::trsm<T>({NAME, side, uplo, trans, diag, m, n, lda, ldb}, handle, alpha, A, B);               \
  }

#define STANDIN_TRMM(SYMBOL, NAME, T, INT)                                                                       \
  extern "C" cublasStatus_t SYMBOL(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,          \
                                   cublasOperation_t trans, cublasDiagType_t diag, INT m, INT n, const T* alpha, \
                                   const T* A, INT lda, const T* B, INT ldb, T* C, INT ldc) {                    \
    return standin::trmm<T>({NAME, side, uplo, trans, diag, m, n, lda, ldb}, handle, alpha, A, B, C, ldc);       \
  }

#define STANDIN_TRSM_BATCHED(SYMBOL, NAME, T, INT)                                                               \
  extern "C" cublasStatus_t SYMBOL(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,          \
                                   cublasOperation_t trans, cublasDiagType_t diag, INT m, INT n, const T* alpha, \
                                   const T* const A[], INT lda, T* const B[], INT ldb, INT batchCount) {         \
    return standin::trsm_batched<T>({NAME, side, uplo, trans, diag, m, n, lda, ldb}, handle, alpha, A, B,        \
                                    batchCount);                                                                 \
  }

STANDIN_EXPORT_V2(STANDIN_TRSM, trsm)
STANDIN_EXPORT_V2(STANDIN_TRMM, trmm)
STANDIN_EXPORT(STANDIN_TRSM_BATCHED, trsmBatched)
