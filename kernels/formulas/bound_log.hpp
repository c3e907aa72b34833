#pragma once

#include <cmath>
#include <cstdint>

#include "formulas/exp_negative.hpp"
#include "formulas/host_device.hpp"
#include "formulas/polynomial.hpp"

namespace carbo::kernels {

/// log x for bounds from above: within 1e-15 of its size or of 1 for 2^-1022 ≤ x < ∞, the value at 2^-1022 below it,
/// ∞ at ∞, NaN for NaN. On the host without branches or calls, so that loops over it become vector code; log() itself
/// on the device.
CARBO_HOST_DEVICE inline double bound_log(double x) {
#if defined(__CUDA_ARCH__)
  return log(x);
#else
  constexpr double least = 0x1p-1022, most = 0x1.fffffffffffffp1023;
  constexpr double ln2_high = 0x1.62e42fee00000p-1, ln2_low = 0x1.a39ef35793c76p-33;
  constexpr std::int64_t root_half = 0x3fe6a09e667f3bcd;  // √½: mantissas are taken from there to √2
  constexpr double two_52 = 0x1p52;
  // atanh(s) = s + s³ (c₀ + c₁ s² + …) / 2 for |s| ≤ 0.1716.
  constexpr double series[] = {0.6666666666666735130, 0.3999999999940941908, 0.2857142874366239149,
                               0.2222219843214978396, 0.1818357216161805012, 0.1531383769920937332,
                               0.1479819860511658591};
  const std::int64_t bits = bits_of(x < least ? least : x);
  const std::int64_t exponent = (bits - root_half) & ~((std::int64_t{1} << 52) - 1);
  const double fraction = double_of(bits - exponent) - 1.0;
  // The exponent as a number, by the low bits of 2^52 + it.
  const std::int64_t biased = (exponent + (std::int64_t{1023} << 52)) >> 52;
  const double k = double_of(biased | bits_of(two_52)) - (two_52 + 1023.0);
  const double s = fraction / (2.0 + fraction);
  const double square = s * s;
  const double half_square = 0.5 * fraction * fraction;
  const double rest = square * polynomial(series, square);
  const double value = k * ln2_high - ((half_square - (s * (half_square + rest) + k * ln2_low)) - fraction);
  return x <= most ? value : x;
#endif
}

}  // namespace carbo::kernels
