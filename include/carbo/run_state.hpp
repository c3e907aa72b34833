#pragma once

#include <carbo/language.hpp>

namespace carbo {

/// Where a run is.
enum class Phase { warm_start, design, search };

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
