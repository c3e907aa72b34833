#include "gp/standardisation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace carbo::internal {

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

}  // namespace carbo::internal
