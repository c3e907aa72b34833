#include "bench/hpo/problems.hpp"

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "replay/csv.hpp"
#include "replay/statistics.hpp"

namespace carbo::hpo {

namespace {

using Json = nlohmann::ordered_json;

Parameter parameter_of(const Json& entry) {
  const std::string name = entry.at("name"), type = entry.at("type");
  if (type == "categorical") return categorical(name, entry.at("choices").get<std::vector<std::string>>());
  if (type != "real" && type != "integer")
    throw std::runtime_error("'" + type + "' is no type; there are real, integer and categorical");
  const Parameter parameter = type == "real" ? real(name, entry.at("low"), entry.at("high"))
                                             : integer(name, entry.at("low"), entry.at("high"));
  return entry.value("log", false) ? parameter.log() : parameter;
}

Learner learner_of(const std::string& name, const Json& described) {
  std::vector<Parameter> parameters;
  for (const Json& entry : described.at("parameters")) {
    try {
      parameters.push_back(parameter_of(entry));
    } catch (const std::exception& fault) {
      throw std::runtime_error("learner " + name + ", parameter " + std::to_string(parameters.size() + 1) + ": " +
                               fault.what());
    }
  }
  return {.name = name, .title = described.at("title"), .space = Space(std::move(parameters))};
}

}  // namespace

std::vector<Learner> read_learners(const std::filesystem::path& spaces_file) {
  std::ifstream in(spaces_file);
  if (!in) throw std::runtime_error(spaces_file.string() + " cannot be read");
  try {
    const Json file = Json::parse(in);  // outlives its items
    std::vector<Learner> learners;
    for (const auto& [name, described] : file.items()) learners.push_back(learner_of(name, described));
    return learners;
  } catch (const std::exception& fault) {
    throw std::runtime_error(spaces_file.string() + ": " + fault.what());
  }
}

const std::vector<DataSet>& data_sets() {
  static const std::vector<DataSet> sets = {
      {"a1a", "a1a"}, {"a2a", "a3a (a2a)"}, {"splice", "splice"}, {"w2a", "w2a"}};
  return sets;
}

const std::vector<DataSet>& verdict_sets() {
  static const std::vector<DataSet> sets = {{"digits", "digits"}, {"clusters", "clusters"}};
  return sets;
}

double repeated_cost_spread(const std::filesystem::path& repeats_file, const replay::Table& table) {
  static const replay::CsvRow header = {"row", "table_row", "pass", "error", "seconds", "status", "note"};
  const replay::CsvTable repeats = replay::read_csv(repeats_file);
  if (repeats.header != header)
    throw std::runtime_error(repeats_file.string() + ": its columns are not " + replay::csv_line(header));
  if (repeats.rows.empty()) throw std::runtime_error(repeats_file.string() + ": no row was measured again");
  std::vector<double> ratios;
  for (std::size_t i = 0; i < repeats.rows.size(); ++i) {
    const double row = replay::to_double(repeats.rows[i][1]), seconds = replay::to_double(repeats.rows[i][4]);
    if (!(row >= 0 && row < static_cast<double>(table.rows()) && seconds > 0))
      throw std::runtime_error(repeats_file.string() + ": line " + std::to_string(i + 2) +
                               " is no measurement of the table's " + std::to_string(table.rows()) + " rows");
    ratios.push_back(std::abs(std::log(seconds / table.cost[static_cast<std::size_t>(row)])));
  }
  // A ratio holds the errors of two measurements.
  constexpr double upper_quartile = 0.6744897501960817;  // of the standard normal distribution
  return replay::median(ratios) / upper_quartile / std::sqrt(2.0);
}

std::vector<MeasuredProblem> measured_problems(const std::filesystem::path& folder,
                                               const std::filesystem::path& spaces_file,
                                               const std::vector<DataSet>& sets) {
  std::vector<MeasuredProblem> problems;
  for (const Learner& learner : read_learners(spaces_file))
    for (const DataSet& data : sets) {
      const std::string name = learner.name + "_" + data.name;
      auto table = std::make_shared<const replay::Table>(replay::read_table(
          folder / (name + ".csv"), learner.space, {.objective = "error", .cost = "seconds", .status = "status"}));
      replay::Problem problem = replay::table_problem(name, learner.title + " " + data.title, table, most_of_a_table);
      const double spread = repeated_cost_spread(folder / ("repeats_" + name + ".csv"), *table);
      problems.push_back({learner, data, std::move(table), std::move(problem), spread});
    }
  return problems;
}

}  // namespace carbo::hpo
