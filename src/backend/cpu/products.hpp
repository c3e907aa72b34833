#pragma once

#include <cstddef>

#include "backend/cpu/tile.hpp"

namespace carbo::internal {

// Products and triangular solves in float64 over row-major matrices, on the calling thread, unpacked: blocks of both
// sides stay in the second-level cache, and rows start at cache lines. A value's bits are those of the plain loop
// over ascending terms, whatever the sizes. Columns are worked on in multiples of narrow_multiple, or of
// lane_multiple by the solves: those that fill up the last ones must exist, and have no meaning.

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
/// The same two of one column, without others that fill it up; to the same bits.
void solve_column(const double* lower, std::size_t stride, std::size_t rows, double* x);
void solve_column_transposed(const double* lower, std::size_t stride, std::size_t rows, double* x);

/// Rows [first, end) of a matrix whose upper triangle is being replaced by U, K = UᵀU: those of U, in columns
/// [column, column + columns), from the rows above and from their own columns [first, end), which have U already.
void eliminate_rows(double* upper, std::size_t stride, std::size_t first, std::size_t end, std::size_t column,
                    std::size_t columns);

/// The same for columns [first, end). False where a pivot is not above `smallest`. Spoils what is below the diagonal.
bool factorise_rows(double* upper, std::size_t stride, std::size_t first, std::size_t end, double smallest);

/// out[i][j] = Σ_{first ≤ k < size} M[k][first + i] · M[k][j] for 0 ≤ i < rows, j ≤ first + i, of a lower triangular
/// M (row-major, with zeros above the diagonal in columns [first, first + rows)). Spoils out's columns up to the next
/// multiple of narrow_multiple.
void multiply_transposed(const double* lower, std::size_t stride, std::size_t size, std::size_t first,
                         std::size_t rows, double* out, std::size_t out_stride);

/// Copies a triangle of a square row-major matrix to the other side of the diagonal.
void mirror_lower(double* matrix, std::size_t stride, std::size_t size);
void mirror_upper(double* matrix, std::size_t stride, std::size_t size);

}  // namespace carbo::internal
