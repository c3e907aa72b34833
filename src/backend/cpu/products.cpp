#include "backend/cpu/products.hpp"

#include <algorithm>
#include <cmath>

namespace carbo::internal {
namespace {

/// Terms of a sum that are worked on before the next tile: of the left side, rows_at_once × depth_at_once doubles
/// wait in the second-level cache.
constexpr std::size_t depth_at_once = 256;
constexpr std::size_t rows_at_once = 64;
constexpr std::size_t mirrored_at_once = 16;
/// Sums of one column that are worked on side by side: a chain waits for its last operation.
constexpr std::size_t chains = 8;

template <std::size_t rows, bool subtract, std::size_t vectors = tile_vectors, Layout layout>
[[gnu::noinline]] void update_tile(const LeftSide<layout>& left, const double* right, std::size_t stride,
                                   std::size_t depth, double* out, std::size_t out_stride) {
  Tile<rows, vectors> tile;
  tile.load(out, out_stride);
  tile.template add<subtract>(left, right, stride, depth);
  tile.store(out, out_stride);
}

/// The same with −=, then D⁻¹ of it.
template <std::size_t rows, std::size_t vectors = tile_vectors, Layout layout>
[[gnu::noinline]] void solve_tile(const LeftSide<layout>& left, const double* right, std::size_t stride,
                                  std::size_t depth, const LeftSide<layout>& diagonal, double* out) {
  Tile<rows, vectors> tile;
  tile.load(out, stride);
  tile.template add<true>(left, right, stride, depth);
  tile.solve(diagonal);
  tile.store(out, stride);
}

/// The transpose of a matrix as the left side of a product.
struct TransposedStrips {
  Strips matrix;
  LeftSide<Layout::columns> at(std::size_t row, std::size_t k) const {
    return {matrix.at(k, row), matrix.row_stride};
  }
};

/// Rows [first, end) of x −= left · rows [begin, first) of x, in columns [column, column + columns).
template <class Left>
void subtract_above(const Left& left, std::size_t begin, std::size_t first, std::size_t end, Strips x,
                    std::size_t column, std::size_t columns) {
  for (std::size_t k = begin; k < first; k += depth_at_once) {
    const std::size_t depth = std::min(depth_at_once, first - k);
    for_each_tile_column(columns, [&](std::size_t c, auto vectors) {
      for_each_tile(first, end, [&](std::size_t r, auto rows) {
        update_tile<rows, true, vectors>(left.at(r, k), x.at(k, column + c), x.row_stride, depth, x.at(r, column + c),
                                         x.row_stride);
      });
    });
  }
}

/// Rows [first, end) of L⁻¹x from those above, of which the ones before `begin` are zero.
template <class Left>
void solve_rows(const Left& left, std::size_t begin, std::size_t first, std::size_t end, Strips x, std::size_t column,
                std::size_t columns) {
  subtract_above(left, begin, first, end, x, column, columns);
  for_each_tile(first, end, [&](std::size_t r, auto rows) {
    for_each_tile_column(columns, [&](std::size_t c, auto vectors) {
      solve_tile<rows, vectors>(left.at(r, first), x.at(first, column + c), x.row_stride, r - first, left.at(r, r),
                                x.at(r, column + c));
    });
  });
}

/// All of L⁻¹x from row `begin` on.
template <class Left>
void solve_from(const Left& left, std::size_t begin, std::size_t size, Strips x, std::size_t column,
                std::size_t columns) {
  for (std::size_t first = begin; first < size; first += rows_at_once)
    solve_rows(left, begin, first, std::min(size, first + rows_at_once), x, column, columns);
}

template <class Left>
void invert(const Left& left, std::size_t size, std::size_t first, std::size_t width, Strips inverse) {
  const std::size_t columns = (width + narrow_multiple - 1) / narrow_multiple * narrow_multiple;
  for (std::size_t c = first; c < first + columns; c += narrow_multiple)
    for (std::size_t i = first; i < size; ++i) std::fill_n(inverse.at(i, c), narrow_multiple, 0.0);
  for (std::size_t i = first; i < first + width; ++i) *inverse.at(i, i) = 1.0;
  solve_from(left, first, size, inverse, first, columns);
}

/// Of x −= left · right, the last term first.
template <std::size_t rows, std::size_t vectors>
[[gnu::noinline]] void update_tile_downwards(const LeftSide<Layout::columns>& left, const double* right,
                                             std::size_t stride, std::size_t depth, double* out) {
  Tile<rows, vectors> tile;
  tile.load(out, stride);
  tile.subtract_downwards(left, right, stride, depth);
  tile.store(out, stride);
}

/// Rows [first, end) of L⁻ᵀx from those below, of `size` rows.
void solve_rows_upwards(const LeftSide<Layout::columns>& upper, std::size_t first, std::size_t end, std::size_t size,
                        double* x, std::size_t stride, std::size_t columns) {
  for (std::size_t below = size; below > end;) {
    const std::size_t k = below - end > depth_at_once ? below - depth_at_once : end;
    for_each_tile_column(columns, [&](std::size_t c, auto vectors) {
      for_each_tile(first, end, [&](std::size_t r, auto rows) {
        update_tile_downwards<rows, vectors>(upper.at(r, k), x + k * stride + c, stride, below - k,
                                             x + r * stride + c);
      });
    });
    below = k;
  }
  for_each_tile_column(columns, [&](std::size_t c, auto vectors) {
    for_each_tile_upwards(first, end, [&](std::size_t r, auto rows) {
      const std::size_t below = r + rows;
      Tile<rows, vectors> tile;
      tile.load(x + r * stride + c, stride);
      tile.subtract_downwards(upper.at(r, below), x + below * stride + c, stride, end - below);
      tile.solve_upper(upper.at(r, r));
      tile.store(x + r * stride + c, stride);
    });
  });
}

/// x[first, first + rows) of L⁻¹x of one column, and their terms taken off what is below.
template <std::size_t rows>
void solve_column_rows(const double* matrix, std::size_t stride, std::size_t first, std::size_t size,
                       double* __restrict x) {
  const double* __restrict upper = matrix + first * stride;
  double solved[rows];
  for (std::size_t i = 0; i < rows; ++i) {
    double sum = x[first + i];
    for (std::size_t j = 0; j < i; ++j) sum = plus_product(sum, -upper[j * stride + first + i], solved[j]);
    solved[i] = sum * (1.0 / upper[i * stride + first + i]);
    x[first + i] = solved[i];
  }
  for (std::size_t r = first + rows; r < size; ++r) {
    double sum = x[r];
    for (std::size_t j = 0; j < rows; ++j) sum = plus_product(sum, -upper[j * stride + r], solved[j]);
    x[r] = sum;
  }
}

/// x[first, first + rows) of L⁻ᵀx of one column, and their terms taken off what is above.
template <std::size_t rows>
void solve_column_rows_upwards(const double* lower, std::size_t stride, std::size_t first, double* __restrict x) {
  const double* __restrict left = lower + first * stride;
  double solved[rows];
  for (std::size_t i = rows; i-- > 0;) {
    double sum = x[first + i];
    for (std::size_t j = rows; j-- > i + 1;) sum = plus_product(sum, -left[j * stride + first + i], solved[j]);
    solved[i] = sum * (1.0 / left[i * stride + first + i]);
    x[first + i] = solved[i];
  }
  for (std::size_t r = 0; r < first; ++r) {
    double sum = x[r];
    for (std::size_t j = rows; j-- > 0;) sum = plus_product(sum, -left[j * stride + r], solved[j]);
    x[r] = sum;
  }
}

/// K → U of a few rows by plain loops, upper triangles. False where a pivot is not above `smallest`.
template <std::size_t rows>
bool factorise_diagonal(const double* from, std::size_t stride, double smallest, double (&out)[rows][rows]) {
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = i; j < rows; ++j) {
      double sum = from[i * stride + j];
      for (std::size_t k = 0; k < i; ++k) sum -= out[k][i] * out[k][j];
      out[i][j] = sum;
    }
    if (!(out[i][i] > smallest)) return false;
    out[i][i] = std::sqrt(out[i][i]);
    const double reciprocal = 1.0 / out[i][i];
    for (std::size_t j = i + 1; j < rows; ++j) out[i][j] *= reciprocal;
  }
  return true;
}

