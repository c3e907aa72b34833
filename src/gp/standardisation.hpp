#pragma once

#include <span>

namespace carbo::internal {

/// standardised = (value − shift) / scale.
struct Standardisation {
  double shift = 0;
  double scale = 1;
};

/// To mean 0 and variance 1. Equal values get scale 1 and become 0; values equal to rounding become 0 to rounding.
Standardisation standardisation(std::span<const double> values);
double standardise(double value, const Standardisation& units);

}  // namespace carbo::internal
