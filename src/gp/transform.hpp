#pragma once

#include <memory>
#include <span>
#include <vector>

#include <carbo/transform.hpp>

#include "gp/normal.hpp"
#include "gp/standardisation.hpp"
#include "gp/warp.hpp"

namespace carbo::internal {

/// Objective → transformed → standardised, and back. Fitted anew whenever the data change.
class TargetTransform {
 public:
  /// `values` are finite (and above 0 for `log`); ranks are mapped to normal scores, ties share the mean rank.
  /// `kind` is not `automatic`, which is for others to resolve. `sign`: −1 where higher values are better; mirrored
  /// values have mirrored targets then, but for `log`, to the bit. Throws InvalidObservation naming the value
  /// otherwise.
  TargetTransform(Transform kind, std::span<const double> values, double sign = 1.0)
      : TargetTransform(kind, values, values, sign) {}
  /// The warp is fitted to `fitted`, not empty where `values` are not: those that were observed. Only the
  /// standardised units are those of all.
  TargetTransform(Transform kind, std::span<const double> values, std::span<const double> fitted, double sign);

  Transform kind() const { return kind_; }
  /// Standardised targets of the values that it was fitted to, in their order.
  const std::vector<double>& standardised() const { return standardised_; }
  /// Transformed units at a standardised 0, and that one standardised unit is worth.
  double shift() const { return shift_; }
  double scale() const { return scale_; }
  bool linear() const { return kind_ == Transform::none; }
  /// Standardised target of any value; see make_warp on values beyond those that it was fitted to.
  double forward(double value) const;
  /// Value whose standardised target this is.
  double backward(double standardised) const;
  /// Log of the derivative of `forward` at a value not worse than the median: standardised units for one of the
  /// caller's.
  double log_slope(double value) const;

 private:
  Transform kind_;
  double orientation_;  ///< −1 where the warp takes the values negated
  std::shared_ptr<const Warp> warp_;
  double shift_ = 0;
  double scale_ = 1;
  std::vector<double> standardised_;
};

}  // namespace carbo::internal
