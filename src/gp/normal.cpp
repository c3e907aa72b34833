#include "gp/normal.hpp"

#include <cmath>
#include <numbers>

namespace carbo::internal {

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

double log_normal_probability(double z) {
  if (z > -25) return std::log(0.5 * std::erfc(-z / std::numbers::sqrt2));
  // φ(z) over Laplace's continued fraction −z + 1/(−z + 2/(−z + …)): six terms are exact to rounding here.
  double tail = -z;
  for (int term = 6; term >= 1; --term) tail = -z + term / tail;
  return log_normal_density(z, 1.0) - std::log(tail);
}

double log_normal_density(double residual, double variance) {
  return -0.5 * (std::log(2.0 * std::numbers::pi * variance) + residual * residual / variance);
}

}  // namespace carbo::internal
