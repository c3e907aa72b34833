#pragma once

namespace carbo::internal {

/// z with Φ(z) = probability, for probability in (0, 1).
double normal_quantile(double probability);
/// log Φ(z), finite down to where z² overflows.
double log_normal_probability(double z);
/// Log density of a normal distribution at `residual` from its mean; `variance` above 0.
double log_normal_density(double residual, double variance);

}  // namespace carbo::internal
