#pragma once

#include <cmath>
#include <cstdint>
#if !defined(__CUDA_ARCH__)
#include <bit>
#endif

#include "formulas/host_device.hpp"
#include "formulas/multiply_add.hpp"
#include "formulas/root.hpp"

/// \file
/// The Matérn-5/2 correlation in float32, for bounds on weighted sums of it: see acquisition/float_margin.hpp, which
/// counts in units of u = 2⁻²⁴ what each of these lines may err by, fused or not.

namespace carbo::kernels {

/// √5 r beyond which a correlation counts as what it is there, 4.0e-32.
constexpr float farthest_float = 80.0f;

CARBO_HOST_DEVICE inline std::int32_t bits_of_float(float value) {
#if defined(__CUDA_ARCH__)
  return __float_as_int(value);
#else
  return std::bit_cast<std::int32_t>(value);
#endif
}

CARBO_HOST_DEVICE inline float float_of(std::int32_t bits) {
#if defined(__CUDA_ARCH__)
  return __int_as_float(bits);
#else
  return std::bit_cast<float>(bits);
#endif
}

/// exp(−x) for 0 ≤ x ≤ farthest_float within 4 u of its value: 1.8 by the polynomial, which is the best of its degree
/// for |r| ≤ ln 2 / 2; 0.4 by r, whose first difference is exact; 1.7 by the three last sums. As exp_negative,
/// without branches or calls.
CARBO_HOST_DEVICE inline float exp_negative_float(float x) {
  constexpr float log2_e = 1.44269504f;
  constexpr float ln2_high = 0x1.62e4p-1f;  // a multiple of 2⁻¹⁵: k · ln2_high is exact for |k| ≤ 116
  constexpr float ln2_low = 0x1.7f7d1cp-20f;
  constexpr float rounder = 0x1.8p23f;
  const float shifted = multiply_add(-x, log2_e, rounder);
  const float k = shifted - rounder;
  const float r = multiply_add(-k, ln2_low, multiply_add(-k, ln2_high, -x));
  const float q01 = multiply_add(r, 0.16667114631204522f, 0.4999923148484542f);
  const float q23 = multiply_add(r, 0.008312521846532608f, 0.04189015730170016f);
  const float r2 = r * r;
  const float exponential = 1.0f + multiply_add(r2, multiply_add(r2, q23, q01), r);
  const float power = float_of((bits_of_float(shifted) + 127) << 23);
  return exponential * power;
}

/// Matérn-5/2 correlation from 5 r², which may be infinite or NaN: these count as far away.
CARBO_HOST_DEVICE inline float matern_float(float five_squared_distances) {
  constexpr float farthest = farthest_float * farthest_float;
  const float a = branchless_root(five_squared_distances < farthest ? five_squared_distances : farthest);
  return multiply_add(a, multiply_add(a, 1.0f / 3.0f, 1.0f), 1.0f) * exp_negative_float(a);
}

}  // namespace carbo::kernels
