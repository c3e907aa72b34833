// Dense products. Every entry of C is summed over k in ascending order inside blocks of fixed length, whatever m, n
// and the vector unit are: a result depends on its own row and column alone.
#include <algorithm>
#include <cstring>
#include <vector>

#include "kernels.hpp"

namespace standin::kernels {

namespace {

constexpr Index rows = 8, columns = 4;  // of the tile of C that stays in registers
constexpr Index depth = 256;            // of a block along k
constexpr Index height_of_block = 512;  // of the rows of A that are packed together; a multiple of rows

template <class T>
struct Lanes {
  using Vector __attribute__((vector_size(rows * sizeof(T)))) = T;
};

template <class T>
struct Operand {
  const T* data;
  Index ld;
  bool transposed;
  T at(Index i, Index j) const { return transposed ? data[j + i * ld] : data[i + j * ld]; }
};

// Zero beta assigns instead of multiplying, so that NaN in an output buffer that was never written does not survive.
template <class T>
void scale(Index m, Index n, T beta, T* c, Index ldc) {
  if (beta == T(1)) return;
  for (Index j = 0; j < n; ++j) {
    T* column = c + j * ldc;
    if (beta == T(0)) {
      std::fill(column, column + m, T(0));
    } else {
      for (Index i = 0; i < m; ++i) column[i] *= beta;
    }
  }
}

// Rows first .. first + rows - 1 of op(A), one step of k after the other; rows past m are 0.
template <class T>
void pack_rows(const Operand<T>& a, Index first, Index m, Index k0, Index length, T* packed) {
  for (Index l = 0; l < length; ++l) {
    for (Index i = 0; i < rows; ++i) packed[l * rows + i] = first + i < m ? a.at(first + i, k0 + l) : T(0);
  }
}

template <class T>
void pack_columns(const Operand<T>& b, Index first, Index n, Index k0, Index length, T* packed) {
  for (Index l = 0; l < length; ++l) {
    for (Index j = 0; j < columns; ++j) packed[l * columns + j] = first + j < n ? b.at(k0 + l, first + j) : T(0);
  }
}

// Adds alpha times the product of two packed strips to a tile of C of the given height and width.
template <class T>
void multiply_strips(Index length, const T* a, const T* b, T alpha, T* c, Index ldc, Index height, Index width) {
  using Vector = typename Lanes<T>::Vector;
  Vector sums[columns] = {};
  for (Index l = 0; l < length; ++l) {
    Vector left;
    std::memcpy(&left, a + l * rows, sizeof left);
    for (Index j = 0; j < columns; ++j) sums[j] += left * b[l * columns + j];
  }
  for (Index j = 0; j < width; ++j) {
    for (Index i = 0; i < height; ++i) c[i + j * ldc] += alpha * sums[j][i];
  }
}

}  // namespace

template <class T>
void gemm(cublasOperation_t transa, cublasOperation_t transb, Index m, Index n, Index k, T alpha, const T* a,
          Index lda, const T* b, Index ldb, T beta, T* c, Index ldc) {
  if (m == 0 || n == 0) return;
  scale(m, n, beta, c, ldc);
  if (k == 0 || alpha == T(0)) return;
  const Operand<T> left{a, lda, transa != CUBLAS_OP_N}, right{b, ldb, transb != CUBLAS_OP_N};
  std::vector<T> packed_a(std::min(height_of_block, (m + rows - 1) / rows * rows) * std::min(depth, k));
  std::vector<T> packed_b(columns * std::min(depth, k));
  for (Index k0 = 0; k0 < k; k0 += depth) {
    const Index length = std::min(depth, k - k0);
    for (Index i0 = 0; i0 < m; i0 += height_of_block) {
      const Index end = std::min(m, i0 + height_of_block);
      for (Index i = i0; i < end; i += rows) pack_rows(left, i, m, k0, length, &packed_a[(i - i0) * length]);
      for (Index j = 0; j < n; j += columns) {
        pack_columns(right, j, n, k0, length, packed_b.data());
        for (Index i = i0; i < end; i += rows) {
          multiply_strips(length, &packed_a[(i - i0) * length], packed_b.data(), alpha, c + i + j * ldc, ldc,
                          std::min(rows, m - i), std::min(columns, n - j));
        }
      }
    }
  }
}

template void gemm<float>(cublasOperation_t, cublasOperation_t, Index, Index, Index, float, const float*, Index,
                          const float*, Index, float, float*, Index);
template void gemm<double>(cublasOperation_t, cublasOperation_t, Index, Index, Index, double, const double*, Index,
                           const double*, Index, double, double*, Index);

}  // namespace standin::kernels
