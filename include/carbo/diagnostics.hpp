#pragma once

#include <cstddef>

#include <carbo/cost.hpp>
#include <carbo/transform.hpp>

namespace carbo {

/// Leave-one-out check of a surrogate, in standardised units.
struct Calibration {
  double log_density = 0;       ///< mean log predictive density a point
  double coverage = 0;          ///< share of points inside their central 95 % interval
  double squared_residual = 0;  ///< mean squared standardised residual; 1 where spread is right
};

/// What a model has learned from: distinct points, whose copies count as often as they were observed.
struct PointsLearned {
  /// That variances know; less than `known` where memory or `max_points` asked for a subset. The mean and the
  /// hyperparameters then learn from up to nine times as many.
  std::size_t used = 0;
  std::size_t known = 0;  ///< that there are
};

/// How well a cost model predicts costs that it has not seen.
struct CostModelScore {
  CostModelKind model = CostModelKind::log_gp;
  double log_density = 0;  ///< mean leave-one-out log density of the logarithm of a cost; higher is better
};

/// How well objectives that a model has not seen are predicted under a transform.
struct TransformScore {
  Transform transform = Transform::none;
  /// Mean over left-out values, higher is better: of the better half the log density, in the caller's units; of the
  /// others the log probability of being worse than the median.
  double log_score = 0;
};

}  // namespace carbo
