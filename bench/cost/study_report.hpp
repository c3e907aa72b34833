#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/cost/contenders.hpp"

namespace carbo::cost_bench {

/// What all contenders did on one data set.
struct ReplaySummary {
  DataSource source{};
  double lowest_error = 0;
  std::vector<ContenderSummary> contenders{};  ///< in the order of `all_contenders`
};

/// The same seeds and data sets with one budget.
struct BudgetSummary {
  StudySettings settings{};
  std::vector<ReplaySummary> replays{};
};

/// The paper's Table 3 for every method and model with the first budget, and net savings by budget, as Markdown that
/// also reads well in a terminal.
std::string report_text(const std::vector<BudgetSummary>& budgets);

/// Writes report.md, savings.csv (all budgets), curves.csv, eipu.svg and carbo.svg (the first budget).
void write_report(const std::filesystem::path& folder, const std::vector<BudgetSummary>& budgets);

}  // namespace carbo::cost_bench
