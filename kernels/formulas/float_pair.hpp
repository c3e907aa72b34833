#pragma once

#include <cmath>

#include "formulas/host_device.hpp"

/// \file
/// Numbers as sums of two in float32, for cards on which float64 is slow. What is exact here is so because nothing is
/// fused but by fmaf: device code is compiled without contraction, and on the host a product that is added to
/// something comes from `rounded_product`.

namespace carbo::kernels {

struct FloatPair {
  float high;
  float low;
};

/// a · b, rounded before anything is added to it.
CARBO_HOST_DEVICE inline float rounded_product(float a, float b) {
#if defined(__CUDA_ARCH__)
  return __fmul_rn(a, b);
#else
  return fmaf(a, b, -0.0f);
#endif
}

/// a · b.
CARBO_HOST_DEVICE inline FloatPair exact_product(float a, float b) {
  const float product = rounded_product(a, b);
  return {product, fmaf(a, b, -product)};
}

/// a + b.
CARBO_HOST_DEVICE inline FloatPair exact_sum(float a, float b) {
  const float sum = a + b;
  const float of_b = sum - a;
  return {sum, (a - (sum - of_b)) + (b - of_b)};
}

/// a + b where |a| ≥ |b|; elsewhere the lower part may be off by 2u |b|.
CARBO_HOST_DEVICE inline FloatPair ordered_sum(float a, float b) {
  const float sum = a + b;
  return {sum, b - (sum - a)};
}

/// Within 2⁻⁴⁸ of a number and of its size.
CARBO_HOST_DEVICE inline FloatPair pair_of(double number) {
  const auto high = static_cast<float>(number);
  return {high, static_cast<float>(number - static_cast<double>(high))};
}

/// Distance of the grid that high parts of coordinates lie on: squares of their differences add up without rounding
/// below 2⁸, where correlations are above 1.2e-5.
constexpr float pair_grid = 0x1p-8f;

/// A coordinate below 2¹⁶ as a point of the grid and what is left, which is at most half of `pair_grid`, rounded.
CARBO_HOST_DEVICE inline FloatPair grid_pair(double coordinate) {
  constexpr double rounder = 0x1.8p52 * static_cast<double>(pair_grid);
  const double high = (coordinate + rounder) - rounder;
  return {static_cast<float>(high), static_cast<float>(coordinate - high)};
}

/// A sum of squares of differences: of high parts, exact up to 2⁸, and all that is beside it.
struct PairedSquares {
  float high;
  float rest;
};

/// Adds (x − p)² = h² + l (2h + l); both are grid_pairs.
CARBO_HOST_DEVICE inline void add_square(const FloatPair& x, const FloatPair& p, PairedSquares& squares) {
  const float high = x.high - p.high, low = x.low - p.low;
  squares.high = fmaf(high, high, squares.high);
  squares.rest = fmaf(low, fmaf(2.0f, high, low), squares.rest);
}

/// Adds weight · value, of which what is rounded off is kept in `sum.low`.
CARBO_HOST_DEVICE inline void add_product(const FloatPair& weight, const FloatPair& value, FloatPair& sum) {
  const FloatPair product = exact_product(weight.high, value.high);
  const float beside = fmaf(weight.low, value.high, fmaf(weight.high, value.low, product.low));
  const FloatPair added = exact_sum(sum.high, product.high);
  sum = {added.high, sum.low + (added.low + beside)};
}

/// Adds a part to a sum in float32, of which what is rounded off is kept.
CARBO_HOST_DEVICE inline void add_part(float part, FloatPair& sum) {
  const FloatPair added = exact_sum(sum.high, part);
  sum = {added.high, sum.low + added.low};
}

/// Such a sum, which begins anew.
CARBO_HOST_DEVICE inline double taken(FloatPair& sum) {
  const double value = static_cast<double>(sum.high) + static_cast<double>(sum.low);
  sum = {};
  return value;
}

}  // namespace carbo::kernels
