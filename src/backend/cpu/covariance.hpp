#pragma once

#include <cstddef>

#include "backend/cpu_sizes.hpp"
#include "formulas/matern.hpp"

namespace carbo::internal {

/// Rows of stored points are padded to a multiple of this; loops over them have no remainder.
inline constexpr std::size_t lane_multiple = 8;

/// Narrower panels for a few candidates are a multiple of this, for the same reason.
inline constexpr std::size_t narrow_multiple = 24;
inline std::size_t lanes_for(std::size_t candidates) {
  const std::size_t lanes = (candidates + narrow_multiple - 1) / narrow_multiple * narrow_multiple;
  return lanes < panel_width ? lanes : panel_width;
}

inline std::size_t padded(std::size_t count) { return (count + lane_multiple - 1) / lane_multiple * lane_multiple; }

/// Points by coordinate: coordinate c of point j is data[c · stride + j].
struct PointColumns {
  const double* data = nullptr;
  std::size_t stride = 0;
  std::size_t columns = 0;
};

/// squared[j] = or += the squares of two or four differences, `x` the first of their columns.
template <bool continued>
[[gnu::always_inline]] inline void square_two(const double* point, std::size_t point_stride,
                                              const double* __restrict x, std::size_t stride, std::size_t count,
                                              double* __restrict squared) {
  const double p0 = point[0];
  const double p1 = point[point_stride];
  const double* __restrict x1 = x + stride;
  for (std::size_t j = 0; j < count; ++j) {
    const double a0 = x[j] - p0;
    const double a1 = x1[j] - p1;
    const double sum = a0 * a0 + a1 * a1;
    squared[j] = continued ? squared[j] + sum : sum;
  }
}

template <bool continued>
[[gnu::always_inline]] inline void square_four(const double* point, std::size_t point_stride,
                                               const double* __restrict x, std::size_t stride, std::size_t count,
                                               double* __restrict squared) {
  const double p0 = point[0];
  const double p1 = point[point_stride];
  const double p2 = point[2 * point_stride];
  const double p3 = point[3 * point_stride];
  const double* __restrict x1 = x + stride;
  const double* __restrict x2 = x1 + stride;
  const double* __restrict x3 = x2 + stride;
  for (std::size_t j = 0; j < count; ++j) {
    const double a0 = x[j] - p0;
    const double a1 = x1[j] - p1;
    const double a2 = x2[j] - p2;
    const double a3 = x3[j] - p3;
    const double sum = (a0 * a0 + a1 * a1) + (a2 * a2 + a3 * a3);
    squared[j] = continued ? squared[j] + sum : sum;
  }
}

/// squared[j] = Σ_c (points[c][first + j] − point[c · point_stride])² for 0 ≤ j < count ≤ panel_width.
/// Coordinates are already divided by the lengthscales. `count` is a multiple of lane_multiple.
[[gnu::always_inline]] inline void squared_distances(const double* point, std::size_t point_stride,
                                                     const PointColumns& points, std::size_t first, std::size_t count,
                                                     double* __restrict squared) {
  const double* __restrict x = points.data + first;
  const std::size_t stride = points.stride;
  std::size_t c = 0;
  if (points.columns % 2 == 1) {
    const double p = point[0];
    for (std::size_t j = 0; j < count; ++j) {
      const double a = x[j] - p;
      squared[j] = a * a;
    }
    c = 1;
  } else if (points.columns >= 4) {
    square_four<false>(point, point_stride, x, stride, count, squared);
    c = 4;
  } else {
    square_two<false>(point, point_stride, x, stride, count, squared);
    c = 2;
  }
  for (; c + 4 <= points.columns; c += 4)
    square_four<true>(point + c * point_stride, point_stride, x + c * stride, stride, count, squared);
  for (; c < points.columns; c += 2)
    square_two<true>(point + c * point_stride, point_stride, x + c * stride, stride, count, squared);
}

/// out[j] = scale · Matérn(squared[j]).
inline void matern_row(const double* __restrict squared, std::size_t count, double scale, double* __restrict out) {
  for (std::size_t j = 0; j < count; ++j) out[j] = scale * kernels::matern(squared[j]);
}

/// sum[j] += scale · Matérn(squared[j]).
inline void add_matern_row(const double* __restrict squared, std::size_t count, double scale,
                           double* __restrict sum) {
  for (std::size_t j = 0; j < count; ++j) sum[j] += scale * kernels::matern(squared[j]);
}

/// Both: sum[j] += weight · Matérn(squared[j]), and out[j] = scale · Matérn(squared[j]).
inline void matern_row_and_sum(const double* __restrict squared, std::size_t count, double scale, double weight,
                               double* __restrict out, double* __restrict sum) {
  for (std::size_t j = 0; j < count; ++j) {
    const double correlation = kernels::matern(squared[j]);
    sum[j] += weight * correlation;
    out[j] = scale * correlation;
  }
}

/// Covariances of one point with points [0, count), in chunks of a panel; `out` has room for padded(count).
inline void covariance_row(const double* point, std::size_t point_stride, const PointColumns& points,
                           std::size_t count, double signal_variance, double* out) {
  alignas(64) double squared[panel_width];
  const std::size_t end = padded(count);
  for (std::size_t first = 0; first < end; first += panel_width) {
    const std::size_t width = end - first < panel_width ? end - first : panel_width;
    squared_distances(point, point_stride, points, first, width, squared);
    matern_row(squared, width, signal_variance, out + first);
  }
}

}  // namespace carbo::internal
