#pragma once

#include "formulas/exp_negative.hpp"
#include "formulas/host_device.hpp"
#include "formulas/multiply_add.hpp"
#include "formulas/root.hpp"

namespace carbo::kernels {

/// Matérn-5/2 correlation (1 + √5 r + 5 r²/3) exp(−√5 r) from the squared scaled distance r², 0 ≤ r² < ∞. Without
/// branches on the device: where the root is not exact, the correlation is 1.
CARBO_HOST_DEVICE inline double matern(double squared_distance) {
  const double a = branchless_root(5.0 * squared_distance);
  return multiply_add(a, multiply_add(a, 1.0 / 3.0, 1.0), 1.0) * exp_negative(a);
}

struct MaternWithSlope {
  double value;  ///< the correlation
  double slope;  ///< (5/3)(1 + √5 r) exp(−√5 r): its derivative by log ℓ_g is slope · (part of r² that ℓ_g scales)
};

CARBO_HOST_DEVICE inline MaternWithSlope matern_with_slope(double squared_distance) {
  const double a = branchless_root(5.0 * squared_distance);
  const double e = exp_negative(a);
  return {multiply_add(a, multiply_add(a, 1.0 / 3.0, 1.0), 1.0) * e, (5.0 / 3.0) * (1.0 + a) * e};
}

}  // namespace carbo::kernels
