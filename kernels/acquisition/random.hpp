#pragma once

#include "acquisition/spec.hpp"

namespace carbo::kernels {

/// Of an acquisition that scores nothing.
struct NoScore {};

/// Uniform draws.
struct Random {
  using Score = NoScore;
  static bool takes(CostMoment) { return true; }
  static double parameter(const RunState&) { return 0.0; }
};

}  // namespace carbo::kernels
