// The arithmetic behind the stand-ins: dense column-major kernels on memory that the host can read.
//
// None of them skips a multiplication because a factor is zero, as the reference BLAS does in places: on a GPU
// 0 * NaN is NaN, and poison that a program reads by mistake has to reach its results here too.
#pragma once
#include <cublas_v2.h>

#include <cstdint>

namespace standin {

using Index = std::int64_t;

namespace kernels {

// C = alpha op(A) op(B) + beta C. C is not read where beta is 0; A and B are not read where alpha or k is 0.
template <class T>
void gemm(cublasOperation_t transa, cublasOperation_t transb, Index m, Index n, Index k, T alpha, const T* a,
          Index lda, const T* b, Index ldb, T beta, T* c, Index ldc);

// One triangle of C = alpha op(A) op(A)^T + beta C; the other triangle is not touched.
template <class T>
void syrk(cublasFillMode_t uplo, cublasOperation_t trans, Index n, Index k, T alpha, const T* a, Index lda, T beta,
          T* c, Index ldc);

// C = alpha op(A) B (left) or alpha B op(A) (right), A triangular. C may be B.
template <class T>
void trmm(cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, Index m,
          Index n, T alpha, const T* a, Index lda, const T* b, Index ldb, T* c, Index ldc);

// Solves op(A) X = alpha B (left) or X op(A) = alpha B (right), A triangular; X replaces B.
template <class T>
void trsm(cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, Index m,
          Index n, T alpha, const T* a, Index lda, T* b, Index ldb);

// Cholesky factor in place. Returns 0, or the 1-based index of the first pivot that is not positive. In that case the
// columns (rows) before it hold the factor, as after LAPACK's potrf.
template <class T>
int potrf(cublasFillMode_t uplo, Index n, T* a, Index lda);

// Solves A X = B with the factor of A that potrf left.
template <class T>
void potrs(cublasFillMode_t uplo, Index n, Index nrhs, const T* a, Index lda, T* b, Index ldb);

// One triangle of the inverse from the factor that potrf left. Returns 0, or the 1-based index of a zero on the
// diagonal, in which case A is left as it was.
template <class T>
int potri(cublasFillMode_t uplo, Index n, T* a, Index lda);

}  // namespace kernels
}  // namespace standin
