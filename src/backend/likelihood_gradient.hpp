#pragma once

#include <cstddef>

#include "backend/gp_factor.hpp"

namespace carbo::internal {

/// value.gradient (all zero) from sums over W = αα' − K⁻¹, ½ tr(W dK). `sums`: one a column of the points, of W ·
/// slope · squared difference; then of W · correlation below the diagonal; then the trace of W, and the same with
/// every row divided by its count, of requests that have them. value.jitter is known.
inline void set_gradient(const LikelihoodRequest& request, double signal_variance, double noise_variance,
                         const double* sums, LikelihoodValue& value) {
  const std::size_t columns = request.points.columns;
  const std::size_t groups = request.log_parameters.size() - 2;
  const double half_trace = 0.5 * sums[columns + 1];
  const double half_noise_trace = 0.5 * sums[columns + 2];
  for (std::size_t c = 0; c < columns; ++c)
    value.gradient[static_cast<std::size_t>(request.column_groups[c])] += signal_variance * sums[c];
  value.gradient[groups] = signal_variance * (sums[columns] + half_trace * (1.0 + value.jitter));
  value.gradient[groups + 1] = request.counts.empty()
                                   ? noise_variance * half_trace * (1.0 + value.jitter)
                                   : noise_variance * (half_noise_trace + value.jitter * half_trace);
}

}  // namespace carbo::internal
