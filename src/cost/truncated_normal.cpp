#include "cost/truncated_normal.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace carbo::internal {
namespace {

/// φ(z) / (1 − Φ(z)), the standard normal hazard.
double hazard(double z) {
  if (z < 25) {
    const double density = std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::numbers::pi);
    return density / (0.5 * std::erfc(z / std::numbers::sqrt2));
  }
  // Laplace's continued fraction z + 1/(z + 2/(z + 3/(z + …))): six terms are exact to rounding here.
  double tail = z;
  for (int term = 6; term >= 1; --term) tail = z + term / tail;
  return tail;
}

}  // namespace

double mean_above(double mean, double variance, double threshold) {
  const double deviation = std::sqrt(std::max(variance, 0.0));
  if (!(deviation > 0)) return std::max(mean, threshold);
  const double z = (threshold - mean) / deviation;
  if (!std::isfinite(z)) return std::max(mean, threshold);
  return std::max(threshold, mean + deviation * hazard(z));
}

}  // namespace carbo::internal
