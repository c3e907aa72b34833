#pragma once

#include <span>
#include <vector>

#include <carbo/options.hpp>

namespace carbo::internal {

/// Objective → transformed → standardised, and back. Fitted anew whenever the data change.
class TargetTransform {
 public:
  /// `values` are finite (and above 0 for `log`); ranks are mapped to normal scores, ties share the mean rank.
  TargetTransform(Transform kind, std::span<const double> values);

  /// Standardised targets of the values that it was fitted to, in their order.
  const std::vector<double>& standardised() const { return standardised_; }
  /// Standardised target of any value; `rank` interpolates between the values it was fitted to.
  double forward(double value) const;
  /// Value whose standardised target this is; `rank` interpolates and is constant outside.
  double backward(double standardised) const;

 private:
  Transform kind_;
  double shift_ = 0;
  double scale_ = 1;
  std::vector<double> standardised_;
  std::vector<double> sorted_values_;   ///< rank only: distinct values, ascending
  std::vector<double> sorted_scores_;   ///< rank only: their normal scores before standardising
};

}  // namespace carbo::internal
