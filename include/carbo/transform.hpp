#pragma once

#include <carbo/language.hpp>

namespace carbo {

/// What the objective becomes before it is standardised and a model learns from it. "Better" is lower, or higher
/// where the goal is to maximise. Predictions are in the caller's units whatever it is.
enum class Transform {
  none,
  log,   ///< its logarithm; values that have none are refused
  rank,  ///< normal scores of its ranks
  /// Logarithm of its distance from a floor: 0, where every value is on the worse side of it, or a little beyond the
  /// best one.
  shifted_log,
  /// Yeo and Johnson's power transform about the median, with the power that makes the values most like a normal
  /// sample (by penalised likelihood).
  power,
  /// The better half as it is; what is worse than the median becomes normal scores of its ranks.
  half_rank,
  /// Of none, shifted_log, power and half_rank the one under which left-out values are predicted best. Refuses no
  /// finite value.
  automatic,
};

}  // namespace carbo
