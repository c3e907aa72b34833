#pragma once

namespace carbo::internal {

/// E[γ | γ ≥ threshold] for γ ~ N(mean, variance): finite and at least the threshold, however far in the tail.
double mean_above(double mean, double variance, double threshold);

}  // namespace carbo::internal
