#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "replay/run.hpp"

namespace carbo::replay {

/// Grid over the budget: point i is at i / grid_steps of it, i = 0 … grid_steps.
inline constexpr std::size_t grid_steps = 1000;

/// One row a seed, one column a grid point: regret of the incumbent.
using Traces = std::vector<std::vector<double>>;

Traces sample_traces(std::span<const RunRecord* const> runs);

/// A quantile over the seeds at every grid point.
std::vector<double> quantile_curve(const Traces& traces, double share);

/// First grid point at which a curve is finite and at most `target`; one past the end where none is.
std::size_t first_reach(std::span<const double> curve, double target);

/// Savings of `ours` against `rival`, as a share of the budget: 1 minus the share of the budget after which our
/// curve first reaches the rival's final value. Where we end worse, the same the other way round, negative: the
/// share after which the rival reaches our final value, minus 1. Where both end at one value, which happens in a
/// table, the shares after which each got there are compared, so that a curve saves nothing against itself.
double savings(std::span<const double> ours, std::span<const double> rival);

/// The curve that ends lowest; of equals, the one that got there first. Not for an empty list.
std::size_t best_final(const std::vector<std::vector<double>>& curves);

struct SavingsEstimate {
  std::size_t rival = 0;  ///< position of the rival whose median curve ends lowest
  double share = 0;       ///< savings on median curves
  double low = 0;         ///< 5 % and 95 % quantiles over resamples of the seeds, the rival held fixed
  double high = 0;
};

/// Traces of the two methods that are compared on one problem, seed by seed.
struct Comparison {
  const Traces* ours;
  const Traces* rival;
};
/// Median curves of 200 resamples of the seeds, one a row: draws of `problem` among so many problems, the same for
/// all that is compared on it.
Traces resampled_medians(const Traces& traces, std::size_t problem, std::size_t problems);
/// What is compared on one problem, with several budgets for instance: one row a comparison, one column a resample.
using ProblemSavings = std::vector<std::vector<double>>;
/// Mean over all comparisons, once for each resample, where problems are drawn with replacement. Not for an empty
/// list.
std::vector<double> resampled_means(const std::vector<ProblemSavings>& problems);
/// Mean savings over problems, once for each of 200 resamples: problems are drawn with replacement, and seeds within
/// each. Not for an empty list.
std::vector<double> resampled_net_savings(const std::vector<Comparison>& comparisons);

/// Savings on median curves against the best of the rivals.
SavingsEstimate estimate_savings(const Traces& ours, const std::vector<Traces>& rivals);

}  // namespace carbo::replay
