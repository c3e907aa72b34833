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

template <std::size_t rows, bool subtract, Layout layout>
[[gnu::noinline]] void update_tile(const LeftSide<layout>& left, const double* right, std::size_t stride,
                                   std::size_t depth, double* out, std::size_t out_stride) {
  Tile<rows> tile;
  tile.load(out, out_stride);
  tile.template add<subtract>(left, right, stride, depth);
  tile.store(out, out_stride);
}

/// The same with −=, then D⁻¹ of it.
template <std::size_t rows, Layout layout>
[[gnu::noinline]] void solve_tile(const LeftSide<layout>& left, const double* right, std::size_t stride,
                                  std::size_t depth, const LeftSide<layout>& diagonal, double* out) {
  Tile<rows> tile;
  tile.load(out, stride);
  tile.template add<true>(left, right, stride, depth);
  tile.solve(diagonal);
  tile.store(out, stride);
}

/// Rows [first, end) of x −= left · rows [0, first) of x.
template <Layout layout>
void subtract_above(const LeftSide<layout>& left, std::size_t first, std::size_t end, double* x, std::size_t stride,
                    std::size_t columns) {
  for (std::size_t k = 0; k < first; k += depth_at_once) {
    const std::size_t depth = std::min(depth_at_once, first - k);
    for (std::size_t c = 0; c < columns; c += tile_columns)
      for_each_tile(first, end, [&](std::size_t r, auto rows) {
        update_tile<rows, true>(left.at(r, k), x + k * stride + c, stride, depth, x + r * stride + c, stride);
      });
  }
}

/// Rows [first, end) of L⁻¹x from those above.
template <Layout layout>
void solve_rows(const LeftSide<layout>& left, std::size_t first, std::size_t end, double* x, std::size_t stride,
                std::size_t columns) {
  subtract_above(left, first, end, x, stride, columns);
  for (std::size_t c = 0; c < columns; c += tile_columns)
    for_each_tile(first, end, [&](std::size_t r, auto rows) {
      solve_tile<rows>(left.at(r, first), x + first * stride + c, stride, r - first, left.at(r, r),
                       x + r * stride + c);
    });
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
bool factorise_tile_rows(double* upper, std::size_t stride, std::size_t first, std::size_t r, std::size_t end,
                         double smallest) {
  const LeftSide<Layout::columns> left{upper, stride};
  const std::size_t own = first + (r - first) / tile_columns * tile_columns;
  for (std::size_t c = own; c < end; c += tile_columns)
    update_tile<rows, true>(left.at(r, first), upper + first * stride + c, stride, r - first, upper + r * stride + c,
                            stride);
  double diagonal[rows][rows];
  if (!factorise_diagonal<rows>(upper + r * stride + r, stride, smallest, diagonal)) return false;
  for (std::size_t c = own; c < end; c += tile_columns)
    solve_tile<rows, Layout::columns>({}, nullptr, stride, 0, {diagonal[0], rows}, upper + r * stride + c);
  for (std::size_t i = 0; i < rows; ++i)
    std::copy(diagonal[i] + i, diagonal[i] + rows, upper + (r + i) * (stride + 1));
  return true;
}

/// to[i][j] = from[j][i].
void transpose_block(const double* from, double* to, std::size_t stride, std::size_t rows, std::size_t columns) {
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) to[i * stride + j] = from[j * stride + i];
}

template <class Copy>
void mirror(double* matrix, std::size_t stride, std::size_t size, const Copy& copy) {
  for (std::size_t r = 0; r < size; r += mirrored_at_once) {
    const std::size_t rows = std::min(mirrored_at_once, size - r);
    for (std::size_t c = 0; c < r; c += mirrored_at_once)
      copy(matrix + r * stride + c, matrix + c * stride + r, rows, mirrored_at_once);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < i; ++j)
        copy(matrix + (r + i) * stride + r + j, matrix + (r + j) * stride + r + i, 1, 1);
  }
}

}  // namespace

void solve_columns(const LeftSide<Layout::rows>& lower, std::size_t rows, double* x, std::size_t stride,
                   std::size_t columns) {
  for (std::size_t first = 0; first < rows; first += rows_at_once)
    solve_rows(lower, first, std::min(rows, first + rows_at_once), x, stride, columns);
}

void eliminate_rows(double* upper, std::size_t stride, std::size_t first, std::size_t end, std::size_t column,
                    std::size_t columns) {
  solve_rows(LeftSide<Layout::columns>{upper, stride}, first, end, upper + column, stride, columns);
}

bool factorise_rows(double* upper, std::size_t stride, std::size_t first, std::size_t end, double smallest) {
  subtract_above(LeftSide<Layout::columns>{upper, stride}, first, end, upper + first, stride, end - first);
  bool positive = true;
  for_each_tile(first, end, [&](std::size_t r, auto rows) {
    positive = positive && factorise_tile_rows<rows>(upper, stride, first, r, end, smallest);
  });
  return positive;
}

void multiply_transposed(const double* lower, std::size_t stride, std::size_t size, std::size_t first,
                         std::size_t rows, double* out, std::size_t out_stride) {
  const LeftSide<Layout::columns> left{lower, stride};
  const std::size_t end = first + rows;
  const std::size_t columns = (end + tile_columns - 1) / tile_columns * tile_columns;
  for (std::size_t i = 0; i < rows; ++i) std::fill_n(out + i * out_stride, columns, 0.0);
  for (std::size_t k = first; k < size; k += depth_at_once)
    for (std::size_t c = 0; c < columns; c += tile_columns)
      for_each_tile(first, end, [&](std::size_t r, auto count) {
        const std::size_t from = std::max(k, r), to = std::min(size, k + depth_at_once);
        if (c >= r + count || from >= to) return;
        update_tile<count, false>(left.at(r, from), lower + from * stride + c, stride, to - from,
                                  out + (r - first) * out_stride + c, out_stride);
      });
}

void mirror_lower(double* matrix, std::size_t stride, std::size_t size) {
  mirror(matrix, stride, size, [&](const double* lower, double* upper, std::size_t rows, std::size_t columns) {
    transpose_block(lower, upper, stride, columns, rows);
  });
}

void mirror_upper(double* matrix, std::size_t stride, std::size_t size) {
  mirror(matrix, stride, size, [&](double* lower, const double* upper, std::size_t rows, std::size_t columns) {
    transpose_block(upper, lower, stride, rows, columns);
  });
}

}  // namespace carbo::internal
