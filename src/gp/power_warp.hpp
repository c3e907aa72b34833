#pragma once

#include <span>

#include "gp/warp.hpp"

namespace carbo::internal {

/// Yeo and Johnson's transform of w = (value − median) / unit, with the median distance from the median, of values
/// that have one, for a unit:
///
///     ψ(w) = ((1 + w)^λ − 1) / λ for w ≥ 0,   −((1 − w)^(2 − λ) − 1) / (2 − λ) for w < 0,
///
/// and its limits, logarithms, at λ = 0 and λ = 2; 1 is none at all, less draws high values in, more the low ones.
/// A straight line below the lowest value that it was fitted to, constant above the highest.
class PowerWarp final : public Warp {
 public:
  /// λ, a multiple of 1/32 from −2 to 4, maximises the likelihood of a normal sample times a normal density about 1.
  /// Of many values it is fitted to order statistics, evenly spaced.
  explicit PowerWarp(std::span<const double> values);

  double power() const { return power_; }
  double forward(double value) const override;
  double backward(double warped) const override;
  double log_slope(double value) const override;

 private:
  double distance(double value) const;

  double centre_ = 0, unit_ = 1, power_ = 1;
  double lowest_ = 0, highest_ = 0;  ///< w of the values
};

}  // namespace carbo::internal
