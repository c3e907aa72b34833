#pragma once

#include <cmath>

#include "formulas/exp_negative.hpp"
#include "formulas/host_device.hpp"
#include "formulas/polynomial.hpp"

namespace carbo::kernels {

/// h(−t) / φ(t) for t ≥ 1: z² P(z) / Q(z) with z = 1/t, all coefficients positive, relative error 5e-17 before
/// rounding. Made by scripts/make_log_h_reference.py, as the coefficients below.
CARBO_HOST_DEVICE inline double h_tail_ratio(double t) {
  constexpr double numerator[] = {1.0,
                                  23.199552577830183,
                                  282.64781324085317,
                                  2265.2281921107974,
                                  12945.033973225154,
                                  54254.452253273914,
                                  166373.6320543938,
                                  360865.3175461287,
                                  506512.1572235204,
                                  356769.86177538557};
  constexpr double denominator[] = {1.0,
                                    23.199552577830083,
                                    285.6478132409079,
                                    2334.8268498325406,
                                    13786.977414250796,
                                    60910.939427148645,
                                    203554.85093191647,
                                    511011.5672729957,
                                    939422.7747992671,
                                    1199327.0685177064,
                                    953656.874573126,
                                    356769.8610879986};
  const double z = 1.0 / t;
  return z * z * polynomial(numerator, z) / polynomial(denominator, z);
}

/// h(u) − u/2, an even function, for |u| ≤ 1; absolute error 1e-19 before rounding.
CARBO_HOST_DEVICE inline double h_even_part(double u) {
  constexpr double coefficients[] = {0.3989422804014327,     0.19947114020071632,     -0.01662259501672549,
                                     0.0016622595016590118,  -0.00014841602682580485, 1.1543468250011212e-05,
                                     -7.870531925158299e-07, 4.756642428246437e-08,   -2.5732497054595735e-09,
                                     1.2371012877283599e-10, -4.512615415000711e-12};
  return polynomial(coefficients, u * u);
}

/// log h(u), h(u) = φ(u) + u Φ(u): the logarithm of expected improvement in units of the standard deviation.
/// Finite for −1e154 < u < ∞, relative error below 1e-14 (absolute near its zero at u ≈ 0.9); −∞ at −∞ (and where
/// u² overflows), ∞ at ∞, NaN for NaN. Three regimes, clamped to the exact values where they meet, so that the order
/// of two candidates is right across a join.
CARBO_HOST_DEVICE inline double log_h(double u) {
  constexpr double log_sqrt_2pi = 0.9189385332046728;
  constexpr double at_minus_one = -2.4851210257126413;
  constexpr double at_one = 0.08002621884930694;
  if (u <= -1.0) {
    const double half_square = 0.5 * u * u;
    // Beyond t = 1e9 the logarithm is below the last bit of t²/2; its argument would underflow in time.
    const double ratio = u < -1e9 ? 1e-18 : h_tail_ratio(-u);
    const double value = (log(ratio) - log_sqrt_2pi) - half_square;
    return value < at_minus_one ? value : at_minus_one;
  }
  if (u < 1.0) {
    const double value = log(0.5 * u + h_even_part(u));
    return value < at_minus_one ? at_minus_one : (value > at_one ? at_one : value);
  }
  constexpr double inverse_sqrt_2pi = 0.3989422804014327;
  // h(u) = u + h(−u); beyond u = 40 the second term is below the last bit, and u² may overflow.
  const double rest = u > 40.0 ? 0.0 : inverse_sqrt_2pi * exp_negative(0.5 * u * u) * h_tail_ratio(u);
  const double value = log(u + rest);
  return value < at_one ? at_one : value;
}

}  // namespace carbo::kernels