/// Rows [r, r + rows) of U in columns [r, end), from rows [first, r).
template <std::size_t rows>
bool factorise_tile_rows(Strips upper, std::size_t first, std::size_t r, std::size_t end, double smallest) {
  const TransposedStrips left{upper};
  const std::size_t own = first + (r - first) / tile_columns * tile_columns, stride = upper.row_stride;
  for (std::size_t c = own; c < end; c += tile_columns)
    update_tile<rows, true>(left.at(r, first), upper.at(first, c), stride, r - first, upper.at(r, c), stride);
  double diagonal[rows][rows];
  if (!factorise_diagonal<rows>(upper.at(r, r), stride, smallest, diagonal)) return false;
  for (std::size_t c = own; c < end; c += tile_columns)
    solve_tile<rows, tile_vectors, Layout::columns>({}, nullptr, stride, 0, {diagonal[0], rows}, upper.at(r, c));
  for (std::size_t i = 0; i < rows; ++i) std::copy(diagonal[i] + i, diagonal[i] + rows, upper.at(r + i, r + i));
  return true;
}

}  // namespace

void solve_columns(const LeftSide<Layout::rows>& lower, std::size_t rows, double* x, std::size_t stride,
                   std::size_t columns) {
  solve_from(lower, 0, rows, Strips::row_major(x, stride), 0, columns);
}

void solve_next_row(const LeftSide<Layout::rows>& lower, std::size_t row, double* x, std::size_t stride,
                    std::size_t columns) {
  solve_rows(lower, 0, row, row + 1, Strips::row_major(x, stride), 0, columns);
}

