#pragma once

#include <cmath>

#include "bench/backends/model_kernels.hpp"

/// What the formulas of kernels are made of.
namespace carbo::bench::device_work {

// Operations of the scalar formulas in kernels/, as nvcc compiled them. The means over the regimes of log h and of
// sums of exponentials are those of picks late in a run.
inline constexpr double matern = 37 + 14;  // 14 of them for the root
// An entry of the gradient: Matérn with its slope, weight, sums over a warp; then as much for each column.
inline constexpr double gradient_entry = 45.4 + 14 + 0.125 * operations_per_division;
inline constexpr double gradient_column = 4.63;
inline constexpr double ceiling_base = 69;
inline constexpr double ceiling_member = 51 + 3 * operations_per_division;
inline constexpr double ceiling_mean = 56 + 3 * operations_per_division;
inline constexpr double score_base = 70;
inline constexpr double score_member = 40 + 2 * operations_per_division;
inline constexpr double score_mean = 125 + 2 * operations_per_division;

// Slots of a correlation beside the two a column of its distance, and slots a flop of formulas that are multiply-adds
// and others in like shares (scripts/issue_slots: 512 and 32 a column for 16 rows of `pass`, one of them each the
// mean's).
inline constexpr double matern_slots = 31;
inline constexpr double usual_slots = matern_slots / matern;
inline constexpr double product_slots = 0.5;  // a flop of multiply-adds

inline constexpr double block_threads = 256;
inline constexpr double pass_threads = 128;
inline constexpr double pass_rows = 16;
inline constexpr double tile_entries = tile * tile;
inline constexpr double coordinate_chunk = 16;  // of a tile of points by points

inline double ceil_to(double value, double step) { return std::ceil(value / step) * step; }
inline double triangle(double n) { return n * (n + 1) / 2; }
/// Tiles of the lower triangle of a matrix over pairs of points.
inline double triangle_tiles(double n) { return triangle(std::ceil(n / tile)); }

/// `traffic`: what must be moved; `broadcast`: what is asked for besides, and stays in caches.
inline StageWork kernel(double flops, double traffic, double broadcast) {
  return {.stage = {},
          .flops = flops,
          .slots = usual_slots * flops,
          .bytes = traffic,
          .launches = 1,
          .requested_bytes = traffic + broadcast};
}

/// The same for loops whose slots are known.
inline StageWork kernel_of(double flops, double slots, double traffic, double broadcast) {
  StageWork work = kernel(flops, traffic, broadcast);
  work.slots = slots;
  return work;
}

inline StageWork call(double operations, double elements) {
  return {.stage = {},
          .flops = operations,
          .slots = product_slots * operations,
          .bytes = number_bytes * elements,
          .library_calls = 1,
          .requested_bytes = number_bytes * elements};
}

/// Correlations of a tile of candidates with `rows` rows, a tile of rows at a time; `entry`: flops or slots of one
/// beside its distance, `column`: of a column of that.
inline double tile_correlations(double d, double rows, double entry, double column) {
  return std::ceil(rows / tile) * (tile * d + (column * d + entry) * tile_entries);
}
inline double tile_correlations(double d, double rows) { return tile_correlations(d, rows, matern, 3); }
inline double correlation_slots(double d, double rows) { return tile_correlations(d, rows, matern_slots, 2); }

}  // namespace carbo::bench::device_work
