#pragma once

#include <cstddef>
#include <span>

namespace carbo::internal {

/// Of Huber's loss, in scales: 95 % as efficient as least squares on normal noise.
inline constexpr double huber_threshold = 1.345;
/// Of a fit's residuals, in the unit of log cost or of the median cost: exact costs leave none at all.
inline constexpr double smallest_scale = 1e-6;

/// Huber's loss of a residual: quadratic up to `cut`, then linear with the same slope.
inline double huber_loss(double residual, double cut) {
  const double size = residual < 0 ? -residual : residual;
  return size <= cut ? 0.5 * size * size : cut * (size - 0.5 * cut);
}

/// Weight of least squares that has the same slope as Huber's loss: 1 up to `cut`, then cut / |residual|.
inline double huber_weight(double residual, double cut) {
  const double size = residual < 0 ? -residual : residual;
  return size <= cut ? 1.0 : cut / size;
}

/// Huber's Proposal 2: the scale s at which Σ min((r/s)², threshold²) is `degrees_of_freedom` times its expectation
/// for one standard normal r. Exact (no iteration), without overflow. Infinite residuals are beyond the threshold at
/// every scale: it is infinite where they alone exceed the expectation. 0 where too few residuals differ from 0.
/// Requires a finite threshold > 0, degrees of freedom > 0, no NaN.
double proposal2_scale(std::span<const double> residuals, double degrees_of_freedom, double threshold);
/// The same with a degree of freedom a residual and the usual threshold.
inline double robust_scale(std::span<const double> residuals) {
  return proposal2_scale(residuals, static_cast<double>(residuals.size()), huber_threshold);
}

/// 1.4826 times the lower median of the `count` largest |residuals| (at least 1 of them is counted): a standard
/// deviation for normal residuals. A fit of least absolute errors leaves as many residuals near 0 as it has
/// coefficients, so `count` is what is left. 0 without residuals. Requires no NaN.
double median_scale(std::span<const double> residuals, std::size_t count);

}  // namespace carbo::internal
