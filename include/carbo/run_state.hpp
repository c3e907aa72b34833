#pragma once

#include <carbo/language.hpp>

namespace carbo {

/// Where a run is.
enum class Phase { warm_start, design, search };

/// Why its initial design is.
enum class DesignEnd {
  served,     ///< all of its points were suggested (uniform draws, the caller's points)
  share,      ///< its share of the budget was spent or committed
  gain,       ///< its next point would have taught less than `design.least_gain`
  exhausted,  ///< no candidate was left
};

/// Why it is over.
enum class StopReason {
  running,
  budget,
  evaluations,
  target,
  exhausted,
  cancelled,
  failures,
  strict_budget,
  error,
  price,  ///< no candidate is worth what it costs; see StoppingOptions
};

}  // namespace carbo
