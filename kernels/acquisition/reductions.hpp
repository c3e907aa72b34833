#pragma once

#include <cmath>

#include "acquisition/proof.hpp"
#include "formulas/bound_log.hpp"
#include "formulas/exp_negative.hpp"
#include "formulas/host_device.hpp"

namespace carbo::kernels {

/// The log of the mean of exp(term) over fantasies. A NaN makes the result NaN.
class LogMean {
 public:
  /// A bound on exp(term): factor · exp(−exponent) / √2π, so that nothing underflows however small it is.
  struct Bound {
    double factor;
    double exponent;
  };

  CARBO_HOST_DEVICE void add(double term) {
    if (term <= maximum_) {
      sum_ += maximum_ == -HUGE_VAL ? 0.0 : exp_negative(maximum_ - term);
    } else {
      sum_ = (maximum_ == -HUGE_VAL ? 0.0 : sum_ * exp_negative(term - maximum_)) + 1.0;
      maximum_ = term;
    }
  }
  CARBO_HOST_DEVICE double value(double count) const {
    return (maximum_ == -HUGE_VAL ? -HUGE_VAL : maximum_ + log(sum_)) - log(count);
  }

  /// What the log of a sum of `count` bounds lacks of that of their mean.
  CARBO_HOST_DEVICE static double log_share(double count) {
    constexpr double log_sqrt_2pi = 0.9189385332046728;
    return log(count) + log_sqrt_2pi;
  }
  /// Log of the mean of bounds whose factors · exp(least − exponents) add up to `sum`, from above.
  CARBO_HOST_DEVICE static double ceiling(double sum, double least, double log_share) {
    return with_margin((bound_log(sum) - log_share) - least);
  }

  /// Bounds of one candidate, as they come: kept relative to the least exponent.
  class Bounds {
   public:
    /// `times` fantasies alike.
    CARBO_HOST_DEVICE void add(const Bound& one, double times) {
      const double factor = one.factor * times;
      if (one.exponent < least_) {
        sum_ = least_ == HUGE_VAL ? factor : fma(sum_, exp_negative(least_ - one.exponent), factor);
        least_ = one.exponent;
      } else {
        sum_ = fma(factor, exp_negative(one.exponent - least_), sum_);
      }
    }
    CARBO_HOST_DEVICE double ceiling(double count) const { return LogMean::ceiling(sum_, least_, log_share(count)); }

   private:
    double least_ = HUGE_VAL;
    double sum_ = 0.0;
  };

 private:
  double maximum_ = -HUGE_VAL;
  double sum_ = 0.0;
};

/// The mean of terms over fantasies.
class PlainMean {
 public:
  /// A bound on a term, its own rounding included.
  struct Bound {
    double term;
  };

  CARBO_HOST_DEVICE void add(double term) { sum_ += term; }
  CARBO_HOST_DEVICE double value(double count) const { return sum_ / count; }

  /// Mean of `count` bounds, from above. `magnitude`: sum of their absolute values, of which each addition may lose a
  /// last bit, here and in the mean itself.
  CARBO_HOST_DEVICE static double ceiling(double sum, double magnitude, double count) {
    constexpr double last_bit = 2.220446049250313e-16;
    return with_margin((sum + 2.0 * last_bit * count * magnitude) / count);
  }

  class Bounds {
   public:
    CARBO_HOST_DEVICE void add(const Bound& one, double times) {
      sum_ += one.term * times;
      magnitude_ += fabs(one.term) * times;
    }
    CARBO_HOST_DEVICE double ceiling(double count) const { return PlainMean::ceiling(sum_, magnitude_, count); }

   private:
    double sum_ = 0.0;
    double magnitude_ = 0.0;
  };

 private:
  double sum_ = 0.0;
};

}  // namespace carbo::kernels
