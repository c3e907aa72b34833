#include "replay/table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include <carbo/error.hpp>

#include "replay/nearest_row.hpp"
#include "replay/statistics.hpp"
#include "support/text.hpp"

namespace carbo::replay {

namespace {

using internal::text;

/// A file, and where in it the reader is.
class TableReader {
 public:
  TableReader(const std::string& file, const CsvTable& csv, const Space& space, const TableColumns& columns)
      : file_(file), csv_(csv), columns_(columns), table_{.space = space} {
    for (const Parameter& parameter : space.parameters())
      parameters_.push_back(column_of(file, csv, parameter.name()));
    objective_ = column_of(file, csv, columns.objective);
    if (!columns.cost.empty()) cost_ = column_of(file, csv, columns.cost);
    if (!columns.status.empty()) status_ = column_of(file, csv, columns.status);
  }

  Table read() {
    for (row_ = 0; row_ < csv_.rows.size(); ++row_) take_row();
    if (columns_.repeats == Repeats::mean) take_means();
    if (table_.rows() < 2)
      throw InvalidObservation(text(file_, ": ", table_.rows(), table_.rows() == 1 ? " row" : " rows",
                                    table_.left_out > 0 ? " without a missing value" : "",
                                    "; a replay chooses between at least two"));
    if (!std::isfinite(table_.lowest_objective()))
      throw InvalidObservation(text(file_, ": all rows failed; at least one must have an objective"));
    return std::move(table_);
  }

 private:
  /// All that was measured of one configuration.
  struct Measured {
    std::size_t line = 0;  ///< of the first
    std::size_t row = 0;   ///< of the table
    std::vector<double> objectives{}, costs{};
  };

  [[noreturn]] void fail(std::size_t column, const std::string& what) const {
    throw InvalidObservation(text(file_, ":", csv_.lines[row_], ": column '", csv_.header[column], "': ", what));
  }

  const std::string& cell(std::size_t column) const { return csv_.rows[row_][column]; }
  bool missing(std::size_t column) const { return is_missing(cell(column)); }

  double number(std::size_t column, const std::string& otherwise) const {
    if (missing(column)) fail(column, text("the value is missing; ", otherwise));
    const auto value = read_number(cell(column));
    if (value && std::isfinite(*value)) return *value;
    fail(column, text("'", cell(column), "' is not a finite number; ", otherwise));
  }

  double parameter_value(std::size_t index) const {
    const Parameter& parameter = table_.space.parameters()[index];
    const std::size_t column = parameters_[index];
    if (parameter.labels().empty()) return number(column, columns_.advice_missing);
    const auto& labels = parameter.labels();
    const auto found = std::find(labels.begin(), labels.end(), cell(column));
    if (found == labels.end() && missing(column))
      fail(column, text("the value is missing; ", columns_.advice_missing));
    if (found == labels.end()) fail(column, text("'", cell(column), "' is no choice of the parameter"));
    return static_cast<double>(found - labels.begin());
  }

  /// Whether nothing but the objective may be missing, and something else is.
  bool incomplete() const {
    const bool parameter =
        std::any_of(parameters_.begin(), parameters_.end(), [&](std::size_t column) { return missing(column); });
    return parameter || (cost_ && missing(*cost_));
  }

  double objective() const {
    if (status_ && cell(*status_) == "failed") return failed;
    if (columns_.missing_fails && missing(objective_)) return failed;
    const double value = number(
        objective_, columns_.missing_fails ? "leave the cell empty where the run failed" : "give what the run found");
    return columns_.goal == Goal::maximize ? -value : value;
  }

  double cost() const {
    if (!cost_) return 1;
    const double value = number(*cost_, "give what the run cost, also where it failed");
    if (!(value > 0)) fail(*cost_, text("a cost of ", cell(*cost_), " is not above 0"));
    return value;
  }

