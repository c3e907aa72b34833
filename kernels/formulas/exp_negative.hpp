#pragma once

#include <cstdint>
#if !defined(__CUDA_ARCH__)
#include <bit>
#endif

#include "formulas/host_device.hpp"
#include "formulas/multiply_add.hpp"

namespace carbo::kernels {

CARBO_HOST_DEVICE inline std::int64_t bits_of(double value) {
#if defined(__CUDA_ARCH__)
  return __double_as_longlong(value);
#else
  return std::bit_cast<std::int64_t>(value);
#endif
}

CARBO_HOST_DEVICE inline double double_of(std::int64_t bits) {
#if defined(__CUDA_ARCH__)
  return __longlong_as_double(bits);
#else
  return std::bit_cast<double>(bits);
#endif
}

/// exp(−x) for x ≥ 0 within 2 ulp; 0 beyond x = 708 (where exp(−x) < 3.4e-308); NaN stays NaN. Without branches or
/// calls, so that loops over it become vector code, and the same on host and device up to contraction.
CARBO_HOST_DEVICE inline double exp_negative(double x) {
  constexpr double log2_e = 1.4426950408889634;
  constexpr double ln2_high = 0x1.62e42fefa3800p-1;  // 11 trailing zero bits: k · ln2_high is exact for |k| < 2048
  constexpr double ln2_low = 0x1.ef35793c76730p-45;
  constexpr double rounder = 0x1.8p52;  // adding it leaves the nearest integer in the low bits
  const double shifted = multiply_add(-x, log2_e, rounder);
  const double k = shifted - rounder;
  const double r = multiply_add(-k, ln2_low, multiply_add(-k, ln2_high, -x));  // exp(−x) = 2^k exp(r), |r| ≤ ln 2 / 2
  // exp(r) = 1 + r + r² q(r); q in two halves for a shorter dependency chain.
  const double r2 = r * r;
  const double r4 = r2 * r2;
  const double q01 = multiply_add(r, 0.16666666666666669, 0.5000000000000001);
  const double q23 = multiply_add(r, 0.008333333333330039, 0.041666666666623824);
  const double q45 = multiply_add(r, 0.00019841269863171557, 0.0013888888917367081);
  const double q67 = multiply_add(r, 2.7557268276905696e-06, 2.4801521057868204e-05);
  const double q89 = multiply_add(r, 2.5100472505694996e-08, 2.7620201591031547e-07);
  const double high = multiply_add(r4, q89, multiply_add(r2, q67, q45));
  const double q = multiply_add(r4, high, multiply_add(r2, q23, q01));
  const double exponential = 1.0 + multiply_add(r2, q, r);
  const double power = double_of((bits_of(shifted) + 1023) << 52);
  return x > 708.0 ? 0.0 : exponential * power;
}

}  // namespace carbo::kernels
