#pragma once

#include <span>

#include "backend/gp_factor.hpp"

namespace carbo::internal {

/// Share of a GP's prior variance at a point that evaluating it is expected to take away: s²/k · s²/(s² + σ²), with
/// s² the variance left by what was observed and by `running`, points whose results are not known yet. 1 where
/// nothing is known, 0 where everything is or where noise drowns it. O(n²) a point; the factor is left as it was,
/// with nothing fantasised. Requires that nothing is.
double design_gain(GpFactor& factor, std::span<const std::span<const double>> running, std::span<const double> point);

}  // namespace carbo::internal
