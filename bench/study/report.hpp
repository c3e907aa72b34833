#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/study/command_line.hpp"
#include "bench/study/problem.hpp"

namespace carbo::study {

/// How the figures were made: seeds, batch, candidates, compiler flags.
struct Provenance {
  std::size_t seeds = 0;
  Settings settings;
  std::string build{};  ///< compiler and flags
};

/// The tables as Markdown that also reads well in a terminal, with the definition of the savings.
std::string report_text(const std::vector<ProblemSummary>& problems, const Provenance& provenance);

/// Writes report.md, savings.csv, curves.csv, regret.svg, ablation.svg and costs.svg.
void write_report(const std::filesystem::path& folder, const std::vector<ProblemSummary>& problems,
                  const Provenance& provenance);

}  // namespace carbo::study
