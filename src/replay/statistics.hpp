#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace carbo::replay {

/// Quantile by linear interpolation between order statistics; `share` in [0, 1]. Infinite entries are allowed,
/// NaN and an empty sample are not (std::invalid_argument).
double quantile(std::vector<double> sample, double share);
double median(std::vector<double> sample);
double mean(std::span<const double> sample);

/// Spearman's correlation of two samples of one size, at least 2: that of their ranks, equal values sharing the mean
/// of theirs. NaN where a sample is constant.
double rank_correlation(std::span<const double> x, std::span<const double> y);

/// A sample in five numbers.
struct Spread {
  double median = 0;
  double lower = 0;  ///< quartile
  double upper = 0;  ///< quartile
  double lowest = 0;
  double highest = 0;
  std::size_t samples = 0;

  double interquartile_range() const { return upper - lower; }
  friend bool operator==(const Spread&, const Spread&) = default;
};
Spread spread_of(const std::vector<double>& sample);

}  // namespace carbo::replay
