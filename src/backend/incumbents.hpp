#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "backend/gp_factor.hpp"

namespace carbo::internal {

/// Where improvement is measured from, in every fantasy: the lowest value that was observed or fantasised or, by
/// factors, the lowest posterior mean over their points.
class Incumbents {
 public:
  /// `lowest`: observed, one value a factor. `factors`: borrowed, in the order of their fantasies; may be empty.
  explicit Incumbents(std::vector<double> lowest, std::span<GpFactor* const> factors = {})
      : lowest_(std::move(lowest)), factors_(factors) {}

  /// One value a fantasy of a point that was fantasised.
  void add(std::span<const double> values) {
    if (lowest_.size() < values.size()) lowest_.assign(values.size(), lowest_.front());
    for (std::size_t i = 0; i < values.size(); ++i) lowest_[i] = std::min(lowest_[i], values[i]);
  }
  /// Whether they are posterior means, which follow from the factors alone.
  bool by_factors() const { return !factors_.empty(); }
  /// The lowest values, one a factor or one a fantasy.
  std::span<const double> lowest() const { return lowest_; }
  std::vector<double> now() const {
    if (factors_.empty()) return lowest_;
    std::vector<double> fitted;
    for (const GpFactor* factor : factors_) {
      const std::vector<double> own = factor->lowest_fitted_mean();
      fitted.insert(fitted.end(), own.begin(), own.end());
    }
    return fitted;
  }

 private:
  std::vector<double> lowest_;
  std::span<GpFactor* const> factors_;
};

}  // namespace carbo::internal
