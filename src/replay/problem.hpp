#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <carbo/optimizer.hpp>

namespace carbo::replay {

/// What one evaluation gave.
struct Outcome {
  double objective = 0;              ///< as observed; not finite where the evaluation failed
  double value = 0;                  ///< without noise; the objective itself where nothing better is known
  double cost = 0;                   ///< above 0
  std::optional<std::size_t> row{};  ///< of the table that was looked up, where the suggestion does not name it
};

/// What a study optimises: a function with a price, or a table of measured runs. Minimised.
struct Problem {
  std::string name{};   ///< in files and on the command line
  std::string title{};  ///< in tables and figures
  Space space;
  /// A pure function of suggestion and seed; of several threads at once where runs are made in parallel.
  std::function<Outcome(const Suggestion&, std::uint64_t seed)> evaluate{};
  std::shared_ptr<const Pool> pool{};   ///< the rows of a table; absent: `drawn` candidates in every iteration
  std::size_t drawn = 2048;             ///< candidates where there is no pool
  double optimum = 0;                   ///< lowest value; regret is measured from it
  double mean_cost = 0;                 ///< of a uniform draw
  double cost_spread = 0;               ///< 95 % quantile of a uniform draw's cost over its 5 % quantile
  std::vector<CostFeature> features{};  ///< what its cost is made of, for methods that ask for it
  /// A run ends before the batch that might pass so many, so that a table is never emptied of what is good.
  std::size_t most_evaluations = std::numeric_limits<std::size_t>::max();

  std::size_t candidates() const { return pool ? pool->size() : drawn; }
};

struct RunKey;
struct RunRecord;

/// One way to optimise: what differs from the library's defaults.
struct Method {
  std::string name{};   ///< in files and on the command line
  std::string title{};  ///< in tables and figures
  std::function<void(Options&, const Problem&)> configure{};
  /// Whether it makes the same evaluations whatever the budget, which then only ends the run: one run with the
  /// largest budget serves all, where batches are fixed and costs are not summed.
  bool ignores_budget = false;
  Accounting accounting = Accounting::longest;  ///< what the budget counts: a batch's longest evaluation, or the sum
  /// Makes a run where the library does not; of several threads at once.
  std::function<RunRecord(const Problem&, const RunKey&)> run{};
  std::string why{};  ///< what it is, or is tried for, in a line
};

}  // namespace carbo::replay
