#include "program/file/tables.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <carbo/error.hpp>

#include "program/evaluation/json_text.hpp"
#include "program/support/files.hpp"
#include "program/support/nearest.hpp"
#include "replay/csv.hpp"
#include "support/text.hpp"

namespace carbo::program {
namespace {

using internal::text;

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

/// A table of configurations, with columns found by name.
class ConfigurationTable {
 public:
  ConfigurationTable(const Space& space, const std::string& name, std::string_view csv)
      : space_(space), name_(name), file_(replay::parse_csv(name, csv)) {
    for (const Parameter& parameter : space.parameters()) {
      // Where a parameter has the name of another column, `carbo export` puts a prefix before it.
      const auto prefixed = find("parameter:" + parameter.name());
      parameters_.push_back(prefixed ? *prefixed : required(parameter.name()));
    }
  }

  const replay::CsvTable& file() const { return file_; }

  std::optional<std::size_t> find(std::string_view column) const {
    const auto found = std::ranges::find(file_.header, column);
    if (found == file_.header.end()) return std::nullopt;
    return static_cast<std::size_t>(found - file_.header.begin());
  }

  std::size_t required(const std::string& column) const {
    if (const auto found = find(column)) return *found;
    throw InvalidObservation(
        text(name_, ":1: no column is called '", column, "'", suggestion_for(column, file_.header)));
  }

  bool is_parameter(std::size_t column) const { return std::ranges::find(parameters_, column) != parameters_.end(); }

  [[noreturn]] void refuse(std::size_t row, std::size_t column, const std::string& what) const {
    throw InvalidObservation(text(name_, ":", file_.lines[row], ": column '", file_.header[column], "': ", what));
  }

  const std::string& field(std::size_t row, std::size_t column) const { return file_.rows[row][column]; }

  double number(std::size_t row, std::size_t column) const {
    if (const auto value = read_number(field(row, column))) return *value;
    refuse(row, column, text("'", field(row, column), "' is no number"));
  }

  Configuration configuration(std::size_t row) const {
    std::map<std::string, Value> values;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const Parameter& parameter = space_.parameters()[i];
      if (parameter.labels().empty())
        values.emplace(parameter.name(), number(row, parameters_[i]));
      else
        values.emplace(parameter.name(), field(row, parameters_[i]));
    }
    try {
      return space_.configuration(values);
    } catch (const InvalidConfiguration& error) {
      throw InvalidObservation(text(name_, ":", file_.lines[row], ": ", error.what()));
    }
  }

 private:
  const Space& space_;
  const std::string& name_;
  replay::CsvTable file_;
  std::vector<std::size_t> parameters_;  ///< column of each
};

/// Absent: a point that has no result.
std::optional<ObservationStatus> status_of(const std::string& state) {
  if (state.empty() || state == "succeeded") return ObservationStatus::succeeded;
  if (state == "failed") return ObservationStatus::failed;
  if (state == "timed_out") return ObservationStatus::timed_out;
  return std::nullopt;
}

class ObservationReader {
 public:
  ObservationReader(const Space& space, const std::string& name, std::string_view csv)
      : table_(space, name, csv),
        objective_(table_.required("objective")),
        cost_(table_.find("cost")),
        state_(table_.find("state")),
        reason_(table_.find("reason")) {}

  ObservedTable read() {
    ObservedTable result;
    for (std::size_t column = 0; column < table_.file().header.size(); ++column) {
      const bool used = table_.is_parameter(column) || column == objective_ || column == cost_ || column == state_ ||
                        column == reason_;
      if (!used) result.ignored.push_back(table_.file().header[column]);
    }
    for (std::size_t row = 0; row < table_.file().rows.size(); ++row) {
      if (const auto status = row_status(row))
        result.observations.push_back(observation(row, *status));
      else
        ++result.unfinished;
    }
    return result;
  }

 private:
  std::optional<ObservationStatus> row_status(std::size_t row) const {
    if (!state_) return ObservationStatus::succeeded;
    const std::string& state = table_.field(row, *state_);
    for (const char* const unfinished : {"waiting", "running", "withdrawn"})
      if (state == unfinished) return std::nullopt;
    const auto status = status_of(state);
    if (!status)
      table_.refuse(
          row, *state_,
          text("'", state, "' is no state; give succeeded, failed, timed_out, waiting, running or withdrawn"));
    return status;
  }

  Observation observation(std::size_t row, ObservationStatus status) const {
    Observation seen;
    seen.configuration = table_.configuration(row);
    seen.status = status;
    seen.origin = Origin::prior;
    const bool succeeded = status == ObservationStatus::succeeded;
    seen.objective = succeeded ? table_.number(row, objective_) : not_known;
    if (!std::isfinite(seen.objective) && succeeded)
      table_.refuse(row, objective_,
                    text("'", table_.field(row, objective_),
                         "' is not finite; leave the row out, or "
                         "give it the state 'failed'"));
    const bool priced = cost_ && !table_.field(row, *cost_).empty();
    seen.cost = priced ? table_.number(row, *cost_) : not_known;
    if (priced && !(std::isfinite(seen.cost) && (seen.cost > 0 || (!succeeded && seen.cost == 0))))
      table_.refuse(row, *cost_,
                    text("'", table_.field(row, *cost_),
                         "' is no cost; give a finite number above 0, or "
                         "leave it empty where it is not known"));
    if (!succeeded && !priced) seen.cost = 0;
    if (reason_) seen.reason = table_.field(row, *reason_);
    return seen;
  }

  ConfigurationTable table_;
  std::size_t objective_;
  std::optional<std::size_t> cost_, state_, reason_;
};

}  // namespace

ObservedTable read_observations(const Space& space, const std::string& name, std::string_view csv) {
  return ObservationReader(space, name, csv).read();
}

PoolTable read_pool_file(const Space& space, const std::filesystem::path& file) {
  PoolTable result;
  if (file.extension() != ".csv") {
    result.pool = std::make_shared<const Pool>(Pool::map(space, file));
    return result;
  }
  const std::string name = file.string();
  const ConfigurationTable table(space, name, read_whole_file(file));
  std::vector<double> numbers;
  const std::size_t rows = table.file().rows.size();
  for (std::size_t row = 0; row < rows; ++row) {
    const Configuration one = table.configuration(row);
    numbers.insert(numbers.end(), one.numbers().begin(), one.numbers().end());
  }
  result.pool = std::make_shared<const Pool>(space, numbers, rows);
  for (std::size_t column = 0; column < table.file().header.size(); ++column) {
    if (table.is_parameter(column)) continue;
    result.columns.push_back(table.file().header[column]);
    std::vector<double>& values = result.values.emplace_back(rows, not_known);
    for (std::size_t row = 0; row < rows; ++row)
      values[row] = read_number(table.field(row, column)).value_or(not_known);
  }
  return result;
}

}  // namespace carbo::program
