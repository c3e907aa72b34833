#pragma once

#include <cmath>
#include <cstdint>

#include "formulas/exp_negative.hpp"
#include "formulas/float_pair.hpp"
#include "formulas/host_device.hpp"
#include "formulas/matern_float.hpp"

/// \file
/// The Matérn-5/2 correlation by pairs of float32: see acquisition/pair_margin.hpp, which counts what each of these
/// lines may err by.

namespace carbo::kernels {

/// exp(−x) = 2^(−k/16) exp(r), |r| ≤ ln 2 / 32: the powers are looked up.
constexpr int pair_powers = 16;

/// 2^(−j / pair_powers).
CARBO_HOST_DEVICE inline FloatPair power_pair(int j) {
  constexpr double ln2 = 0.6931471805599453;
  return pair_of(exp_negative(j * (ln2 / pair_powers)));
}

/// 1/√x within 2⁻²².
CARBO_HOST_DEVICE inline float rough_inverse_root(float x) {
#if defined(__CUDA_ARCH__)
  float y;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return 1.0f / std::sqrt(x);
#endif
}

/// √(high + low) within 2⁻⁴³ of itself; about 2⁻⁵⁰ below 2⁻¹⁰⁰. |low| ≤ u high.
CARBO_HOST_DEVICE inline FloatPair pair_root(const FloatPair& squared) {
  const float x = fmaxf(squared.high, 0x1p-100f);
  const float y = rough_inverse_root(x), half = 0.5f * y;
  const float near = rounded_product(x, y);
  const float root = fmaf(fmaf(near, -near, x), half, near);
  return {root, rounded_product(fmaf(root, -root, x) + squared.low, half)};
}

/// exp(−x.high − x.low) for 0 ≤ x ≤ 81. `powers`: power_pair(0) to power_pair(pair_powers − 1).
CARBO_HOST_DEVICE inline FloatPair exp_negative_pair(const FloatPair& x, const FloatPair* powers) {
  constexpr float steps = 23.0831206542234f;         // 16 / ln 2
  constexpr float step_high = 0.04332169878499658f;  // ln 2 / 16, a multiple of 2⁻²⁸
  constexpr float step_low = static_cast<float>(0.04332169878499658 - static_cast<double>(step_high));
  constexpr float rounder = 0x1.8p23f;
  const float shifted = fmaf(x.high, steps, rounder);
  const float k = shifted - rounder;
  const std::int32_t index = bits_of_float(shifted) & 0xfff;
  const float r = fmaf(k, step_high, -x.high);  // exact
  const float r_low = fmaf(k, step_low, -x.low);
  const float curved = rounded_product(rounded_product(r, r), fmaf(r, fmaf(r, 0x1.555556p-5f, 0x1.555556p-3f), 0.5f));
  const FloatPair rest = ordered_sum(r, fmaf(r_low, 1.0f + (r + curved), curved));  // exp(r + r_low) − 1
  const FloatPair& power = powers[index % pair_powers];
  const FloatPair product = exact_product(power.high, rest.high);
  const FloatPair sum = ordered_sum(power.high, product.high);
  const float beside = fmaf(power.high, rest.low, product.low) + fmaf(power.low, rest.high, power.low);
  const float scale = float_of((127 - index / pair_powers) << 23);
  return {sum.high * scale, (sum.low + beside) * scale};
}

/// 1 + a + q / 3 for a = √q.
CARBO_HOST_DEVICE inline FloatPair matern_polynomial_pair(const FloatPair& a, const FloatPair& squared) {
  constexpr float third = 1.0f / 3.0f;
  constexpr float third_low = static_cast<float>(1.0 / 3.0 - static_cast<double>(third));
  const FloatPair thirds = exact_product(squared.high, third);
  const float beside = fmaf(squared.low, third, fmaf(squared.high, third_low, thirds.low)) + a.low;
  const FloatPair linear = exact_sum(1.0f, a.high);
  const FloatPair sum = exact_sum(linear.high, thirds.high);
  return {sum.high, sum.low + (linear.low + beside)};
}

/// Matérn-5/2 correlation from 5 r²; from farthest_float on it counts as what it is there.
CARBO_HOST_DEVICE inline FloatPair matern_pair(const PairedSquares& squares, const FloatPair* powers) {
  constexpr float farthest = farthest_float * farthest_float;
  const bool near = squares.high < farthest;
  const float high = near ? squares.high : farthest;
  const FloatPair squared = exact_sum(high, near ? fmaxf(squares.rest, -high) : 0.0f);
  const FloatPair a = pair_root(squared);
  const FloatPair polynomial = matern_polynomial_pair(a, squared);
  const FloatPair exponential = exp_negative_pair(a, powers);
  const FloatPair product = exact_product(polynomial.high, exponential.high);
  return {product.high, fmaf(polynomial.high, exponential.low, fmaf(polynomial.low, exponential.high, product.low))};
}

}  // namespace carbo::kernels
