#pragma once

#include <cstddef>

#include "backend/cpu/tile.hpp"

namespace carbo::internal {

// Products and triangular solves in float64, on the calling thread, of row-major matrices or of matrices by strips,
// which need no packing: blocks of both sides stay in the second-level cache, and rows start at cache lines. A
// value's bits are those of the plain loop over ascending terms, whatever the sizes and the layout. Columns are
// worked on in multiples of narrow_multiple, or of lane_multiple by the solves: those that fill up the last ones must
// exist, and have no meaning.

/// A matrix in strips of narrow_multiple columns. Where a strip's rows follow each other a product reads both its
/// sides in order; a row-major matrix, whose rows may be a page each, is one, too.
struct Strips {
  double* data = nullptr;
  std::size_t row_stride = 0;
  std::size_t strip_stride = 0;

  static Strips row_major(double* data, std::size_t stride) { return {data, stride, narrow_multiple}; }
  /// `doubles_for` of them in one piece.
  static Strips in_order(double* data, std::size_t rows) { return {data, narrow_multiple, rows * narrow_multiple}; }
  static constexpr std::size_t doubles_for(std::size_t rows, std::size_t columns) {
    return (columns + narrow_multiple - 1) / narrow_multiple * narrow_multiple * rows;
  }
  double* at(std::size_t row, std::size_t column) const {
    return data + column / narrow_multiple * strip_stride + row * row_stride + column % narrow_multiple;
  }
};

/// Columns of a square matrix of `size` rows, its padding included: a multiple of narrow_multiple, and not of a page,
/// for rows a page apart compete for the same lines of a cache.
constexpr std::size_t matrix_stride(std::size_t size) {
  const std::size_t columns = (size + narrow_multiple - 1) / narrow_multiple * narrow_multiple;
  return columns % 512 == 0 ? columns + narrow_multiple : columns;
}

/// x ← L⁻¹x for a lower triangular L, by rows, of `rows` rows.
void solve_columns(const LeftSide<Layout::rows>& lower, std::size_t rows, double* x, std::size_t stride,
                   std::size_t columns);
/// The same of one row, from those above, which are solved.
void solve_next_row(const LeftSide<Layout::rows>& lower, std::size_t row, double* x, std::size_t stride,
                    std::size_t columns);

/// x ← L⁻ᵀx for the same L, whose element (row, k) `lower` has at (k, row). A value's bits are those of the plain
/// loop over descending terms: rows of zeros at the end of x change none.
void solve_columns_transposed(const LeftSide<Layout::columns>& lower, std::size_t rows, double* x, std::size_t stride,
                              std::size_t columns);
/// The same two of one column, without others that fill it up; to the same bits. `matrix` has Lᵀ above its diagonal,
/// `lower` has L.
void solve_column(const double* matrix, std::size_t stride, std::size_t rows, double* x);
void solve_column_transposed(const double* lower, std::size_t stride, std::size_t rows, double* x);

/// Rows [first, end) of a matrix whose upper triangle is being replaced by U, K = UᵀU: those of U, in columns
/// [column, column + columns), from the rows above and from their own columns [first, end), which have U already.
void eliminate_rows(Strips upper, std::size_t first, std::size_t end, std::size_t column, std::size_t columns);

/// The same for columns [first, end). False where a pivot is not above `smallest`. Spoils what is below the diagonal.
bool factorise_rows(Strips upper, std::size_t first, std::size_t end, double smallest);

/// Columns [first, first + width) of L⁻¹ from row `first` down, into the same place of `inverse`; zero above the
/// diagonal. `first` is a multiple of narrow_multiple. L is `lower`, or the transpose of `upper`.
void invert_columns(const LeftSide<Layout::rows>& lower, std::size_t size, std::size_t first, std::size_t width,
                    Strips inverse);
void invert_columns(Strips upper, std::size_t size, std::size_t first, std::size_t width, Strips inverse);

/// x ← L⁻¹x for L = Uᵀ and `count` rows of x, 1 or 2, each a vector of `size` with room for whole strips, `stride`
/// apart.
void solve_rows_of(Strips upper, std::size_t size, double* x, std::size_t stride, std::size_t count);

/// out[c] = Σ_{k ≥ c} M[k][c] · x[k] of a lower triangular M that invert_columns made in blocks of `block` columns;
/// `out` has room for whole strips.
void multiply_transposed_vector(Strips lower, std::size_t size, std::size_t block, const double* x, double* out);

/// out[i][j] = Σ_{first ≤ k < size} M[k][first + i] · M[k][j] for 0 ≤ i < rows, j ≤ first + i, of a lower triangular
/// M (with zeros above the diagonal in columns [first, first + rows)); out is row-major. Spoils out's columns up to
/// the next multiple of narrow_multiple.
void multiply_transposed(Strips lower, std::size_t size, std::size_t first, std::size_t rows, double* out,
                         std::size_t out_stride);

/// Copies the upper triangle of a square row-major matrix to the other side of the diagonal.
void mirror_upper(double* matrix, std::size_t stride, std::size_t size);

}  // namespace carbo::internal
