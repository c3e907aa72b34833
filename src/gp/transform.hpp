#pragma once

#include <span>
#include <vector>

#include <carbo/options.hpp>

namespace carbo::internal {

/// standardised = (value − shift) / scale.
struct Standardisation {
  double shift = 0;
  double scale = 1;
};

/// To mean 0 and variance 1. Equal values get scale 1 and become 0; values equal to rounding become 0 to rounding.
Standardisation standardisation(std::span<const double> values);
double standardise(double value, const Standardisation& units);

/// z with Φ(z) = probability, for probability in (0, 1).
double normal_quantile(double probability);

/// Objective → transformed → standardised, and back. Fitted anew whenever the data change.
class TargetTransform {
 public:
  /// `values` are finite (and above 0 for `log`); ranks are mapped to normal scores, ties share the mean rank.
  /// Throws InvalidObservation naming the value otherwise.
  TargetTransform(Transform kind, std::span<const double> values);

  /// Standardised targets of the values that it was fitted to, in their order.
  const std::vector<double>& standardised() const { return standardised_; }
  /// Transformed units at a standardised 0, and that one standardised unit is worth.
  double shift() const { return shift_; }
  double scale() const { return scale_; }
  bool linear() const { return kind_ == Transform::none; }
  /// Standardised target of any value; `rank` interpolates between the values it was fitted to.
  double forward(double value) const;
  /// Value whose standardised target this is; `rank` interpolates and is constant outside.
  double backward(double standardised) const;

 private:
  void fit_ranks(std::span<const double> values);

  Transform kind_;
  double shift_ = 0;
  double scale_ = 1;
  std::vector<double> standardised_;
  std::vector<double> sorted_values_;  ///< rank only: distinct values, ascending
  std::vector<double> sorted_scores_;  ///< rank only: their normal scores before standardising
};

}  // namespace carbo::internal
