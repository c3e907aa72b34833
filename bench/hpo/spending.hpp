#pragma once

#include <cstddef>
#include <string>

#include "bench/hpo/results.hpp"

namespace carbo::hpo {

/// What a method's runs spend before the search begins; medians over the seeds.
struct DesignUse {
  double warm_start_share = 0;  ///< of the budget, when the last uniform draw of the start has finished
  double design_points = 0;     ///< evaluations that Algorithm 1 chose, whether they finished in the budget or not
};
DesignUse design_use(const replay::MethodSummary& method);

/// What CArBO's uniform draws cost on each problem, how many points its design gets, and how many evaluations methods
/// make as multiples of EI's, beside the paper's.
std::string spending_section(const ExperimentResults& tables);

}  // namespace carbo::hpo
