#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/hpo/report.hpp"
#include "bench/hpo/results.hpp"

/// The paper's figures as SVG documents, from what was measured here.
namespace carbo::hpo {

using Problems = std::vector<const MeasuredProblem*>;

/// Figure 1: histograms of what the rows of each table cost.
std::string cost_distribution_figure(const std::string& title, const Problems& problems, std::size_t columns);
/// Figure 2: histograms of what EI and EIpu evaluate with the cost of the table's best row, rows of four problems,
/// and their median errors in the row under each.
std::string evaluated_cost_figure(const std::string& title, const std::vector<MeasuredProblem>& problems,
                                  const CellList& cells);
/// Figure 3: median cost of evaluation k with EI, EIpu and CArBO.
std::string iteration_cost_figure(const std::string& title, const CellList& cells);
/// Figure 5: mean over the data sets of normalised medians, a row a batch size, a column a learner.
std::string average_figure(const std::vector<MeasuredProblem>& problems, const ExperimentResults& tables);

/// Savings of Table 2 with their ranges, a panel a batch size, the paper's beside them.
std::string savings_figure(const ExperimentResults& tables);
/// On the paper's example, and the mean over all problems of normalised medians.
std::string ablation_figure(const ExperimentResults& ablation);
std::string share_figure(const ExperimentResults& share);
/// Over time on the wall and over compute.
std::string scaling_figure(const ExperimentResults& scaling);

/// Writes all figures that the report has runs for.
void write_figures(const std::filesystem::path& folder, const Report& report);

}  // namespace carbo::hpo
