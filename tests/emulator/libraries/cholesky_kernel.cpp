// Cholesky factor, solve and inverse by blocks.
#include "kernels.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace standin::kernels {

namespace {

constexpr Index block = 64;

// The factor of one diagonal block. A pivot that is not positive (or NaN) stays in its place, reduced, as in LAPACK.
template <class T>
int factor_block(bool lower, Index n, T* a, Index lda) {
  const auto at = [&](Index i, Index j) -> T& { return lower ? a[i + j * lda] : a[j + i * lda]; };
  for (Index j = 0; j < n; ++j) {
    T pivot = at(j, j);
    for (Index l = 0; l < j; ++l) pivot -= at(j, l) * at(j, l);
    if (!(pivot > T(0))) {
      at(j, j) = pivot;
      return static_cast<int>(j + 1);
    }
    pivot = std::sqrt(pivot);
    at(j, j) = pivot;
    for (Index i = j + 1; i < n; ++i) {
      T sum = at(i, j);
      for (Index l = 0; l < j; ++l) sum -= at(i, l) * at(j, l);
      at(i, j) = sum / pivot;
    }
  }
  return 0;
}

}  // namespace

template <class T>
int potrf(cublasFillMode_t uplo, Index n, T* a, Index lda) {
  const bool lower = uplo == CUBLAS_FILL_MODE_LOWER;
  for (Index j = 0; j < n; j += block) {
    const Index width = std::min(block, n - j);
    const Index next = j + width;
    const Index rest = n - next;
    T* diagonal = a + j + j * lda;
    // What is already factored: the rows of this block to the left (lower), its columns above (upper).
    const T* done = lower ? a + j : a + j * lda;
    const cublasOperation_t operation = lower ? CUBLAS_OP_N : CUBLAS_OP_T;
    syrk(uplo, operation, width, j, T(-1), done, lda, T(1), diagonal, lda);
    const int info = factor_block(lower, width, diagonal, lda);
    if (info != 0) return static_cast<int>(j) + info;
    if (rest == 0) break;
    if (lower) {
      T* panel = a + next + j * lda;
      gemm(CUBLAS_OP_N, CUBLAS_OP_T, rest, width, j, T(-1), a + next, lda, done, lda, T(1), panel, lda);
      trsm(CUBLAS_SIDE_RIGHT, uplo, CUBLAS_OP_T, CUBLAS_DIAG_NON_UNIT, rest, width, T(1), diagonal, lda, panel, lda);
    } else {
      T* panel = a + j + next * lda;
      gemm(CUBLAS_OP_T, CUBLAS_OP_N, width, rest, j, T(-1), done, lda, a + next * lda, lda, T(1), panel, lda);
      trsm(CUBLAS_SIDE_LEFT, uplo, CUBLAS_OP_T, CUBLAS_DIAG_NON_UNIT, width, rest, T(1), diagonal, lda, panel, lda);
    }
  }
  return 0;
}

template <class T>
void potrs(cublasFillMode_t uplo, Index n, Index nrhs, const T* a, Index lda, T* b, Index ldb) {
  const bool lower = uplo == CUBLAS_FILL_MODE_LOWER;
  const cublasOperation_t first = lower ? CUBLAS_OP_N : CUBLAS_OP_T;
  const cublasOperation_t second = lower ? CUBLAS_OP_T : CUBLAS_OP_N;
  trsm(CUBLAS_SIDE_LEFT, uplo, first, CUBLAS_DIAG_NON_UNIT, n, nrhs, T(1), a, lda, b, ldb);
  trsm(CUBLAS_SIDE_LEFT, uplo, second, CUBLAS_DIAG_NON_UNIT, n, nrhs, T(1), a, lda, b, ldb);
}

template <class T>
int potri(cublasFillMode_t uplo, Index n, T* a, Index lda) {
  for (Index i = 0; i < n; ++i) {
    if (a[i + i * lda] == T(0)) return static_cast<int>(i + 1);
  }
  // W is the inverse of the factor; the inverse of A is W^T W for a lower factor and W W^T for an upper one.
  std::vector<T> w(n * n, T(0));
  for (Index i = 0; i < n; ++i) w[i + i * n] = T(1);
  trsm(CUBLAS_SIDE_LEFT, uplo, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, n, n, T(1), a, lda, w.data(), n);
  const cublasOperation_t operation = uplo == CUBLAS_FILL_MODE_LOWER ? CUBLAS_OP_T : CUBLAS_OP_N;
  syrk(uplo, operation, n, n, T(1), w.data(), n, T(0), a, lda);
  return 0;
}

#define STANDIN_INSTANTIATE(T)                                                        \
  template int potrf<T>(cublasFillMode_t, Index, T*, Index);                          \
  template void potrs<T>(cublasFillMode_t, Index, Index, const T*, Index, T*, Index); \
  template int potri<T>(cublasFillMode_t, Index, T*, Index);

STANDIN_INSTANTIATE(float)
STANDIN_INSTANTIATE(double)

}  // namespace standin::kernels
