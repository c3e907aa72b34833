#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "backend/cpu/covariance.hpp"

namespace carbo::internal {

// A few rows and columns of a result that stay in registers while terms are taken off or added, one after the other.
// A value is one chain of operations in ascending order of its terms, continued from memory: its bits depend neither
// on the shape of the tile nor on how terms are grouped.

/// As many as fill the registers: rows × vectors of sums, a row of vectors and one factor.
#if defined(__AVX512F__)
inline constexpr std::size_t vector_lanes = 8, tile_vectors = 3, tile_rows = 8;
#elif defined(__AVX__)
inline constexpr std::size_t vector_lanes = 4, tile_vectors = 3, tile_rows = 4;
#else
inline constexpr std::size_t vector_lanes = 2, tile_vectors = 2, tile_rows = 4;
#endif
inline constexpr std::size_t tile_columns = vector_lanes * tile_vectors;
static_assert(narrow_multiple % tile_columns == 0 && panel_width % tile_columns == 0);

/// sum + a · b, rounded once where a tile's vectors are: the compiler fuses those but for sanitizers, and may take
/// apart what it vectorises by itself.
inline double plus_product(double sum, double a, double b) {
#if defined(__FMA__) && !defined(__SANITIZE_ADDRESS__)
  return __builtin_fma(a, b, sum);
#else
  return sum + a * b;
#endif
}

/// The left side of a product: element (row, k) is data[row · stride + k] by rows, data[k · stride + row] by columns.
enum class Layout { rows, columns };

template <Layout layout>
struct LeftSide {
  const double* data = nullptr;
  std::size_t stride = 0;

  LeftSide at(std::size_t row, std::size_t k) const {
    return {layout == Layout::rows ? data + row * stride + k : data + k * stride + row, stride};
  }
  double operator()(std::size_t row, std::size_t k) const { return *at(row, k).data; }
};

/// body(0) … body(count − 1) as constants, one after the other. Loops over a tile are spelt out so: the compiler then
/// keeps it in registers, from where it is loaded to where it is stored.
template <std::size_t count, class Body>
[[gnu::always_inline]] inline void unrolled(const Body& body) {
  [&]<std::size_t... i>(std::index_sequence<i...>) __attribute__((always_inline)) {
    (body(std::integral_constant<std::size_t, i>{}), ...);
  }
  (std::make_index_sequence<count>{});
}

template <std::size_t rows, std::size_t vectors = tile_vectors>
class Tile {
 public:
  [[gnu::always_inline]] void load(const double* from, std::size_t stride) {
    for_each([&](auto i, auto v) __attribute__((always_inline)) { sums_[i][v] = stored(from + i * stride, v); });
  }
  [[gnu::always_inline]] void store(double* to, std::size_t stride) const {
    for_each([&](auto i, auto v) __attribute__((always_inline)) {
      *reinterpret_cast<Stored*>(to + i * stride + v * vector_lanes) = sums_[i][v];
    });
  }
  /// += or −= left · right over `depth` terms; rows of `right` are `stride` apart.
  template <bool subtract, Layout layout>
  [[gnu::always_inline]] void add(const LeftSide<layout>& left, const double* right, std::size_t stride,
                                  std::size_t depth) {
    for (std::size_t k = 0; k < depth; ++k) add_term<subtract>(left, right, stride, k);
  }
  /// −= with the last term first.
  template <Layout layout>
  [[gnu::always_inline]] void subtract_downwards(const LeftSide<layout>& left, const double* right,
                                                 std::size_t stride, std::size_t depth) {
    for (std::size_t k = depth; k-- > 0;) add_term<true>(left, right, stride, k);
  }
  /// ← D⁻¹ this, D the lower triangle of `diagonal`.
  template <Layout layout>
  [[gnu::always_inline]] void solve(const LeftSide<layout>& diagonal) {
    unrolled<rows>([&](auto i) __attribute__((always_inline)) {
      unrolled<i>([&](auto j) __attribute__((always_inline)) { subtract_row(i, diagonal(i, j), j); });
      scale_row(i, 1.0 / diagonal(i, i));
    });
  }
  /// ← D⁻¹ this, D the upper triangle of `diagonal`; the last term first.
  template <Layout layout>
  [[gnu::always_inline]] void solve_upper(const LeftSide<layout>& diagonal) {
    unrolled<rows>([&](auto from_last) __attribute__((always_inline)) {
      constexpr std::size_t i = rows - 1 - from_last;
      unrolled<from_last>([&](auto j) __attribute__((always_inline)) {
        subtract_row(i, diagonal(i, rows - 1 - j), rows - 1 - j);
      });
      scale_row(i, 1.0 / diagonal(i, i));
    });
  }

