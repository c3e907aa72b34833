#pragma once

#include <cmath>

#include "formulas/host_device.hpp"

namespace carbo::kernels {

/// An upper bound on h: factor · exp(−exponent) / √2π, so that nothing underflows however small it is.
struct ImprovementBound {
  double factor;
  double exponent;
};

/// Fantasised points with normals z take r from a candidate, |r| ≤ s: its mean falls by at most |r| ‖z‖ and its
/// variance becomes s² − |r|². Whatever r, its expected improvement is then at most s · h(v), where u is
/// (incumbent − mean) / s before, `norm` is ‖z‖, and v = −√(u² − ‖z‖²) where u < −‖z‖, else u + ‖z‖. With norm = 0 it
/// is h(u). This is h(v) from above: below −1, h(−t) = φ(t) (1 − t M(t)) with Mills' ratio M, of which the fourth
/// convergent of its continued fraction is a lower bound (at most 0.15 nat too high, 0.04 from t = 2 on); up to 1,
/// the series of h(v) − v/2 ends before a negative term; beyond, h(v) = v + h(−v) ≤ v + h(−1). Without branches.
CARBO_HOST_DEVICE inline ImprovementBound improvement_bound(double u, double norm) {
  constexpr double sqrt_2pi = 2.5066282746310002;
  constexpr double inverse_sqrt_2pi = 0.3989422804014328;
  constexpr double half_inverse_sqrt_2pi = 0.19947114020071638;
  constexpr double h_at_minus_one = 0.0833154705876864;
  const double square = (-u - norm) * (norm - u);
  const bool falls = u < -norm;
  const bool tail = falls & (square >= 1.0);
  const double q = square < 1e100 ? square : 1e100;
  const double in_tail = (q + 3.0) / (q * (q + 6.0) + 3.0);
  const double v = falls ? -sqrt(square < 1.0 ? square : 1.0) : u + norm;
  const double series = 0.5 * v + inverse_sqrt_2pi + half_inverse_sqrt_2pi * v * v;
  const double not_tail = sqrt_2pi * (v < 1.0 ? series : v + h_at_minus_one);
  return {tail ? in_tail : not_tail, tail ? 0.5 * square : 0.0};
}

}  // namespace carbo::kernels
