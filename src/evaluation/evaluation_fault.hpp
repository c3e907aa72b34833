#pragma once

#include <span>
#include <string>

#include <carbo/optimizer.hpp>

#include "evaluation/evaluation_workers.hpp"

namespace carbo::internal {

/// Why an evaluation is a failure.
struct Fault {
  std::string reason;     ///< empty where it is none
  bool ends_run = false;  ///< no other evaluation will do better: the caller has something to change
};

/// Takes the reason out of the outcome; where there is no memory to describe one, it is `lost_reason`.
Fault fault_of(Outcome& outcome, Transform transform) noexcept;

struct FailureCost {
  double cost = 0;
  bool known = false;  ///< not merely predicted
};

/// What EvaluationFailed said, else what was returned, else the time it took, else what was `predicted`.
/// `seconds_per_unit`: 0 where costs are not time.
FailureCost cost_of_failure(const Outcome& outcome, double predicted, double seconds_per_unit) noexcept;

/// Reason of the last failure; empty where nothing failed.
std::string last_failure(std::span<const Observation> observations) noexcept;

}  // namespace carbo::internal
