// Triangular products and solves: plain loops inside a diagonal block, gemm for everything off it.
#include "kernels.hpp"

#include <algorithm>
#include <vector>

namespace standin::kernels {

namespace {

constexpr Index block = 64;

// op(A) of a triangular A. What matters to an algorithm is on which side of the diagonal op(A) has its entries.
template <class T>
struct Triangle {
  const T* a;
  Index lda;
  bool transposed;
  bool lower;
  bool unit;

  Triangle(cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, const T* a, Index lda)
      : a(a),
        lda(lda),
        transposed(trans != CUBLAS_OP_N),
        lower((uplo == CUBLAS_FILL_MODE_LOWER) != transposed),
        unit(diag == CUBLAS_DIAG_UNIT) {}

  const T* at(Index i, Index j) const { return transposed ? a + j + i * lda : a + i + j * lda; }
  T diagonal(Index i) const { return unit ? T(1) : *at(i, i); }
  cublasOperation_t operation() const { return transposed ? CUBLAS_OP_T : CUBLAS_OP_N; }
};

// The blocks of 0..n in the order in which a substitution meets them.
struct Block {
  Index first;
  Index size;
  Index end() const { return first + size; }
};

std::vector<Block> blocks(Index n, bool ascending) {
  std::vector<Block> result;
  for (Index first = 0; first < n; first += block) result.push_back({first, std::min(block, n - first)});
  if (!ascending) std::reverse(result.begin(), result.end());
  return result;
}

template <class T>
void solve_left_block(const Triangle<T>& t, Block rows, Index n, T* b, Index ldb) {
  for (Index j = 0; j < n; ++j) {
    T* x = b + j * ldb;
    for (Index step = 0; step < rows.size; ++step) {
      const Index i = t.lower ? rows.first + step : rows.end() - 1 - step;
      const Index from = t.lower ? rows.first : i + 1;
      const Index to = t.lower ? i : rows.end();
      T sum = x[i];
      for (Index l = from; l < to; ++l) sum -= *t.at(i, l) * x[l];
      x[i] = t.unit ? sum : sum / t.diagonal(i);
    }
  }
}

template <class T>
void solve_right_block(const Triangle<T>& t, Block columns, Index m, T* b, Index ldb) {
  for (Index step = 0; step < columns.size; ++step) {
    const Index j = t.lower ? columns.end() - 1 - step : columns.first + step;
    const Index from = t.lower ? j + 1 : columns.first;
    const Index to = t.lower ? columns.end() : j;
    T* x = b + j * ldb;
    for (Index l = from; l < to; ++l) {
      const T factor = *t.at(l, j);
      for (Index i = 0; i < m; ++i) x[i] -= factor * b[i + l * ldb];
    }
    if (t.unit) continue;
    const T pivot = t.diagonal(j);
    for (Index i = 0; i < m; ++i) x[i] /= pivot;
  }
}

// Only entries inside the triangle take part: a NaN in B reaches the rows that depend on it and no others.
template <class T>
void multiply_left_block(const Triangle<T>& t, Block rows, Index n, T alpha, const T* b, Index ldb, T* c, Index ldc) {
  for (Index j = 0; j < n; ++j) {
    for (Index i = rows.first; i < rows.end(); ++i) {
      const Index from = t.lower ? rows.first : i + 1;
      const Index to = t.lower ? i : rows.end();
      T sum = t.diagonal(i) * b[i + j * ldb];
      for (Index l = from; l < to; ++l) sum += *t.at(i, l) * b[l + j * ldb];
      c[i + j * ldc] = alpha * sum;
    }
  }
}

template <class T>
void multiply_right_block(const Triangle<T>& t, Block columns, Index m, T alpha, const T* b, Index ldb, T* c,
                          Index ldc) {
  for (Index j = columns.first; j < columns.end(); ++j) {
    const Index from = t.lower ? j + 1 : columns.first;
    const Index to = t.lower ? columns.end() : j;
    T* target = c + j * ldc;
    const T diagonal = t.diagonal(j);
    for (Index i = 0; i < m; ++i) target[i] = alpha * (diagonal * b[i + j * ldb]);
    for (Index l = from; l < to; ++l) {
      const T factor = alpha * *t.at(l, j);
      for (Index i = 0; i < m; ++i) target[i] += factor * b[i + l * ldb];
    }
  }
}

}  // namespace

template <class T>
void trsm(cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, Index m,
          Index n, T alpha, const T* a, Index lda, T* b, Index ldb) {
  // A gemm without inner dimension scales B by alpha.
  gemm(CUBLAS_OP_N, CUBLAS_OP_N, m, n, 0, T(0), a, lda, a, lda, alpha, b, ldb);
  if (alpha == T(0) || m == 0 || n == 0) return;

  const Triangle<T> t(uplo, trans, diag, a, lda);
  if (side == CUBLAS_SIDE_LEFT) {
    for (const Block rows : blocks(m, t.lower)) {
      const Index known = t.lower ? 0 : rows.end();
      const Index count = t.lower ? rows.first : m - rows.end();
      if (count > 0) {
        gemm(t.operation(), CUBLAS_OP_N, rows.size, n, count, T(-1), t.at(rows.first, known), lda, b + known, ldb,
             T(1), b + rows.first, ldb);
      }
      solve_left_block(t, rows, n, b, ldb);
    }
    return;
  }
  for (const Block columns : blocks(n, !t.lower)) {
    const Index known = t.lower ? columns.end() : 0;
    const Index count = t.lower ? n - columns.end() : columns.first;
    if (count > 0) {
      gemm(CUBLAS_OP_N, t.operation(), m, columns.size, count, T(-1), b + known * ldb, ldb,
           t.at(known, columns.first), lda, T(1), b + columns.first * ldb, ldb);
    }
    solve_right_block(t, columns, m, b, ldb);
  }
}

template <class T>
void trmm(cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, Index m,
          Index n, T alpha, const T* a, Index lda, const T* b, Index ldb, T* c, Index ldc) {
  if (m == 0 || n == 0) return;
  if (alpha == T(0)) {
    for (Index j = 0; j < n; ++j) std::fill(c + j * ldc, c + j * ldc + m, T(0));
    return;
  }
  // A copy of B makes C = B legal, whatever the order of the blocks.
  std::vector<T> copy(m * n);
  for (Index j = 0; j < n; ++j) std::copy(b + j * ldb, b + j * ldb + m, copy.begin() + j * m);

  const Triangle<T> t(uplo, trans, diag, a, lda);
  const bool left = side == CUBLAS_SIDE_LEFT;
  for (const Block part : blocks(left ? m : n, true)) {
    if (left) {
      const Index other = t.lower ? 0 : part.end();
      const Index count = t.lower ? part.first : m - part.end();
      T* target = c + part.first;
      multiply_left_block(t, part, n, alpha, copy.data(), m, c, ldc);
      if (count > 0) {
        gemm(t.operation(), CUBLAS_OP_N, part.size, n, count, alpha, t.at(part.first, other), lda,
             copy.data() + other, m, T(1), target, ldc);
      }
    } else {
      const Index other = t.lower ? part.end() : 0;
      const Index count = t.lower ? n - part.end() : part.first;
      T* target = c + part.first * ldc;
      multiply_right_block(t, part, m, alpha, copy.data(), m, c, ldc);
      if (count > 0) {
        gemm(CUBLAS_OP_N, t.operation(), m, part.size, count, alpha, copy.data() + other * m, m,
             t.at(other, part.first), lda, T(1), target, ldc);
      }
    }
  }
}

#define STANDIN_INSTANTIATE(T)                                                                                    \
  template void trsm<T>(cublasSideMode_t, cublasFillMode_t, cublasOperation_t, cublasDiagType_t, Index, Index, T, \
                        const T*, Index, T*, Index);                                                              \
  template void trmm<T>(cublasSideMode_t, cublasFillMode_t, cublasOperation_t, cublasDiagType_t, Index, Index, T, \
                        const T*, Index, const T*, Index, T*, Index);

STANDIN_INSTANTIATE(float)
STANDIN_INSTANTIATE(double)

}  // namespace standin::kernels
