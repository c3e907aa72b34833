#include "gp/transform.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

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
                               "; transform = log needs values above 0 (use none or rank)");
    }
  }
}

/// Piecewise linear through ascending `from` → `to`, constant outside.
double interpolate(const std::vector<double>& from, const std::vector<double>& to, double at) {
  const auto above = std::upper_bound(from.begin(), from.end(), at) - from.begin();
  if (above == 0) return to.front();
  if (above == static_cast<std::ptrdiff_t>(from.size())) return to.back();
  // Halved, so that the difference of two huge values of opposite sign stays finite.
  const double width = 0.5 * from[above] - 0.5 * from[above - 1];
  if (!(width > 0)) return to[above - 1];  // neighbours so small that their halves are equal
  const double share = (0.5 * at - 0.5 * from[above - 1]) / width;
  return to[above - 1] * (1.0 - share) + to[above] * share;
}

}  // namespace

Standardisation standardisation(std::span<const double> values) {
  Standardisation result;
  if (values.empty()) return result;
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  if (largest == 0) return result;
  const double count = static_cast<double>(values.size());
  // Divided by the largest before squaring: no overflow, no underflow.
  double mean = 0;
  for (const double value : values) mean += value / largest / count;
  double variance = 0;
  for (const double value : values) variance += (value / largest - mean) * (value / largest - mean) / count;
  const double deviation = std::sqrt(variance);
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  if (*low == *high) {
    result.shift = *low;
  } else {
    result.shift = mean * largest;
    const bool equal_to_rounding = deviation <= 8 * std::numeric_limits<double>::epsilon();
    const double spread = deviation * largest;  // 0 where the smallest numbers differ by the smallest number
    result.scale = equal_to_rounding || !(spread > 0) ? std::max(1.0, largest) : spread;
  }
  return result;
}

double standardise(double value, const Standardisation& units) {
  // Halved, so that the difference of two huge values of opposite sign stays finite.
  return 2.0 * ((0.5 * value - 0.5 * units.shift) / units.scale);
}

double normal_quantile(double probability) {
  if (probability > 0.5) return -normal_quantile(1.0 - probability);
  const double log_tail = std::sqrt(-2.0 * std::log(probability));
  // Abramowitz and Stegun 26.2.23 (error below 4.5e-4), then Halley steps, each of which cubes the error.
  double z = -log_tail + (2.515517 + log_tail * (0.802853 + log_tail * 0.010328)) /
                             (1.0 + log_tail * (1.432788 + log_tail * (0.189269 + log_tail * 0.001308)));
  for (int step = 0; step < 2; ++step) {
    const double density = std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::numbers::pi);
    const double newton = (0.5 * std::erfc(-z / std::numbers::sqrt2) - probability) / density;
    z -= newton / (1.0 + 0.5 * z * newton);
  }
  return z;
}

TargetTransform::TargetTransform(Transform kind, std::span<const double> values) : kind_(kind) {
  check(kind, values);
  std::vector<double> transformed(values.begin(), values.end());
  if (kind == Transform::log) {
    for (double& value : transformed) value = std::log(value);
  } else if (kind == Transform::rank) {
    fit_ranks(values);
    for (double& value : transformed) value = interpolate(sorted_values_, sorted_scores_, value);
  }
  const Standardisation units = standardisation(transformed);
  shift_ = units.shift;
  scale_ = units.scale;
  standardised_ = std::move(transformed);
  for (double& value : standardised_) value = standardise(value, units);
}

void TargetTransform::fit_ranks(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t first = 0; first < sorted.size();) {
    std::size_t end = first + 1;
    while (end < sorted.size() && sorted[end] == sorted[first]) ++end;
    const double mean_rank = 0.5 * static_cast<double>(first + end - 1) + 0.5;  // from 1/2 to n − 1/2
    sorted_values_.push_back(sorted[first]);
    sorted_scores_.push_back(normal_quantile(mean_rank / static_cast<double>(sorted.size())));
    first = end;
  }
}

double TargetTransform::forward(double value) const {
  if (kind_ == Transform::log) value = std::log(value);
  if (kind_ == Transform::rank && !sorted_values_.empty()) value = interpolate(sorted_values_, sorted_scores_, value);
  return standardise(value, {shift_, scale_});
}

double TargetTransform::backward(double standardised) const {
  constexpr double largest = std::numeric_limits<double>::max();
  const double value = std::clamp(shift_ + scale_ * standardised, -largest, largest);
  if (kind_ == Transform::log) return std::min(std::exp(value), largest);
  if (kind_ == Transform::rank && !sorted_values_.empty()) return interpolate(sorted_scores_, sorted_values_, value);
  return value;
}

double TargetTransform::slope(double standardised, double towards) const {
  constexpr double largest = std::numeric_limits<double>::max();
  constexpr double step = 1e-4;
  if (kind_ == Transform::none) return scale_;
  if (kind_ == Transform::log) return std::min(scale_ * backward(standardised), largest);
  const double there = 0.5 * backward(standardised + towards * step), here = 0.5 * backward(standardised);
  return std::min(std::abs(there - here) / (0.5 * step), largest);
}

}  // namespace carbo::internal
