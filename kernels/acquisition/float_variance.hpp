#pragma once

#include <cmath>

#include "acquisition/float_margin.hpp"
#include "formulas/host_device.hpp"
#include "formulas/matern_float.hpp"
#include "formulas/multiply_add.hpp"

/// \file
/// A posterior variance from above, by products with the first rows of L⁻¹ in float32.
///
/// With prior variance s² row i of v = L⁻¹k is s times Σ_j w_ij ρ_j, w_ij = s L⁻¹_ij, a sum of correlations as in
/// float_margin.hpp: weights are divided by a power of two that is above the largest of their row, stretches of
/// `float_rows` terms are added up, and then these, each of which rounds once more. So the sum is off by at most
/// e_i = share · Σ_j |w_ij| ρ_j + slack_i, float64's own rounding of it included, with Σ |w_ij| ρ_j from float32.
/// s² − ‖v‖² is therefore at most s² (1 − Σ_i max(0, |v_i / s| − e_i)²): a row of which little is certain counts
/// little, and no row can do harm. What is left of the proof are the roundings of this sum itself.

namespace carbo::kernels {

/// Rows of L⁻¹ at most.
constexpr int most_float_variance_rows = 256;
/// Stretches of a row that are added up, each with one rounding.
constexpr int float_stretches = most_float_variance_rows / float_rows;
/// Above the roundings of an error itself, which are three.
constexpr double float_error_room = 1.0 + 0x1p-20;
/// Roundings of a square of what is certain, and of at most 16 of them added up.
constexpr double certain_roundings = 20.0;
/// Deviations by float32 that are larger by a greater share than this drop too few contenders.
constexpr double worthwhile_excess = 0.25;

/// What a row has in common for all candidates.
struct FloatVarianceRow {
  float unit;   ///< power of two above the largest |w|
  float slack;  ///< part of the error that depends on no candidate
};

/// A power of two above `largest`; infinite where float32 has none, so that nothing of the row is certain.
CARBO_HOST_DEVICE inline float float_unit_above(double largest) {
  constexpr std::int32_t exponent = 0x7f800000, one = 0x00800000;
  const std::int32_t bits = bits_of_float(static_cast<float>(largest)) & exponent;
  return float_of(bits < exponent ? bits + one : exponent);
}

/// 1 / unit, without rounding; 0 for those that have no such number in float32, so that nothing of the row is
/// certain.
CARBO_HOST_DEVICE inline float inverse_of_unit(float unit) {
  constexpr std::int32_t of_reciprocal = 0x7f000000;
  const std::int32_t bits = of_reciprocal - bits_of_float(unit);
  return bits > 0 ? float_of(bits) : 0.0f;
}

/// `largest` and `total`: of |w| over the row, in float64.
CARBO_HOST_DEVICE inline FloatVarianceRow float_variance_row(double largest, double total, double columns) {
  const double far = second_order * float_roundoff * (0.5 * columns + 2.0) * far_share;
  const double most_roundings = most_entry_error / float_roundoff;
  const double wide = 4.0 * double_roundoff * (most_float_variance_rows + most_roundings) + 0x1p-90;
  return {float_unit_above(largest), static_cast<float>(float_error_room * (far + wide) * total + 0x1p-126)};
}

/// Of Σ |w| ρ; infinite where there is no margin. `reach`: see float_roundings.
CARBO_HOST_DEVICE inline float float_variance_share(double reach, double columns) {
  if (!float_margin_exists(reach, columns)) return static_cast<float>(HUGE_VAL);
  const double roundings = float_roundings(reach, columns) + float_stretches;
  return static_cast<float>(float_error_room * second_order * float_roundoff * roundings);
}

/// What |v_i / s| is at least; `sum` and `absolute`: Σ w ρ and Σ |w| ρ over the row's unit, in float32.
CARBO_HOST_DEVICE inline float certain_part(const FloatVarianceRow& row, float sum, float absolute, float share) {
  const float error = multiply_add(row.unit * absolute, share, row.slack);
  const float least = fabsf(row.unit * sum) - error;
  return least > 0.0f ? least : 0.0f;
}

/// s² − ‖v‖² from above; `certain`: Σ of squares of certain parts, of which float32 added up at most 16 at a time.
CARBO_HOST_DEVICE inline double float_variance(double prior_variance, double certain) {
  const double explained = (1.0 - certain_roundings * float_roundoff) * certain;
  return prior_variance * (1.0 - explained) + 8.0 * double_roundoff * prior_variance;
}

}  // namespace carbo::kernels
