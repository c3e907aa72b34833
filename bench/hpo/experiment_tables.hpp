#pragma once

#include <string>
#include <vector>

#include "bench/hpo/problems.hpp"
#include "bench/hpo/results.hpp"

namespace carbo::hpo {

/// What each part of CArBO saves against EI and EIpu, in sequence.
std::string ablation_section(const ExperimentResults& ablation);
/// Final errors of CArBO by batch size on equal compute, and what batches lose of it.
std::string scaling_section(const ExperimentResults& scaling);
/// What other shares of the initial design save against the first.
/// What CArBO saves against EI and EIpu with fewer uniform draws.
std::string draws_section(const ExperimentResults& draws);
std::string share_section(const ExperimentResults& share);
/// Net savings in sequence of the main experiment and of those that differ from it in one thing.
std::string difference_section(const ExperimentResults& tables, const std::vector<ExperimentResults>& differences);
/// Savings beside the cost of each table's best row, and their rank correlation.
std::string optimum_section(const ExperimentResults& tables, const std::vector<MeasuredProblem>& problems);

}  // namespace carbo::hpo
