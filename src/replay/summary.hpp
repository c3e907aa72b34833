#pragma once

#include <optional>
#include <string>
#include <vector>

#include "replay/curves.hpp"
#include "replay/schedule.hpp"
#include "replay/store.hpp"

namespace carbo::replay {

/// What one method did in one cell, over all seeds.
struct MethodSummary {
  std::string name{};
  std::string title{};
  std::vector<const RunRecord*> runs{};  ///< in the store, seed by seed
  Traces traces{};
  std::vector<double> lower{};  ///< quartile curves and the median on the grid
  std::vector<double> middle{};
  std::vector<double> upper{};
  std::vector<double> cost{};  ///< median over seeds of the mean cost of the evaluations near each grid point
  double evaluations = 0;      ///< median number that finished inside the budget
  double seconds = 0;          ///< mean CPU seconds a run
  std::size_t cut_short = 0;   ///< runs that the problem's `most_evaluations` ended before the budget
};

struct Summary {
  Cell cell{};
  std::vector<MethodSummary> methods{};
  /// Of `ours` against the best of the rivals; absent where one of them was not run.
  std::optional<SavingsEstimate> savings{};
  /// Savings of `ours` against each method, in the order of `methods`; absent for `ours` itself.
  std::vector<std::optional<double>> against{};

  const MethodSummary* find(const std::string& name) const;
};

/// Summarises one cell; throws std::runtime_error where a run is missing. The store outlives the summary.
Summary summarise(const Cell& cell, const std::vector<Method>& methods, const RunStore& store);

/// Savings of one method of a summary against another, with the 5 and 95 % quantiles over resamples of the seeds.
struct PairSavings {
  std::size_t ours = 0;  ///< positions in Summary::methods
  std::size_t rival = 0;
  double share = 0;
  double low = 0;
  double high = 0;
};
/// Of every method against every other, in the order of the methods.
std::vector<PairSavings> pairwise_savings(const Summary& summary);

/// Two methods in one cell.
struct MethodPair {
  const MethodSummary* ours;
  const MethodSummary* rival;
};

/// Mean over cells, and its 5 and 95 % quantiles where problems are drawn anew, with replacement, and seeds within
/// them.
struct NetSavings {
  double share = 0;
  double low = 0;
  double high = 0;
};
/// `single` holds the savings of each comparison, `drawn` their mean once for each resample.
NetSavings net_savings(const std::vector<double>& single, const std::vector<double>& drawn);
/// Of the first of each pair against the second.
NetSavings net_savings(const std::vector<MethodPair>& pairs);
/// Of `ours` against the next best of each cell. Throws std::invalid_argument where a cell has no savings.
NetSavings net_savings(const std::vector<Summary>& cells);

}  // namespace carbo::replay
