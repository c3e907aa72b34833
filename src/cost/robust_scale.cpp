#include "cost/robust_scale.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <numbers>
#include <vector>

namespace carbo::internal {
namespace {

constexpr double normal_deviation_over_median = 1.482602218505602;

std::vector<double> sizes_of(std::span<const double> residuals) {
  std::vector<double> sizes(residuals.begin(), residuals.end());
  for (double& size : sizes) size = std::abs(size);
  return sizes;
}

/// E[min(x², threshold²)] for a standard normal x.
double clipped_second_moment(double threshold) {
  const double beyond = std::erfc(threshold / std::numbers::sqrt2);  // both sides
  const double density = std::exp(-0.5 * threshold * threshold) / std::sqrt(2.0 * std::numbers::pi);
  return 1.0 - beyond - 2.0 * threshold * density + (beyond > 0 ? threshold * threshold * beyond : 0.0);
}

}  // namespace

double proposal2_scale(std::span<const double> residuals, double degrees_of_freedom, double threshold) {
  std::vector<double> sizes = sizes_of(residuals);
  std::sort(sizes.begin(), sizes.end());
  while (!sizes.empty() && std::isinf(sizes.back())) sizes.pop_back();

  // squares[i] = Σ_{j ≤ i} (sizes[j] / sizes[i])²
  std::vector<double> squares(sizes.size(), 0.0);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (!(sizes[i] > 0)) continue;
    const double ratio = i > 0 ? sizes[i - 1] / sizes[i] : 0.0;
    squares[i] = 1.0 + (i > 0 ? squares[i - 1] * ratio * ratio : 0.0);
  }

  // With the residuals after i beyond the threshold, s² = Σ_{j ≤ i} r_j² / left; right where residual i is within it.
  const double squared_threshold = threshold * threshold;
  const double infinite = static_cast<double>(residuals.size() - sizes.size());
  double left = degrees_of_freedom * clipped_second_moment(threshold) - infinite * squared_threshold;
  if (left <= 0) return std::numeric_limits<double>::infinity();
  for (std::size_t i = sizes.size(); i-- > 0 && sizes[i] > 0;) {
    // squares[i] ≥ 1, so that `left` stays above 0.
    if (left <= squared_threshold * squares[i]) return sizes[i] * std::sqrt(squares[i] / left);
    left -= squared_threshold;
  }
  return 0.0;
}

double median_scale(std::span<const double> residuals, std::size_t count) {
  if (residuals.empty()) return 0.0;
  std::vector<double> sizes = sizes_of(residuals);
  count = std::clamp<std::size_t>(count, 1, sizes.size());
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(count / 2);
  std::nth_element(sizes.begin(), middle, sizes.end(), std::greater<>());
  return normal_deviation_over_median * *middle;
}

}  // namespace carbo::internal
