#include "replay/table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>

#include "replay/csv.hpp"
#include "replay/nearest_row.hpp"
#include "replay/statistics.hpp"

namespace carbo::replay {

namespace {

/// A file, and where in it the reader is.
class TableReader {
 public:
  TableReader(const std::filesystem::path& file, const Space& space, const TableColumns& columns)
      : file_(file), csv_(read_csv(file)), table_{.space = space} {
    for (const Parameter& parameter : space.parameters()) parameters_.push_back(position(parameter.name()));
    objective_ = position(columns.objective);
    cost_ = position(columns.cost);
    if (!columns.status.empty()) status_ = position(columns.status);
  }

  Table read() {
    for (row_ = 0; row_ < csv_.rows.size(); ++row_) take_row();
    if (table_.rows() < 2)
      throw std::runtime_error(file_.string() + ": " + std::to_string(table_.rows()) +
                               (table_.rows() == 1 ? " row" : " rows") + "; a replay chooses between at least two");
    if (!std::isfinite(table_.lowest_objective()))
      throw std::runtime_error(file_.string() + ": all rows failed; at least one must have an objective");
    return std::move(table_);
  }

 private:
  std::size_t position(const std::string& column) const {
    const auto found = std::find(csv_.header.begin(), csv_.header.end(), column);
    if (found == csv_.header.end())
      throw std::runtime_error(file_.string() + ": no column is called '" + column + "'; there are " +
                               csv_line(csv_.header));
    return static_cast<std::size_t>(found - csv_.header.begin());
  }

  [[noreturn]] void fail(std::size_t column, const std::string& what) const {
    throw std::runtime_error(file_.string() + ": line " + std::to_string(csv_.lines[row_]) + ", column '" +
                             csv_.header[column] + "': " + what);
  }

  const std::string& cell(std::size_t column) const {
    const std::string& text = csv_.rows[row_][column];
    if (text.empty()) fail(column, "the value is missing");
    return text;
  }

  double number(std::size_t column) const {
    try {
      const double value = to_double(cell(column));
      if (std::isfinite(value)) return value;
    } catch (const std::runtime_error&) {
    }
    fail(column, "'" + cell(column) + "' is not a finite number");
  }

  double parameter_value(std::size_t index) const {
    const Parameter& parameter = table_.space.parameters()[index];
    const std::size_t column = parameters_[index];
    if (parameter.kind() != ParameterKind::categorical) return number(column);
    const auto& labels = parameter.labels();
    const auto found = std::find(labels.begin(), labels.end(), cell(column));
    if (found == labels.end()) fail(column, "'" + cell(column) + "' is no choice of the parameter");
    return static_cast<double>(found - labels.begin());
  }

  void take_row() {
    std::vector<double> numbers;
    for (std::size_t i = 0; i < parameters_.size(); ++i) numbers.push_back(parameter_value(i));
    const std::string place = file_.string() + ": line " + std::to_string(csv_.lines[row_]);
    try {
      table_.space.configuration(numbers);
    } catch (const std::exception& fault) {
      throw std::runtime_error(place + ": " + fault.what());
    }
    const auto [first, is_new] = lines_.try_emplace(numbers, csv_.lines[row_]);
    if (!is_new)
      throw std::runtime_error(place + " has the configuration of line " + std::to_string(first->second) +
                               "; a configuration is measured once");
    const double cost = number(cost_);
    if (!(cost > 0)) fail(cost_, "a cost of " + cell(cost_) + " is not above 0");
    const bool failed = status_ < csv_.header.size() && csv_.rows[row_][status_] == "failed";
    table_.numbers.insert(table_.numbers.end(), numbers.begin(), numbers.end());
    table_.objective.push_back(failed ? std::numeric_limits<double>::infinity() : number(objective_));
    table_.cost.push_back(cost);
  }

  std::filesystem::path file_;
  CsvTable csv_;
  Table table_;
  std::vector<std::size_t> parameters_{};  ///< column of each
  std::size_t objective_ = 0, cost_ = 0;
  std::size_t status_ = std::numeric_limits<std::size_t>::max();
  std::size_t row_ = 0;
  std::map<std::vector<double>, std::size_t> lines_{};  ///< on which a configuration was first
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

Table read_table(const std::filesystem::path& file, const Space& space, const TableColumns& columns) {
  return TableReader(file, space, columns).read();
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
