#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "bench/hpo/problems.hpp"
#include "replay/schedule.hpp"

namespace carbo::hpo {

/// Evaluations that EI is to make in sequence: a third of what the paper's EI made in batches of three.
std::size_t paper_sequence(const std::string& problem);

/// Budget of each problem, in seconds, by name: the median over eleven pilot runs, whose seeds no study uses, of what
/// EI spends on that many evaluations, in three digits. EI looks at no budget, so the pilot needs none. Runs that
/// `folder` lacks are made; throws std::runtime_error where one fails.
std::map<std::string, double> pilot_budgets(const std::vector<MeasuredProblem>& problems,
                                            const std::filesystem::path& folder, const replay::Workers& workers);

}  // namespace carbo::hpo