 private:
  using Vector [[gnu::vector_size(vector_lanes * sizeof(double))]] = double;
  /// In memory, at the alignment of a double.
  using Stored [[gnu::vector_size(vector_lanes * sizeof(double)), gnu::may_alias, gnu::aligned(alignof(double))]] =
      double;
  static Vector stored(const double* row, std::size_t v) {
    return *reinterpret_cast<const Stored*>(row + v * vector_lanes);
  }
  template <class Body>
  [[gnu::always_inline]] static void for_each(const Body& body) {
    unrolled<rows>([&](auto i) __attribute__((always_inline)) {
      unrolled<vectors>([&](auto v) __attribute__((always_inline)) { body(i, v); });
    });
  }
  [[gnu::always_inline]] void subtract_row(std::size_t i, double factor, std::size_t other) {
    unrolled<vectors>([&](auto v) __attribute__((always_inline)) { sums_[i][v] -= factor * sums_[other][v]; });
  }
  [[gnu::always_inline]] void scale_row(std::size_t i, double factor) {
    unrolled<vectors>([&](auto v) __attribute__((always_inline)) { sums_[i][v] *= factor; });
  }
  template <bool subtract, Layout layout>
  [[gnu::always_inline]] void add_term(const LeftSide<layout>& left, const double* right, std::size_t stride,
                                       std::size_t k) {
    Vector row[vectors];
    unrolled<vectors>([&](auto v) __attribute__((always_inline)) { row[v] = stored(right + k * stride, v); });
    for_each([&](auto i, auto v) __attribute__((always_inline)) {
      if constexpr (subtract)
        sums_[i][v] -= left(i, k) * row[v];
      else
        sums_[i][v] += left(i, k) * row[v];
    });
  }

  Vector sums_[rows][vectors];
};

/// body(first row, rows as a constant) for rows [first, end): whole tiles, then one row at a time.
template <class Body>
void for_each_tile(std::size_t first, std::size_t end, const Body& body) {
  for (; first + tile_rows <= end; first += tile_rows) body(first, std::integral_constant<std::size_t, tile_rows>{});
  for (; first < end; ++first) body(first, std::integral_constant<std::size_t, 1>{});
}

/// The same from the last row up.
template <class Body>
void for_each_tile_upwards(std::size_t first, std::size_t end, const Body& body) {
  for (; (end - first) % tile_rows > 0; --end) body(end - 1, std::integral_constant<std::size_t, 1>{});
  for (; end > first; end -= tile_rows) body(end - tile_rows, std::integral_constant<std::size_t, tile_rows>{});
}

/// body(first column, vectors as a constant) for so many columns: whole tiles, then one vector at a time, of which
/// the last may reach beyond them.
template <class Body>
void for_each_tile_column(std::size_t columns, const Body& body) {
  std::size_t first = 0;
  for (; first + tile_columns <= columns; first += tile_columns)
    body(first, std::integral_constant<std::size_t, tile_vectors>{});
  for (; first < columns; first += vector_lanes) body(first, std::integral_constant<std::size_t, 1>{});
}

}  // namespace carbo::internal
