#pragma once

#include "formulas/host_device.hpp"

namespace carbo::kernels {

/// Rounding level of a posterior variance: ε · rows · k(x,x), the size of what cancels in k(x,x) − ‖v‖² with a
/// factor of `rows` rows. Variances are kept at or above it.
CARBO_HOST_DEVICE inline double variance_floor(double prior_variance, double rows) {
  return 2.220446049250313e-16 * (rows < 1.0 ? 1.0 : rows) * prior_variance;
}

/// max(variance, floor); NaN stays NaN.
CARBO_HOST_DEVICE inline double floored(double variance, double floor) { return variance < floor ? floor : variance; }

}  // namespace carbo::kernels
