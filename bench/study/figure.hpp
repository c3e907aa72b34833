#pragma once

#include <string>
#include <vector>

#include "bench/study/problem.hpp"

namespace carbo::study {

/// Best-so-far regret over spent cost, a panel a problem, of random, EI, EIpu and CArBO, with the savings drawn in.
std::string regret_figure(const std::vector<ProblemSummary>& problems);
/// The same of CArBO and what is left of it without cooling or without its design.
std::string ablation_figure(const std::vector<ProblemSummary>& problems);
/// Cost of an evaluation over spent cost: early and cheap, late and expensive.
std::string cost_figure(const std::vector<ProblemSummary>& problems);

}  // namespace carbo::study
