#pragma once

#include <cmath>
#include <cstdint>

#include "formulas/host_device.hpp"

namespace carbo::kernels {

/// √x to the last bit for 2^-970 ≤ x < ∞, about 2^-485 for 0 ≤ x below that, NaN for NaN and ∞ (∞ on the host).
/// On the device these are the steps of sqrt() itself, without its branch to a subroutine for what lies outside: 16
/// roots in a row are then one stretch of code, which the scheduler can interleave.
CARBO_HOST_DEVICE inline double branchless_root(double x) {
#if defined(__CUDA_ARCH__)
  constexpr unsigned least = 0x03500000u;  // high word of 2^-970
  constexpr int one_exponent = 0x00100000;
  x = __hiloint2double(static_cast<int>(max(static_cast<unsigned>(__double2hiint(x)), least)), __double2loint(x));
  double y;  // 1/√x, to 20 bits and then to all but the last
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  const double error = fma(x, -(y * y), 1.0);
  y = fma(fma(error, 0.375, 0.5), y * error, y);
  const double root = x * y;
  const double half_y = __hiloint2double(__double2hiint(y) - one_exponent, __double2loint(y));
  return fma(fma(root, -root, x), half_y, root);
#else
  return std::sqrt(x);
#endif
}

/// The same in float32, for 0 ≤ x < ∞: about 2^-50 for x below 2^-100. The last step leaves no more than 2^-43 beside
/// its own rounding, because rsqrt.approx errs by at most 2^-22.
CARBO_HOST_DEVICE inline float branchless_root(float x) {
#if defined(__CUDA_ARCH__)
  x = fmaxf(x, 0x1p-100f);
  float y;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  const float root = x * y;
  return fmaf(fmaf(root, -root, x), 0.5f * y, root);
#else
  return std::sqrt(x);
#endif
}

}  // namespace carbo::kernels
