#pragma once

#include <span>
#include <vector>

namespace carbo::bench {

/// Quantile by linear interpolation between order statistics; `share` in [0, 1]. Infinite entries are allowed,
/// NaN and an empty sample are not (std::invalid_argument).
double quantile(std::vector<double> sample, double share);
double median(std::vector<double> sample);
double mean(std::span<const double> sample);

}  // namespace carbo::bench
