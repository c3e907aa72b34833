#pragma once

#include <cmath>

#include "acquisition/ei_cool.hpp"
#include "acquisition/reductions.hpp"
#include "acquisition/spec.hpp"
#include "formulas/log_entropy_gain.hpp"

namespace carbo::kernels {

/// Max-value entropy search over c^α: the log of the mean, over fantasies and samples y* of the minimum, of the
/// entropy that the value of a candidate loses where it is known to be y* or above, less α log c. Without noise.
/// Parameter and cost term are EI-cool's.
///
/// Samples are of the minimum as it is known before anything is fantasised (AcquisitionSpec::extremes). In a fantasy
/// the minimum is at most its incumbent: that takes the place of samples above it.
///
/// Rises or falls with the deviation, as the mean lies above y* or below: there are no ceilings.
struct MesCool : EiCool {
  /// Of a candidate under one GP.
  struct Prepared {
    double inverse_sd;
    const double* extremes;
  };
  using Score = MesCool;
  static constexpr bool has_ceilings = false;
  static constexpr bool needs_extremes = true;

  CARBO_HOST_DEVICE static Prepared prepare(const AcquisitionSpec& spec, double sd, const LogCost&) {
    return {1.0 / sd, spec.extremes};
  }
  /// Log of the mean over samples, of one fantasy.
  CARBO_HOST_DEVICE static double term(const Prepared& at, double incumbent, double mean) {
    LogMean gains;
#if defined(__CUDA_ARCH__)
#pragma unroll 1  // unrolled, registers spill
#endif
    for (int k = 0; k < extreme_samples; ++k) {
      const double lowest = at.extremes[k] < incumbent ? at.extremes[k] : incumbent;
      gains.add(log_entropy_gain((mean - lowest) * at.inverse_sd));
    }
    return gains.value(static_cast<double>(extreme_samples));
  }
};

}  // namespace carbo::kernels
