#pragma once

#include <cmath>

#include "formulas/exp_negative.hpp"
#include "formulas/host_device.hpp"
#include "formulas/log_h.hpp"

namespace carbo::kernels {

/// log g(γ), g(γ) = γ φ(γ) / (2 Φ(γ)) − log Φ(γ): the logarithm of the entropy, in nats, that a normal distribution
/// loses where it is cut off γ deviations below its mean. Falls with γ. Relative error of g below 1e-14; finite for
/// −1e300 < γ < 1e154, −∞ beyond, ∞ at −∞, NaN for NaN.
///
/// With Mills' ratio M(t) = Φ(−t)/φ(t) and W(t) = 1 − t M(t) = h(−t)/φ(t), nothing cancels: below −1,
/// g(−t) = log(√2π / M) − t W / (2 M); above 1, with q = Φ(−t) = φ M, g(t) = φ (t / (2 (1 − q)) − M log(1 − q) / q).
/// Clamped to the exact values where the regimes meet, as log_h.
CARBO_HOST_DEVICE inline double log_entropy_gain(double gamma) {
  constexpr double log_sqrt_2pi = 0.9189385332046728;
  constexpr double inverse_sqrt_2pi = 0.3989422804014327;
  constexpr double inverse_sqrt_2 = 0.7071067811865475;
  constexpr double at_minus_one = 0.07552854053093902;
  constexpr double at_one = -1.1502621798086021;
  constexpr double far = 1e9;  // where 1/t² is below the last bit
  const double t = fabs(gamma);
  if (gamma <= -1.0) {
    const double rest = t < far ? h_tail_ratio(t) : 0.0;
    const double square_rest = t < far ? t * (t * rest) : 1.0;
    const double value = log(log_sqrt_2pi + log(t / (1.0 - rest)) - 0.5 * square_rest / (1.0 - rest));
    return value < at_minus_one ? at_minus_one : value;
  }
  if (gamma < 1.0) {
    const double below = 0.5 * erfc(-gamma * inverse_sqrt_2);
    const double density = inverse_sqrt_2pi * exp_negative(0.5 * gamma * gamma);
    const double value = log(0.5 * gamma * density / below - log(below));
    return value > at_minus_one ? at_minus_one : (value < at_one ? at_one : value);
  }
  const double half_square = 0.5 * t * t;
  const double mills = t < far ? (1.0 - h_tail_ratio(t)) / t : 0.0;
  const double tail = inverse_sqrt_2pi * exp_negative(half_square) * mills;
  // −log(1 − q) / q; by its series where the quotient would be 0 / 0.
  const double quotient = tail > 1e-4 ? -log1p(-tail) / tail : 1.0 + tail * (0.5 + tail * (1.0 / 3 + 0.25 * tail));
  const double finite = t < 1e300 ? t : 1e300;  // at ∞ the square alone counts
  const double value = (log(0.5 * finite / (1.0 - tail) + mills * quotient) - log_sqrt_2pi) - half_square;
  return value > at_one ? at_one : value;
}

}  // namespace carbo::kernels
