#pragma once

#include <cmath>

#include "formulas/host_device.hpp"

/// \file
/// How far a posterior mean from correlations in float32 may lie from the same mean in float64.
///
/// A candidate x and points p_i, divided by the lengthscales, moved by one vector and multiplied by √5, are rounded
/// to float32; a_i = ‖x − p_i‖, and ρ(a) is the Matérn correlation. With u = 2⁻²⁴ and d columns:
/// - rounded coordinates move a_i by at most u (‖x‖ + ‖p_i‖);
/// - differences, their squares, the sums of these and the root multiply it by at most 1 ± (d/2 + 2) u;
/// - |d log ρ / da| < 1, so that ρ changes by no more than that share of itself;
/// - the polynomial (5), the exponential (4), their product, the weight and its product (3) add 12 u, and a sum of
///   `float_rows` terms of one sign as many more.
/// Together, for weights w_i: |Δ Σ w ρ| ≤ u Σ |w_i| ρ_i (12 + float_rows + ‖x‖ + ‖p_i‖ + (d/2 + 2) a_i). Points that
/// are far away count little: (a − A) ρ(a) ≤ far_share for A = far_distance and all a, so that Σ |w_i| a_i ρ_i ≤ A Σ
/// |w_i| ρ_i + far_share Σ |w_i|, and no sum but Σ |w_i| ρ_i is needed, beside the sum or on its way.

namespace carbo::kernels {

/// Of float32: half of what 1 and the next number differ by.
constexpr double float_roundoff = 0x1p-24;
constexpr double double_roundoff = 0x1p-53;
/// Terms that are added up in float32 before float64 takes over.
constexpr int float_rows = 16;
/// Roundings of an entry that do not depend on where its point is.
constexpr double float_entry_roundings = 12.0;
/// max over a of (a − 5) ρ(a) is 0.04903, at a = 6.4.
constexpr double far_distance = 5.0;
constexpr double far_share = 0.0491;
/// Shares of an entry above which the first-order analysis is not trusted: lengthscales far below the pool's extent.
constexpr double most_entry_error = 1e-3;
/// Above the products of such shares, and what rounding does to the margin itself.
constexpr double second_order = 1.01;

/// Roundings of an entry, but for the part of points that are far away. `reach`: ‖x‖ + the largest ‖p_i‖.
CARBO_HOST_DEVICE inline double float_roundings(double reach, double columns) {
  return float_entry_roundings + float_rows + reach + (0.5 * columns + 2.0) * far_distance;
}

/// Whether a margin can be given at all.
CARBO_HOST_DEVICE inline bool float_margin_exists(double reach, double columns) {
  return float_roundings(reach, columns) * float_roundoff < most_entry_error;
}

/// What a sum Σ w_i ρ_i in some precision may be off by at first order, float64's own rounding of it apart.
struct SumErrors {
  double near;  ///< of Σ |w_i| ρ_i
  double far;   ///< of Σ |w_i|
};

CARBO_HOST_DEVICE inline SumErrors float_sum_errors(double reach, double columns) {
  return {float_roundoff * float_roundings(reach, columns), float_roundoff * (0.5 * columns + 2.0) * far_share};
}

/// What a sum Σ w_i ρ_i over `rows` points may be off by, float64's own rounding of it included. `absolute`: Σ |w_i|
/// ρ_i over the points that were taken in low precision, as computed there; `weights`: Σ |w_i| over all. Weights are
/// divided by the largest, or by response_unit, before they are rounded; what float32 then cannot represent, and
/// correlations beyond `farthest_float`, are below 2⁻⁹⁰ Σ |w|.
CARBO_HOST_DEVICE inline double sum_margin(const SumErrors& errors, double absolute, double weights, double reach,
                                           double columns, double rows) {
  const double wide = 4.0 * double_roundoff * (rows + float_roundings(reach, columns)) + 0x1p-90;
  return second_order * (errors.near * absolute + errors.far * weights) + wide * weights;
}

CARBO_HOST_DEVICE inline double float_sum_margin(double absolute, double weights, double reach, double columns,
                                                 double rows) {
  return sum_margin(float_sum_errors(reach, columns), absolute, weights, reach, columns, rows);
}

/// The same of scale · (sum + prior mean) + shift + offset, for the last roundings of which `magnitude`, the sum of
/// the absolute values of all, is given.
CARBO_HOST_DEVICE inline double float_mean_margin(double sum_margin, double scale, double magnitude) {
  return second_order * fabs(scale) * sum_margin + 16.0 * double_roundoff * magnitude;
}

/// What a device divides weights of a response by before it rounds them: 1, or k(x,x) where that is far from 1. They
/// are k(x,x) β_i and, of the point itself, −k(x,x): one is then at least 2⁻⁴⁰ in size, and what float32 cannot
/// represent of a weight or of its product is below 2⁻¹⁴⁹, of 2¹⁸ rows below 2⁻⁹⁰ of that one. Where some |β_i| is so
/// large that sums overflow, above 2⁵⁰ or so, Σ |w| ρ does, too: the error is then infinite or NaN, which bounds
/// nothing.
CARBO_HOST_DEVICE inline double response_unit(double signal_variance) {
  return signal_variance >= 0x1p-40 && signal_variance <= 0x1p60 ? 1.0 : signal_variance;
}

/// A response from low precision, and what the exact one may differ from it by: infinite where that is not known.
struct BoundedResponse {
  double value;
  double error;
};

/// Of the sum Σ w_i ρ_i that is −ℓ r, ℓ the point's pivot, with the margin of that sum.
CARBO_HOST_DEVICE inline BoundedResponse bounded_response(double sum, double margin, double pivot, bool known) {
  const double value = -sum / pivot;
  const double error = second_order * margin / pivot + 4.0 * double_roundoff * fabs(value);
  return {value, known ? error : HUGE_VAL};
}

/// A mean from below, after a response to a point with normal z.
CARBO_HOST_DEVICE inline double lowered_mean(double mean, const BoundedResponse& response, double z) {
  constexpr double rounding = 8.0 * double_roundoff;
  const double moved = response.value * z;
  const double margin = response.error * fabs(z) + rounding * (fabs(mean) + fabs(moved));
  return margin < HUGE_VAL ? (mean + moved) - margin : -HUGE_VAL;
}

/// What a response takes from a variance, at least.
CARBO_HOST_DEVICE inline double least_reduction(const BoundedResponse& response) {
  const double least = fabs(response.value) - response.error;
  return least > 0.0 ? least * least : 0.0;
}

/// A margin below this share of the posterior's deviation costs less in candidates that are computed twice than it
/// saves. Of a log cost, which enters scores as it is, in nats.
constexpr double worthwhile_margin = 0.25;
/// The same of the error of one response: those of a batch add up.
constexpr double worthwhile_response_error = worthwhile_margin / 16.0;

}  // namespace carbo::kernels
