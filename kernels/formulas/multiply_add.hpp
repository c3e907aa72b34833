#pragma once

#include <cmath>

#include "formulas/host_device.hpp"

namespace carbo::kernels {

/// a · b + c, rounded once on the device. Device code is compiled without contraction of its own, so that a formula
/// has the same bits in every kernel that it is inlined into; what shall be fused says so by this. On the host the
/// compiler decides, for vectors and for machines without the instruction.
CARBO_HOST_DEVICE inline double multiply_add(double a, double b, double c) {
#if defined(__CUDA_ARCH__)
  return fma(a, b, c);
#else
  return a * b + c;
#endif
}

CARBO_HOST_DEVICE inline float multiply_add(float a, float b, float c) {
#if defined(__CUDA_ARCH__)
  return fmaf(a, b, c);
#else
  return a * b + c;
#endif
}

}  // namespace carbo::kernels
