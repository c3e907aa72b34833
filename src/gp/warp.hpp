#pragma once

#include <limits>
#include <memory>
#include <span>

#include <carbo/transform.hpp>

namespace carbo::internal {

inline constexpr double largest_finite = std::numeric_limits<double>::max();

/// A map of objectives, of which the lower is better, that never falls. Finite for every finite value.
class Warp {
 public:
  virtual ~Warp() = default;
  virtual double forward(double value) const = 0;
  /// A value that becomes this one.
  virtual double backward(double warped) const = 0;
  /// Log of the derivative of `forward`, at values up to the median of those that it was fitted to.
  virtual double log_slope(double value) const = 0;
};

/// The middle of the values or, of an even number, the lower one of the two; at least one value. Where lower is
/// better, the better half is what is not above it.
double lower_median(std::span<const double> values);

/// Fitted to `values`, finite, at least one; null for `none`. `automatic` is none of them.
/// `shifted_log`, `power` and `half_rank` take lower values for better; beyond the worst value the last two are
/// constant, as `rank` is at either end, and below the best one straight lines.
std::shared_ptr<const Warp> make_warp(Transform kind, std::span<const double> values);

}  // namespace carbo::internal
