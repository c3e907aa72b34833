#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <carbo/options.hpp>
#include <carbo/space.hpp>

#include "replay/csv.hpp"
#include "replay/problem.hpp"

namespace carbo::replay {

/// Measured configurations, one a row.
struct Table {
  Space space;
  std::vector<double> numbers{};    ///< rows × parameters (see Configuration::numbers)
  std::vector<double> objective{};  ///< minimised, whatever the goal was; infinite where the run failed
  std::vector<double> cost{};       ///< above 0
  std::size_t left_out = 0;         ///< rows of the file in which something was missing
  std::size_t repeated = 0;         ///< rows of the file whose configuration was there before

  std::size_t rows() const { return objective.size(); }
  std::span<const double> row(std::size_t index) const {
    const std::size_t columns = space.parameters().size();
    return {numbers.data() + index * columns, columns};
  }
  Outcome outcome(std::size_t row) const;
  double mean_cost() const;
  double cost_spread() const;  ///< 95 % quantile over 5 % quantile
  double lowest_objective() const;
  std::size_t failures() const;
};

/// What becomes of a configuration that was measured more than once.
enum class Repeats {
  refuse,
  mean,   ///< of all costs, and of the objectives of runs that did not fail
  first,  ///< the others are not looked at
};

/// Which columns of a file hold what, and how they are read; columns that are neither parameters nor named here are
/// not read.
struct TableColumns {
  std::string objective = "objective";
  std::string cost = "cost";   ///< empty: every row costs 1
  std::string status{};        ///< rows with "failed" in it have no objective
  bool missing_fails = false;  ///< a row whose objective is missing is that of a run that failed
  bool leave_out = false;      ///< rows in which a parameter or the cost is missing are left out
  Goal goal = Goal::minimize;  ///< a maximised objective changes its sign
  Repeats repeats = Repeats::refuse;
  /// What messages advise where a parameter is missing, and where a configuration is there again.
  std::string advice_missing = "give it, or leave the row out";
  std::string advice_repeats = "measure a configuration once";
};

/// Whether a cell says that there is no value: it is empty, or NA, N/A or NaN.
bool is_missing(std::string_view cell);

/// The column of this name. Throws InvalidObservation with the names that there are.
std::size_t column_of(const std::string& file, const CsvTable& table, const std::string& name);

/// A column for each parameter of the space, choices of categorical parameters by name. Throws InvalidObservation
/// naming file, line, column and what would be right where a column is missing, a cell is, a number is not one, a
/// value lies outside its parameter, a cost is not above 0, a configuration was there before, fewer than two rows are
/// there, or all of them failed.
Table read_table(const std::string& file, const CsvTable& csv, const Space& space, const TableColumns& columns);
Table read_table(const std::filesystem::path& file, const Space& space, const TableColumns& columns);

/// The rows are the pool, objective and cost are looked up. A run evaluates at most `most_share` of the rows.
Problem table_problem(std::string name, std::string title, std::shared_ptr<const Table> table,
                      double most_share = 1.0);

/// The same where candidates are drawn from the whole space: objective and cost of a configuration are those of the
/// row that is nearest to it (see NearestRow), so that a row may be evaluated more than once.
Problem continuous_problem(std::string name, std::string title, std::shared_ptr<const Table> table,
                           double most_share = 1.0);

}  // namespace carbo::replay
