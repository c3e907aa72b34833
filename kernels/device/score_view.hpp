#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "acquisition/spec.hpp"

namespace carbo::kernels {

/// Posterior of one objective GP over all candidates, in device memory.
struct ScoreMember {
  const double* means = nullptr;       ///< fantasy f of candidate i: f · stride + i
  const double* bases = nullptr;       ///< variance that the observed rows leave
  const double* reductions = nullptr;  ///< what fantasised points explain of it; null where there are none
  std::size_t stride = 0;
  int fantasies = 1;
  double floor = 0;  ///< of the variance
};

/// What the score of a candidate is made of. All pointers are device memory.
struct ScoreView {
  const ScoreMember* members = nullptr;
  int member_count = 0;
  int fantasies = 0;                            ///< over all members
  const double* incumbents = nullptr;           ///< one a fantasy, in the order of members and their means
  const std::uint8_t* mask = nullptr;           ///< 1 where a candidate may be picked
  const double* log_cost = nullptr;             ///< mean; null where cost does not enter
  const double* log_cost_bases = nullptr;       ///< variance; null where it has none
  const double* log_cost_reductions = nullptr;  ///< null where there are none
  double log_cost_floor = 0;
  AcquisitionSpec acquisition;
  double log_cost_limit = HUGE_VAL;
  const double* round_log_cost = nullptr;  ///< null: the acquisition's
};

}  // namespace carbo::kernels
