#pragma once

#include <cmath>

#include "formulas/host_device.hpp"

namespace carbo::kernels {

/// Logarithm of a cost and its derivative with respect to the sum of features that it is made of.
struct LogLinearCost {
  double value = 0;
  double slope = 0;
};

/// Cost of a sum of features z: z itself above `knee` (> 0), below it knee / (1 + log(2 − z/knee)), which joins with
/// the same slope and stays above 0. It falls so slowly that no extrapolation looks free: a thousand knees below 0 it
/// is an eighth of a knee.
CARBO_HOST_DEVICE inline LogLinearCost log_linear_cost(double z, double knee) {
  if (z >= knee) return {std::log(z), 1.0 / z};
  const double t = 2.0 - z / knee;
  const double fall = 1.0 + std::log(t);
  return {std::log(knee) - std::log(fall), 1.0 / (knee * t * fall)};
}

/// Variance of the logarithm of such a cost. `explained`: φᵀCφ, of the coefficients over spread²; residuals are
/// either log ratios, or differences in units of cost, whose moments are then those of a log-normal cost.
CARBO_HOST_DEVICE inline double log_linear_variance(LogLinearCost cost, double explained, double spread,
                                                    bool relative) {
  if (relative) return spread * spread * (1.0 + cost.slope * cost.slope * explained);
  const double share = spread * std::exp(-cost.value);
  return std::log1p(share * share * (1.0 + explained));
}

}  // namespace carbo::kernels
