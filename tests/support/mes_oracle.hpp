#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "support/backend_oracle.hpp"

/// Max-value entropy search in plain long double loops: entropies by quadrature, the minimum by bisection.
namespace oracle {

inline Real normal_below(Real z) { return std::erfc(-z / std::sqrt(static_cast<Real>(2))) / 2; }

/// Entropy of a standard normal variable less that of one known to lie above −gamma, by Simpson's rule for
/// −∫ p log p over where p is not negligible.
inline Real entropy_gain_by_quadrature(Real gamma) {
  const Real pi = std::acos(static_cast<Real>(-1));
  const Real mass = normal_below(gamma);
  const Real from = std::max(-gamma, static_cast<Real>(-13));
  const Real width = from > 1 ? 60 / from : 13 - from;
  const int steps = 4000;  // even
  Real entropy = 0;
  for (int i = 0; i <= steps; ++i) {
    const Real z = from + width * i / steps;
    const Real density = std::exp(-z * z / 2) / std::sqrt(2 * pi) / mass;
    const Real weight = i == 0 || i == steps ? 1 : i % 2 == 1 ? 4 : 2;
    if (density > 0) entropy -= weight * density * std::log(density);
  }
  return std::log(2 * pi * std::exp(static_cast<Real>(1))) / 2 - entropy * width / steps / 3;
}

/// The same as a formula, for −30 < gamma < 100.
inline Real entropy_gain(Real gamma) {
  const Real density = std::exp(-gamma * gamma / 2) / std::sqrt(2 * std::acos(static_cast<Real>(-1)));
  const Real above = std::erfc(gamma / std::sqrt(static_cast<Real>(2))) / 2;
  const Real log_below = gamma > 0 ? std::log1p(-above) : std::log(normal_below(gamma));
  return gamma * density / (2 * normal_below(gamma)) - log_below;
}

/// Below which the minimum of independent normal variables lies with a probability, by bisection.
inline Real quantile_of_minimum(const std::vector<Posterior>& points, Real probability) {
  Real low = points[0].mean, high = points[0].mean;
  for (const Posterior& one : points) {
    low = std::min(low, one.mean - 10 * std::sqrt(one.variance));
    high = std::max(high, one.mean + 10 * std::sqrt(one.variance));
  }
  for (int step = 0; step < 90; ++step) {
    const Real middle = (low + high) / 2;
    Real log_above = 0;
    for (const Posterior& one : points)
      log_above += std::log(normal_below((one.mean - middle) / std::sqrt(one.variance)));
    (1 - std::exp(log_above) < probability ? low : high) = middle;
  }
  return (low + high) / 2;
}

/// Samples of the minimum at these places of (0, 1), by the Gumbel distribution that has its quartiles.
inline std::vector<Real> minimum_samples(const std::vector<Posterior>& points, const std::vector<Real>& places) {
  const auto variate = [](Real p) { return std::log(-std::log(1 - p)); };
  const Real low = quantile_of_minimum(points, 0.25L), middle = quantile_of_minimum(points, 0.5L),
             high = quantile_of_minimum(points, 0.75L);
  const Real scale = (high - low) / (variate(0.75L) - variate(0.25L));
  std::vector<Real> samples;
  for (const Real place : places) samples.push_back(middle + scale * (variate(place) - variate(0.5L)));
  return samples;
}

}  // namespace oracle
