#include "gp/transform.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include <carbo/error.hpp>

namespace carbo::internal {
namespace {

void check(Transform kind, std::span<const double> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      throw InvalidObservation("objective " + std::to_string(i) + " is " + std::to_string(values[i]) +
                               "; a finite value is needed (tell a failure otherwise)");
    }
    if (kind == Transform::log && !(values[i] > 0)) {
      throw InvalidObservation("objective " + std::to_string(i) + " is " + std::to_string(values[i]) +
                               "; transform = log needs values above 0 (use automatic, none or rank)");
    }
  }
}

}  // namespace

TargetTransform::TargetTransform(Transform kind, std::span<const double> values, std::span<const double> fitted,
                                 double sign)
    : kind_(kind), orientation_(kind == Transform::log ? 1.0 : sign) {
  check(kind, values);
  std::vector<double> transformed(values.begin(), values.end());
  if (!values.empty()) {
    std::vector<double> oriented(fitted.begin(), fitted.end());
    for (double& value : oriented) value *= orientation_;
    warp_ = make_warp(kind, oriented);
    for (double& value : transformed)
      if (warp_) value = orientation_ * warp_->forward(orientation_ * value);
  }
  const Standardisation units = standardisation(transformed);
  shift_ = units.shift;
  scale_ = units.scale;
  standardised_ = std::move(transformed);
  for (double& value : standardised_) value = standardise(value, units);
}

double TargetTransform::forward(double value) const {
  if (warp_) value = orientation_ * warp_->forward(orientation_ * value);
  return standardise(value, {shift_, scale_});
}

double TargetTransform::backward(double standardised) const {
  constexpr double largest = std::numeric_limits<double>::max();
  const double value = std::clamp(shift_ + scale_ * standardised, -largest, largest);
  return warp_ ? orientation_ * warp_->backward(orientation_ * value) : value;
}

double TargetTransform::log_slope(double value) const {
  return (warp_ ? warp_->log_slope(orientation_ * value) : 0.0) - std::log(scale_);
}

}  // namespace carbo::internal
