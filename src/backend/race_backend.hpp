#pragma once

#include <cstddef>

#include "backend/candidate_backend.hpp"
#include "backend/field_backend.hpp"
#include "backend/scored.hpp"

namespace carbo::internal {

/// Picks by cost and distance alone, without a model of the objective.
class RaceBackend {
 public:
  virtual ~RaceBackend() = default;

  /// Algorithm 1's inner race over the available candidates, by log cost and distance to the design.
  /// `none` where nothing is available below the limit.
  virtual std::size_t race(const CandidateSet& candidates, const Field& log_cost, double log_cost_limit) = 0;
};

}  // namespace carbo::internal