void solve_column(const double* matrix, std::size_t stride, std::size_t rows, double* x) {
  std::size_t first = 0;
  for (; first + chains <= rows; first += chains) solve_column_rows<chains>(matrix, stride, first, rows, x);
  for (; first < rows; ++first) solve_column_rows<1>(matrix, stride, first, rows, x);
}

void solve_column_transposed(const double* lower, std::size_t stride, std::size_t rows, double* x) {
  for (; rows % chains > 0; --rows) solve_column_rows_upwards<1>(lower, stride, rows - 1, x);
  for (; rows > 0; rows -= chains) solve_column_rows_upwards<chains>(lower, stride, rows - chains, x);
}

void solve_columns_transposed(const LeftSide<Layout::columns>& lower, std::size_t rows, double* x, std::size_t stride,
                              std::size_t columns) {
  for (std::size_t end = rows; end > 0;) {
    const std::size_t first = (end - 1) / rows_at_once * rows_at_once;
    solve_rows_upwards(lower, first, end, rows, x, stride, columns);
    end = first;
  }
}

void eliminate_rows(Strips upper, std::size_t first, std::size_t end, std::size_t column, std::size_t columns) {
  solve_rows(TransposedStrips{upper}, 0, first, end, upper, column, columns);
}

bool factorise_rows(Strips upper, std::size_t first, std::size_t end, double smallest) {
  subtract_above(TransposedStrips{upper}, 0, first, end, upper, first, end - first);
  bool positive = true;
  for_each_tile(first, end, [&](std::size_t r, auto rows) {
    positive = positive && factorise_tile_rows<rows>(upper, first, r, end, smallest);
  });
  return positive;
}

void invert_columns(const LeftSide<Layout::rows>& lower, std::size_t size, std::size_t first, std::size_t width,
                    Strips inverse) {
  invert(lower, size, first, width, inverse);
}

void invert_columns(Strips upper, std::size_t size, std::size_t first, std::size_t width, Strips inverse) {
  invert(TransposedStrips{upper}, size, first, width, inverse);
}

void solve_rows_of(Strips upper, std::size_t size, double* x, std::size_t stride, std::size_t count) {
  const LeftSide<Layout::rows> left{x, stride};
  for (std::size_t c = 0; c < size; c += narrow_multiple) {
    for_each_tile_column(narrow_multiple, [&](std::size_t own, auto vectors) {
      double* const out = x + c + own;
      if (count == 2)
        update_tile<2, true, vectors>(left, upper.at(0, c + own), upper.row_stride, c, out, stride);
      else
        update_tile<1, true, vectors>(left, upper.at(0, c + own), upper.row_stride, c, out, stride);
    });
    const std::size_t end = std::min(size, c + narrow_multiple);
    for (std::size_t i = c; i < end; ++i) {
      const double* const row = upper.at(i, i);
      for (std::size_t which = 0; which < count; ++which) {
        double* const own = x + which * stride + i;
        *own *= 1.0 / *row;
        for (std::size_t j = 1; j < end - i; ++j) own[j] = plus_product(own[j], -row[j], *own);
      }
    }
  }
}

void multiply_transposed_vector(Strips lower, std::size_t size, std::size_t block, const double* x, double* out) {
  const std::size_t columns = (size + narrow_multiple - 1) / narrow_multiple * narrow_multiple;
  std::fill_n(out, columns, 0.0);
  for (std::size_t c = 0; c < columns; c += tile_columns) {
    const std::size_t first = c / block * block;
    const LeftSide<Layout::rows> left{x + first, 0};
    update_tile<1, false>(left, lower.at(first, c), lower.row_stride, size - first, out + c, columns);
  }
}

void multiply_transposed(Strips lower, std::size_t size, std::size_t first, std::size_t rows, double* out,
                         std::size_t out_stride) {
  const TransposedStrips left{lower};
  const std::size_t end = first + rows;
  const std::size_t columns = (end + tile_columns - 1) / tile_columns * tile_columns;
  for (std::size_t i = 0; i < rows; ++i) std::fill_n(out + i * out_stride, columns, 0.0);
  for (std::size_t k = first; k < size; k += depth_at_once)
    for (std::size_t c = 0; c < columns; c += tile_columns)
      for_each_tile(first, end, [&](std::size_t r, auto count) {
        const std::size_t from = std::max(k, r), to = std::min(size, k + depth_at_once);
        if (c >= r + count || from >= to) return;
        update_tile<count, false>(left.at(r, from), lower.at(from, c), lower.row_stride, to - from,
                                  out + (r - first) * out_stride + c, out_stride);
      });
}

void mirror_upper(double* matrix, std::size_t stride, std::size_t size) {
  for (std::size_t r = 0; r < size; r += mirrored_at_once)
    for (std::size_t c = 0; c <= r; c += mirrored_at_once)
      for (std::size_t i = r; i < std::min(size, r + mirrored_at_once); ++i)
        for (std::size_t j = c; j < std::min(i, c + mirrored_at_once); ++j)
          matrix[i * stride + j] = matrix[j * stride + i];
}

}  // namespace carbo::internal
