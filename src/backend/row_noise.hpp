#pragma once

#include <cstddef>
#include <span>

namespace carbo::internal {

/// What a covariance matrix has on its diagonal beside the signal: noise, less where a row is the mean of several
/// observations, and jitter, the same in every row.
struct RowNoise {
  double noise_variance = 0;         ///< of one observation
  double jitter = 0;                 ///< absolute
  std::span<const double> counts{};  ///< observations of each row; empty: one each

  double at(std::size_t row) const {
    return (counts.empty() ? noise_variance : noise_variance / counts[row]) + jitter;
  }
};

}  // namespace carbo::internal
