#pragma once

#include <string>
#include <vector>

#include "bench/choice/evidence.hpp"

namespace carbo::choice {

/// A problem counts as lost to EI where the mean saving over its budgets is below this.
inline constexpr double loss = -0.10;

/// Net savings of every variant with 5 to 95 % ranges, over all budgets and by budget, problems lost and won.
std::string variants_section(const Evidence& evidence);
/// One variant on every problem with every budget.
std::string problems_section(const Evidence& evidence, const std::string& variant);
/// One row a variant, problem and budget.
std::string savings_csv(const std::vector<Evidence>& all);
/// One row a variant and budget, and one for all budgets.
std::string net_csv(const std::vector<Evidence>& all);

}  // namespace carbo::choice
