// Symmetric products by blocks of columns.
#include <algorithm>
#include <vector>

#include "kernels.hpp"

namespace standin::kernels {

namespace {

constexpr Index block = 64;

}  // namespace

template <class T>
void syrk(cublasFillMode_t uplo, cublasOperation_t trans, Index n, Index k, T alpha, const T* a, Index lda, T beta,
          T* c, Index ldc) {
  const bool lower = uplo == CUBLAS_FILL_MODE_LOWER, plain = trans == CUBLAS_OP_N;
  const cublasOperation_t other = plain ? CUBLAS_OP_T : CUBLAS_OP_N;
  const auto rows_of = [&](Index first) { return plain ? a + first : a + first * lda; };
  std::vector<T> square(block * block);
  for (Index j = 0; j < n; j += block) {
    const Index width = std::min(block, n - j);
    // The diagonal block is formed as a square aside, because only its triangle may be written.
    gemm(trans, other, width, width, k, alpha, rows_of(j), lda, rows_of(j), lda, T(0), square.data(), block);
    for (Index column = 0; column < width; ++column) {
      const Index first = lower ? column : 0, last = lower ? width : column + 1;
      for (Index row = first; row < last; ++row) {
        T& target = c[(j + row) + (j + column) * ldc];
        target = (beta == T(0) ? T(0) : beta * target) + square[row + column * block];
      }
    }
    const Index first = lower ? j + width : 0, height = lower ? n - first : j;
    gemm(trans, other, height, width, k, alpha, rows_of(first), lda, rows_of(j), lda, beta, c + first + j * ldc, ldc);
  }
}

template void syrk<float>(cublasFillMode_t, cublasOperation_t, Index, Index, float, const float*, Index, float,
                          float*, Index);
template void syrk<double>(cublasFillMode_t, cublasOperation_t, Index, Index, double, const double*, Index, double,
                           double*, Index);

}  // namespace standin::kernels
