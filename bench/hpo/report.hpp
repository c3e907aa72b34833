#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/hpo/problems.hpp"
#include "bench/hpo/results.hpp"

namespace carbo::hpo {

/// Everything that a report is made from. Experiments that were not made are left out of it; the tables are needed.
struct Report {
  const std::vector<MeasuredProblem>* problems = nullptr;  ///< outlives the report
  ExperimentResults tables{};
  ExperimentResults ablation{};
  ExperimentResults scaling{};
  ExperimentResults share{};
  ExperimentResults draws{};
  std::vector<ExperimentResults> differences{};
  std::string build{};  ///< compiler and flags

  std::vector<const ExperimentResults*> experiments() const;
};

/// The tables as Markdown that also reads well in a terminal, with the definition of the savings.
std::string report_text(const Report& report);

/// Writes report.md, savings.csv, errors.csv, curves.csv and the figures; returns the text of the first. Throws
/// std::invalid_argument where the tables' runs are missing.
std::string write_report(const std::filesystem::path& folder, const Report& report);

}  // namespace carbo::hpo
