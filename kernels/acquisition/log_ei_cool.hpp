#pragma once

#include <cmath>

#include "formulas/host_device.hpp"
#include "formulas/log_h.hpp"

namespace carbo::kernels {

/// How the spread of a predicted log cost enters the score.
enum class CostMoment { median, mean, exact };

/// Rounding level of a posterior variance: ε · rows · k(x,x), the size of what cancels in k(x,x) − ‖v‖² with a
/// factor of `rows` rows. Variances are kept at or above it.
CARBO_HOST_DEVICE inline double variance_floor(double prior_variance, double rows) {
  return 2.220446049250313e-16 * (rows < 1.0 ? 1.0 : rows) * prior_variance;
}

/// max(variance, floor); NaN stays NaN.
CARBO_HOST_DEVICE inline double floored(double variance, double floor) { return variance < floor ? floor : variance; }

/// What cost adds to log EI: −α γ (median of the cost), −α (γ + σ²/2) (its mean), or log E[c^−α] (exact moment).
CARBO_HOST_DEVICE inline double log_cost_term(double alpha, double log_cost, double log_cost_variance,
                                              CostMoment moment) {
  if (alpha == 0.0) return 0.0;
  if (moment == CostMoment::mean) return -alpha * (log_cost + 0.5 * log_cost_variance);
  if (moment == CostMoment::exact) return -alpha * log_cost + 0.5 * alpha * alpha * log_cost_variance;
  return -alpha * log_cost;
}

/// log EI of one fantasy in units of s: add log s. `inverse_sd` = 1/s.
CARBO_HOST_DEVICE inline double log_scaled_improvement(double incumbent, double mean, double inverse_sd) {
  return log_h((incumbent - mean) * inverse_sd);
}

/// Running log Σ exp(x_i), kept as a maximum and a sum relative to it. A NaN makes the result NaN.
struct LogSumExp {
  double maximum = -HUGE_VAL;
  double sum = 0.0;

  CARBO_HOST_DEVICE void add(double x) {
    if (x <= maximum) {
      sum += maximum == -HUGE_VAL ? 0.0 : exp_negative(maximum - x);
    } else {
      sum = (maximum == -HUGE_VAL ? 0.0 : sum * exp_negative(x - maximum)) + 1.0;
      maximum = x;
    }
  }
  CARBO_HOST_DEVICE double value() const { return maximum == -HUGE_VAL ? -HUGE_VAL : maximum + log(sum); }
};

}  // namespace carbo::kernels
