#pragma once

#include <string>
#include <vector>

#include "bench/hpo/results.hpp"

namespace carbo::hpo {

/// Text of the CSV files, over all experiments that were made. A cell of `savings_csv` has runs of CArBO and of all
/// its rivals; curves are thinned to every 2.5 % of the budget.
std::string savings_csv(const std::vector<const ExperimentResults*>& experiments);
std::string errors_csv(const std::vector<const ExperimentResults*>& experiments);
std::string curves_csv(const std::vector<const ExperimentResults*>& experiments);

}  // namespace carbo::hpo
