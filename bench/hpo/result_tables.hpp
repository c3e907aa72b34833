#pragma once

#include <string>

#include "bench/hpo/results.hpp"

namespace carbo::hpo {

/// "+32.5 % (+20.1 to +44.0)".
std::string net_text(const replay::NetSavings& net);
/// On how many problems no method ends with a lower median error than `ours`.
std::size_t lowest_or_equal(const std::vector<replay::Summary>& cells);
/// On how many problems `ours` saves something or loses nothing against the next best.
std::size_t best_or_level(const std::vector<replay::Summary>& cells);

/// Table 1, one Markdown table a batch size: median final error and median number of evaluations of each method, ours
/// beside the paper's, the lowest of each in bold, runs that ended before their budget marked.
std::string error_section(const ExperimentResults& tables);

/// Table 2: savings of CArBO against the next best, ours beside the paper's, and what they come to.
std::string savings_section(const ExperimentResults& tables);

}  // namespace carbo::hpo