  void take_row() {
    if (columns_.leave_out && incomplete()) {
      ++table_.left_out;
      return;
    }
    std::vector<double> numbers;
    for (std::size_t i = 0; i < parameters_.size(); ++i) numbers.push_back(parameter_value(i));
    try {
      table_.space.configuration(numbers);
    } catch (const Error& fault) {
      throw InvalidObservation(text(file_, ":", csv_.lines[row_], ": ", fault.what()));
    }
    const double priced = cost(), found = objective();
    const auto [first, is_new] = measured_.try_emplace(numbers, Measured{csv_.lines[row_], table_.rows()});
    if (!is_new && columns_.repeats == Repeats::refuse)
      throw InvalidObservation(text(file_, ":", csv_.lines[row_], " has the configuration of line ",
                                    first->second.line, "; ", columns_.advice_repeats));
    if (columns_.repeats == Repeats::mean) {
      first->second.costs.push_back(priced);
      if (std::isfinite(found)) first->second.objectives.push_back(found);
    }
    if (!is_new) {
      ++table_.repeated;
      return;
    }
    table_.numbers.insert(table_.numbers.end(), numbers.begin(), numbers.end());
    table_.objective.push_back(found);
    table_.cost.push_back(priced);
  }

  void take_means() {
    for (const auto& [numbers, all] : measured_) {
      table_.cost[all.row] = mean(all.costs);
      table_.objective[all.row] = all.objectives.empty() ? failed : mean(all.objectives);
    }
  }

  static constexpr double failed = std::numeric_limits<double>::infinity();

  const std::string& file_;
  const CsvTable& csv_;
  const TableColumns& columns_;
  Table table_;
  std::vector<std::size_t> parameters_{};  ///< column of each
  std::size_t objective_ = 0;
  std::optional<std::size_t> cost_{}, status_{};
  std::size_t row_ = 0;
  std::map<std::vector<double>, Measured> measured_{};
};

Problem problem_of(std::string name, std::string title, const Table& table, double most_share) {
  Problem problem{.name = std::move(name), .title = std::move(title), .space = table.space};
  problem.optimum = table.lowest_objective();
  problem.mean_cost = table.mean_cost();
  problem.cost_spread = table.cost_spread();
  problem.most_evaluations = static_cast<std::size_t>(most_share * static_cast<double>(table.rows()));
  return problem;
}

}  // namespace

Outcome Table::outcome(std::size_t row) const {
  return {.objective = objective[row], .value = objective[row], .cost = cost[row]};
}

double Table::mean_cost() const { return mean(cost); }

double Table::cost_spread() const { return quantile(cost, 0.95) / quantile(cost, 0.05); }

double Table::lowest_objective() const { return *std::min_element(objective.begin(), objective.end()); }

std::size_t Table::failures() const {
  return static_cast<std::size_t>(
      std::count_if(objective.begin(), objective.end(), [](double value) { return !std::isfinite(value); }));
}

bool is_missing(std::string_view cell) {
  const std::string_view words = trimmed(cell);
  if (words.empty() || words == "NA" || words == "N/A") return true;
  const auto is = [&](std::size_t i, char letter) { return (words[i] | 0x20) == letter; };
  return words.size() == 3 && is(0, 'n') && is(1, 'a') && is(2, 'n');
}

std::size_t column_of(const std::string& file, const CsvTable& table, const std::string& name) {
  const auto found = std::find(table.header.begin(), table.header.end(), name);
  if (found == table.header.end())
    throw InvalidObservation(text(file, ":1: no column is called '", name, "'; there are ", csv_line(table.header)));
  return static_cast<std::size_t>(found - table.header.begin());
}

Table read_table(const std::string& file, const CsvTable& csv, const Space& space, const TableColumns& columns) {
  return TableReader(file, csv, space, columns).read();
}

Table read_table(const std::filesystem::path& file, const Space& space, const TableColumns& columns) {
  return read_table(file.string(), read_csv(file), space, columns);
}

Problem table_problem(std::string name, std::string title, std::shared_ptr<const Table> table, double most_share) {
  Problem problem = problem_of(std::move(name), std::move(title), *table, most_share);
  problem.pool = std::make_shared<const Pool>(table->space, table->numbers, table->rows());
  problem.evaluate = [table = std::move(table)](const Suggestion& suggestion, std::uint64_t) {
    return table->outcome(suggestion.pool_index.value());
  };
  return problem;
}

Problem continuous_problem(std::string name, std::string title, std::shared_ptr<const Table> table,
                           double most_share) {
  Problem problem = problem_of(std::move(name), std::move(title), *table, most_share);
  problem.evaluate = [nearest = std::make_shared<const NearestRow>(table->space, table->numbers),
                      table = std::move(table)](const Suggestion& suggestion, std::uint64_t) {
    return table->outcome((*nearest)(suggestion.configuration.numbers()));
  };
  return problem;
}

}  // namespace carbo::replay
