#pragma once

#include <span>
#include <string>

#include "bench/hpo/results.hpp"

namespace carbo::hpo {

/// Savings where a curve need only come within `tolerance` of where the other ends: 1 minus the share of the budget
/// after which ours does, or, where ours never does, the share after which the rival does of ours, minus 1.
double lenient_savings(std::span<const double> ours, std::span<const double> rival, double tolerance);

/// Net savings as other readings of "the time needed by CArBO to achieve comparable results to the next best
/// optimizer" have them: means instead of medians over the seeds, run by run, and results within 1 % of each other.
std::string readings_section(const ExperimentResults& tables);

}  // namespace carbo::hpo
