#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "bench/hpo/experiments.hpp"
#include "replay/summary.hpp"

namespace carbo::hpo {

/// Summaries of some problems.
using CellList = std::vector<const replay::Summary*>;

/// Summaries of one batch size, problem by problem.
struct BatchResults {
  std::size_t batch = 1;
  std::vector<replay::Summary> problems{};
};

/// What came out of an experiment.
struct ExperimentResults {
  std::string name{};
  std::string title{};
  std::vector<std::shared_ptr<const replay::Problem>> problems{};  ///< of its cells, kept alive
  std::vector<BatchResults> batches{};  ///< from the smallest; none where the experiment was not made

  bool made() const { return !batches.empty(); }
  /// Throws std::invalid_argument where no run has this batch size.
  const BatchResults& of_batch(std::size_t batch) const;
};

/// Groups the summaries of an experiment's cells by batch size, which keeps the order of problems.
ExperimentResults results_of(const Experiment& experiment, std::vector<replay::Summary> cells);

/// Throws std::invalid_argument naming problem and method where the method was not run.
const replay::MethodSummary& method_of(const replay::Summary& cell, const std::string& name);

/// Median error at the end of the budget; infinite where half of the runs finished nothing.
double final_error(const replay::Summary& cell, const replay::MethodSummary& method);

/// Net savings of a method against another over all problems.
replay::NetSavings net_savings(const std::vector<replay::Summary>& cells, const std::string& method,
                               const std::string& rival);

/// Throws std::invalid_argument where there is none of this name.
const MeasuredProblem& measured_problem(const std::vector<MeasuredProblem>& problems, const std::string& name);

/// Cost of the best of a table among the costs of its rows.
struct OptimumCost {
  double cost = 0;   ///< of the cheapest row with the lowest error
  double share = 0;  ///< share of rows that cost less, in [0, 1)
  double ratio = 0;  ///< 95 % quantile of the costs over their 5 % quantile
};
OptimumCost optimum_cost(const replay::Table& table);

}  // namespace carbo::hpo
