#include "program/replay/user_table.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <carbo/error.hpp>

#include "program/file/locate_study.hpp"
#include "program/file/parameters.hpp"
#include "program/support/files.hpp"
#include "program/support/nearest.hpp"
#include "program/support/words.hpp"
#include "replay/columns.hpp"
#include "replay/usual.hpp"

namespace carbo::program {
namespace {

std::string plural(std::size_t count, const char* one, const char* several) {
  return fmt::format("{} {}", count, count == 1 ? one : several);
}

replay::CsvTable read_csv_of(const std::string& file) {
  replay::CsvTable table = replay::parse_csv(file, read_whole_file(file));
  for (std::string& name : table.header) name = std::string(trimmed(name));
  for (replay::CsvRow& row : table.rows)
    for (std::string& cell : row) cell = std::string(trimmed(cell));
  if (table.rows.size() < 2)
    throw InvalidObservation(fmt::format("{}: {} after the names; a replay chooses between at least two rows", file,
                                         plural(table.rows.size(), "row", "rows")));
  return table;
}

bool has(const replay::CsvTable& table, const std::string& name) {
  return std::ranges::find(table.header, name) != table.header.end();
}

/// What an option names: a column whose name has a comma is one, too.
std::vector<std::string> columns_of(const char* option, const std::vector<std::string>& entries,
                                    const replay::CsvTable& table) {
  std::vector<std::string> names;
  for (const std::string& entry : entries) {
    if (has(table, entry)) {
      names.push_back(entry);
      continue;
    }
    for (std::string& name : list_of(option, {entry})) {
      if (!has(table, name))
        throw InvalidOptions(
            fmt::format("{}: no column is called '{}'{}", option, name, suggestion_for(name, table.header)));
      names.push_back(std::move(name));
    }
  }
  return names;
}

std::string objective_of(const ReplayArguments& arguments, const replay::CsvTable& table) {
  const std::string name = arguments.objective.empty() ? "objective" : arguments.objective;
  if (has(table, name)) return name;
  if (!arguments.objective.empty())
    throw InvalidOptions(
        fmt::format("--objective: no column is called '{}'{}", name, suggestion_for(name, table.header)));
  throw InvalidOptions(
      fmt::format("which column is the objective? Name it with --objective; there are {}", joined(table.header)));
}

/// A column that is called as a cost may be.
std::string likely_cost(const replay::CsvTable& table, const std::string& objective) {
  for (const char* const likely : {"cost", "seconds", "second", "secs", "sec", "time", "duration", "runtime",
                                   "elapsed", "walltime", "wall_time", "cpu_time", "train_time", "price", "dollars"})
    for (const std::string& name : table.header) {
      std::string small;
      for (const char c : name) small += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      if (small == likely && name != objective) return name;
    }
  return {};
}

/// What `carbo export` writes has many columns that are no parameters.
void check_export(const ReplayArguments& arguments, const replay::CsvTable& table) {
  const bool told = !arguments.parameters.empty() || !arguments.space.empty();
  for (const char* const name : {"number", "id", "state", "origin"})
    if (told || !has(table, name)) return;
  throw InvalidOptions(
      fmt::format("{} is what carbo export writes of a study: say --space and its study file, or name "
                  "its parameters with --parameters",
                  arguments.table));
}

/// Empty: every row costs 1.
std::string cost_of(const ReplayArguments& arguments, const replay::CsvTable& table, const std::string& objective) {
  if (has(table, arguments.cost) && !arguments.cost.empty()) {
    if (arguments.cost == objective)
      throw InvalidOptions(fmt::format("'{}' is the objective and the cost; name two columns", objective));
    return arguments.cost;
  }
  if (arguments.cost == "none") return {};
  if (!arguments.cost.empty())
    throw InvalidOptions(fmt::format("--cost: no column is called '{}'{}; none: every row costs 1", arguments.cost,
                                     suggestion_for(arguments.cost, table.header)));
  if (has(table, "cost") && objective != "cost") return "cost";
  const std::string likely = likely_cost(table, objective);
  if (!likely.empty() && arguments.parameters.empty() && arguments.space.empty())
    throw InvalidOptions(
        fmt::format("is column '{0}' what a row cost? Say --cost {0}, or --cost none where every "
                    "row costs the same",
                    likely));
  return {};
}

Goal goal_of(const std::string& name) {
  if (name.empty() || name == "minimize" || name == "min") return Goal::minimize;
  if (name == "maximize" || name == "max") return Goal::maximize;
  throw InvalidOptions(fmt::format("--goal is '{}'; give minimize or maximize", name));
}

replay::Repeats repeats_of(const std::string& name) {
  if (name == "mean") return replay::Repeats::mean;
  return name == "first" ? replay::Repeats::first : replay::Repeats::refuse;
}

/// The parameters of a study file, and its goal where none was given.
Space space_of_file(const ReplayArguments& arguments, Goal& goal) {
  for (const auto* const names :
       {&arguments.parameters, &arguments.ignored, &arguments.logarithmic, &arguments.categorical})
    if (!names->empty())
      throw InvalidOptions(
          "with --space the study file says what the parameters are: leave out --parameters, "
          "--ignore, --log and --categorical");
  const Document document = is_study_file(arguments.space)
                                ? parse_toml(arguments.space, read_whole_file(arguments.space))
                                : study_file_of(arguments.space, "").document;
  const Node* const parameters = document.root.find("parameters");
  if (parameters == nullptr)
    throw StudyFileError(fmt::format("{}: there is no table [parameters]; it says what is tuned", arguments.space));
  const Node* const written = document.root.find("goal");
  if (written != nullptr && arguments.goal.empty() && written->get<std::string>() != nullptr)
    goal = goal_of(*written->get<std::string>());
  return read_space(document, *parameters);
}

void note_rows(UserTable& result, const std::string& repeats) {
  const replay::Table& table = *result.table;
  if (result.cost.empty()) result.notes.push_back("there is no cost column: every row costs 1");
  if (table.failures() > 0)
    result.notes.push_back(fmt::format("{} no objective and {} as failed",
                                       plural(table.failures(), "row has", "rows have"),
                                       table.failures() == 1 ? "counts" : "count"));
  if (table.left_out > 0)
    result.notes.push_back(
        fmt::format("{} left out: a value is missing", plural(table.left_out, "row was", "rows were")));
  if (table.repeated > 0)
    result.notes.push_back(fmt::format("{} a configuration again: {}", plural(table.repeated, "row has", "rows have"),
                                       repeats == "mean" ? "means were taken" : "the first of each was taken"));
}

double share_of(const ReplayArguments& arguments, std::size_t rows) {
  const double share = arguments.share.value_or(replay::usual_share(rows));
  if (!(share > 0 && share <= 1))
    throw InvalidOptions(fmt::format("--share is {}; give a share of the rows, above 0 and at most 1", share));
  const auto most = static_cast<std::size_t>(share * static_cast<double>(rows));
  if (most < replay::fewest_evaluations)
    throw InvalidOptions(
        fmt::format("a run could evaluate {} of {} rows (--share {}); methods begin with five draws, "
                    "so at least {} are needed: measure more rows, or give a larger --share",
                    most, rows, share, replay::fewest_evaluations));
  return share;
}

}  // namespace

std::vector<std::string> list_of(const char* option, const std::vector<std::string>& entries) {
  std::vector<std::string> words;
  for (const std::string& entry : entries)
    for (std::size_t start = 0; start <= entry.size();) {
      const std::size_t end = std::min(entry.find(',', start), entry.size());
      words.emplace_back(trimmed(std::string_view(entry).substr(start, end - start)));
      if (words.back().empty())
        throw InvalidOptions(fmt::format("{} '{}' names nothing; give names with commas between", option, entry));
      start = end + 1;
    }
  return words;
}

UserTable read_user_table(const ReplayArguments& arguments) {
  const replay::CsvTable csv = read_csv_of(arguments.table);
  check_export(arguments, csv);
  const std::string objective = objective_of(arguments, csv), cost = cost_of(arguments, csv, objective);
  Goal goal = goal_of(arguments.goal);
  std::vector<std::string> notes;
  const auto space = [&] {
    if (!arguments.space.empty()) return space_of_file(arguments, goal);
    replay::ColumnChoice choice;
    choice.parameters = columns_of("--parameters", arguments.parameters, csv);
    choice.others = columns_of("--ignore", arguments.ignored, csv);
    choice.others.push_back(objective);
    if (!cost.empty()) choice.others.push_back(cost);
    choice.logarithmic = columns_of("--log", arguments.logarithmic, csv);
    choice.advice = "--ignore leaves the column out, --categorical takes its values as names";
    choice.categorical = columns_of("--categorical", arguments.categorical, csv);
    replay::GuessedSpace guessed = replay::guess_space(arguments.table, csv, choice);
    notes = std::move(guessed.notes);
    return std::move(guessed.space);
  }();
  const replay::TableColumns columns{.objective = objective,
                                     .cost = cost,
                                     .missing_fails = true,
                                     .leave_out = arguments.leave_out,
                                     .goal = goal,
                                     .repeats = repeats_of(arguments.repeats),
                                     .advice_missing = "give it, or leave such rows out with --leave-out",
                                     .advice_repeats =
                                         "--repeats mean takes the mean of its rows, --repeats first the "
                                         "first of them"};
  auto table = std::make_shared<const replay::Table>(replay::read_table(arguments.table, csv, space, columns));
  const std::string name = std::filesystem::path(arguments.table).stem().string();
  replay::Problem problem = replay::table_problem(name, name, table, share_of(arguments, table->rows()));
  UserTable result{arguments.table, objective, cost, goal, std::move(table), std::move(problem), std::move(notes)};
  note_rows(result, arguments.repeats);
  return result;
}

}  // namespace carbo::program
