#pragma once

#include <carbo/cost.hpp>

namespace carbo {

/// Leave-one-out check of a surrogate, in standardised units.
struct Calibration {
  double log_density = 0;       ///< mean log predictive density a point
  double coverage = 0;          ///< share of points inside their central 95 % interval
  double squared_residual = 0;  ///< mean squared standardised residual; 1 where spread is right
};

/// How well a cost model predicts costs that it has not seen.
struct CostModelScore {
  CostModelKind model = CostModelKind::log_gp;
  double log_density = 0;  ///< mean leave-one-out log density of the logarithm of a cost; higher is better
};

}  // namespace carbo
