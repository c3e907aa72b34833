#pragma once

#include <string>
#include <vector>

#include "bench/choice/evidence.hpp"

namespace carbo::choice {

/// A problem counts as lost to a rival where the mean saving over its budgets is below this.
inline constexpr double loss = -0.10;

/// Net savings of every variant with 5 to 95 % ranges, over all budgets and by budget, problems lost and won.
std::string variants_section(const Evidence& evidence);
/// One variant on every problem with every budget, problems with the widest spread of costs first. Throws
/// std::invalid_argument where it was not compared.
std::string problems_section(const Evidence& evidence, const std::string& variant);

/// One row a variant, problem, budget and rival.
std::string savings_csv(const std::vector<Evidence>& all);
/// One row a variant, budget and rival, and one for all budgets.
std::string net_csv(const std::vector<Evidence>& all);

/// Net savings of every variant with their ranges as bars, a panel a rival.
std::string variants_figure(const Evidence& evidence);
/// Mean savings over the budgets on every problem as bars, a panel a rival. Throws as problems_section does.
std::string problems_figure(const Evidence& evidence, const std::string& variant);

}  // namespace carbo::choice
