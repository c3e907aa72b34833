#pragma once

#include <cstddef>
#include <vector>

#include "replay/summary.hpp"

namespace carbo::hpo {

/// What the evaluations of one method in one cell cost, by their number.
struct IterationCosts {
  /// Entry k: median over the runs that made it of the cost of evaluation k + 1. As many as the median run finishes
  /// inside the budget.
  std::vector<double> medians{};
  double first_eighth = 0;  ///< median number of evaluations that finish in the first eighth of the budget
};
IterationCosts iteration_costs(const replay::MethodSummary& method);

/// Costs of all evaluations that finished inside the budget, of all runs.
std::vector<double> evaluated_costs(const replay::MethodSummary& method);

}  // namespace carbo::hpo
