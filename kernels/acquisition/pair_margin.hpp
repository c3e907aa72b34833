#pragma once

#include <cmath>

#include "acquisition/float_margin.hpp"
#include "formulas/float_pair.hpp"
#include "formulas/host_device.hpp"

/// \file
/// How far a posterior mean by pairs of float32 may lie from the same mean in float64: the proof of float_margin.hpp
/// with other roundings. Coordinates are divided, moved and multiplied by √5 as there, then taken apart into a point
/// of a grid of distance g = pair_grid and the rest, at most g/2 each. With u = 2⁻²⁴, d columns, h and l the
/// differences of both parts, q = Σ h² + Σ l (2h + l) and a = √q:
/// - rests are rounded by at most u g/4 each, their difference by u g/2: a moves by at most √d u g;
/// - h, h² and their sums are exact below 2⁸; from there on d roundings of u q each;
/// - the sum beside it has d + 1 roundings, of Σ |l| |2h + l| ≤ g √d (2a + g √d);
/// - d log ρ / dq = −(1 + a) / (6 + 6a + 2a²), which is at most 1/6 and at most 1/(2a) in size, so that ρ changes by
///   at most (d + 1) √d u g + (d + 1) d u g² / 6 of itself, and where q ≥ 2⁸ by (d/2) u a more: a ρ ≤ pair_far_share
///   there;
/// - the root errs by 2⁻⁴³, the exponential by 2⁻³² (of which its polynomial makes 4e-11, roundings in float32 of
/// what
///   is below 2.5e-4 make 6e-11, and what exp(x) − 1 − x is for the lower part of its argument 6e-11), all else by
///   few u²; weights by u², products and sums of `pair_rows` terms by (pair_rows + 4)² u²: together below 2 u g.

namespace carbo::kernels {

/// Terms that are added up in pairs before float64 takes over, by a thread.
constexpr int pair_rows = 128;
/// Roundings of an entry in units of u g that do not depend on its point.
constexpr double pair_entry_roundings = 2.0;
/// Columns for which a ≥ 15.9 where Σ h² ≥ 2⁸, and a ρ(a) at most from there on.
constexpr double most_pair_columns = 600.0;
constexpr double pair_far_share = 2.1e-4;

CARBO_HOST_DEVICE inline bool pair_margin_exists(double reach, double columns) {
  return float_margin_exists(reach, columns) && columns <= most_pair_columns;
}

CARBO_HOST_DEVICE inline SumErrors pair_sum_errors(double columns) {
  constexpr double grid = static_cast<double>(pair_grid), unit = float_roundoff * grid;
  const double of_distance = (columns + 2.0) * sqrt(columns) + (columns + 1.0) * columns * grid / 6.0;
  return {unit * (pair_entry_roundings + of_distance), float_roundoff * 0.5 * columns * pair_far_share};
}

}  // namespace carbo::kernels
