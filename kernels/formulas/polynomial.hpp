#pragma once

#include "formulas/host_device.hpp"
#include "formulas/multiply_add.hpp"

namespace carbo::kernels {

/// c[0] + c[1] x + … by Horner's rule; the loop has a constant length and is unrolled.
template <int Count>
CARBO_HOST_DEVICE inline double polynomial(const double (&coefficients)[Count], double x) {
  double sum = coefficients[Count - 1];
  for (int i = Count - 2; i >= 0; --i) sum = multiply_add(sum, x, coefficients[i]);
  return sum;
}

}  // namespace carbo::kernels
