#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <carbo/space.hpp>

#include "replay/problem.hpp"

namespace carbo::replay {

/// Measured configurations, one a row.
struct Table {
  Space space;
  std::vector<double> numbers{};    ///< rows × parameters (see Configuration::numbers)
  std::vector<double> objective{};  ///< infinite where the run failed
  std::vector<double> cost{};       ///< above 0

  std::size_t rows() const { return objective.size(); }
  std::span<const double> row(std::size_t index) const {
    const std::size_t columns = space.parameters().size();
    return {numbers.data() + index * columns, columns};
  }
  Outcome outcome(std::size_t row) const;
  double mean_cost() const;
  double cost_spread() const;  ///< 95 % quantile over 5 % quantile
  double lowest_objective() const;
};

/// Which columns of a file hold what; columns that are neither parameters nor named here are not read.
struct TableColumns {
  std::string objective = "objective";
  std::string cost = "cost";
  std::string status{};  ///< rows with "failed" in it have no objective; empty: no row failed
};

/// Reads a CSV file with a column for each parameter of the space, choices of categorical parameters by name. Throws
/// std::runtime_error naming file, line and column where a column is missing, a cell is empty, a number is not one, a
/// value lies outside its parameter, a cost is not above 0, a configuration was there before, fewer than two rows are
/// there, or all of them failed.
Table read_table(const std::filesystem::path& file, const Space& space, const TableColumns& columns);

/// The rows are the pool, objective and cost are looked up. A run evaluates at most `most_share` of the rows.
Problem table_problem(std::string name, std::string title, std::shared_ptr<const Table> table,
                      double most_share = 1.0);

/// The same where candidates are drawn from the whole space: objective and cost of a configuration are those of the
/// row that is nearest to it (see NearestRow), so that a row may be evaluated more than once.
Problem continuous_problem(std::string name, std::string title, std::shared_ptr<const Table> table,
                           double most_share = 1.0);

}  // namespace carbo::replay
