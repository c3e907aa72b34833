#pragma once

#include <cmath>

#include "host_device.hpp"

namespace carbo::kernels {

/// Fantasised points with normals z take r from a candidate, |r| ≤ s: its mean falls by at most |r| ‖z‖ and its
/// variance becomes s² − |r|². Whatever r, its expected improvement is then at most s · h(lifted), where u is
/// (incumbent − mean) / s before and `norm` is ‖z‖. Rises with u and with norm, equals u for norm = 0.
CARBO_HOST_DEVICE inline double lifted(double u, double norm) {
  return u < -norm ? -sqrt((-u - norm) * (norm - u)) : u + norm;
}

}  // namespace carbo::kernels
