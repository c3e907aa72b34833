#pragma once

#include <cmath>

#include "support/backend_oracle.hpp"

/// The Gittins index by its definition, in plain long double loops.
namespace oracle {

/// Expected improvement below g of a normal; relative error 1e-14 while (mean − g) / sd < 100.
inline Real improvement_below(Real g, Real mean, Real sd) {
  const Real u = (g - mean) / sd;
  const Real density = std::exp(-u * u / 2) / std::sqrt(2 * std::acos(static_cast<Real>(-1)));
  return sd * (density + u * std::erfc(-u / std::sqrt(static_cast<Real>(2))) / 2);
}

/// The g at which it equals a price, by bisection.
inline Real gittins_index(Real mean, Real sd, Real price) {
  Real low = mean - 30 * sd, high = mean + price + 30 * sd;
  for (int i = 0; i < 300; ++i) {
    const Real middle = (low + high) / 2;
    (improvement_below(middle, mean, sd) < price ? low : high) = middle;
  }
  return low;
}

}  // namespace oracle
