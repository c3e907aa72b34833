#include "program/replay/results.hpp"

#include <cmath>

#include <carbo/version.h>
#include <fmt/format.h>
#include <carbo/to_string.hpp>

namespace carbo::program {
namespace {

using replay::exact;
using replay::MethodSummary;

/// Empty where there was no success by then.
std::string field(double number) { return std::isfinite(number) ? exact(number) : ""; }

double objective_at(const ReplayResults& results, double regret) {
  return results.table->shown(results.table->problem.optimum + regret);
}

Json quartiles(const ReplayResults& results, const MethodSummary& method) {
  const auto both = [&](double regret) {
    return Json{{"objective", json_of(std::optional(objective_at(results, regret)))},
                {"regret", json_of(std::optional(regret))}};
  };
  return {{"lower", both(method.lower.back())},
          {"median", both(method.middle.back())},
          {"upper", both(method.upper.back())}};
}

Json curve(const MethodSummary& method) {
  Json points = Json::array();
  for (std::size_t i = 0; i < method.middle.size(); ++i) {
    const bool same = i > 0 && method.lower[i] == method.lower[i - 1] && method.middle[i] == method.middle[i - 1] &&
                      method.upper[i] == method.upper[i - 1];
    if (same && i + 1 < method.middle.size()) continue;
    points.push_back({i, json_of(std::optional(method.lower[i])), json_of(std::optional(method.middle[i])),
                      json_of(std::optional(method.upper[i]))});
  }
  return points;
}

Json cell_json(const ReplayResults& results, const ReplayCell& cell, bool curves) {
  Json methods = Json::array();
  for (const MethodSummary& method : cell.summary.methods) {
    Json one{{"method", method.name},
             {"final", quartiles(results, method)},
             {"evaluations", method.evaluations},
             {"seconds", method.seconds},
             {"cut_short", method.cut_short}};
    if (curves) one["curve"] = curve(method);
    methods.push_back(std::move(one));
  }
  Json savings = Json::array();
  for (const replay::PairSavings& pair : cell.savings)
    savings.push_back({{"method", cell.summary.methods[pair.ours].name},
                       {"rival", cell.summary.methods[pair.rival].name},
                       {"share", pair.share},
                       {"low", pair.low},
                       {"high", pair.high}});
  return {{"batch", cell.summary.cell.batch}, {"budget", cell.summary.cell.budget}, {"mean_costs", cell.mean_costs},
          {"seeds", cell.summary.cell.seeds}, {"methods", std::move(methods)},      {"savings", std::move(savings)}};
}

Json parameter_json(const Parameter& parameter) {
  Json one{{"name", parameter.name()}, {"kind", to_string(parameter.kind())}};
  if (!parameter.labels().empty())
    one["labels"] = parameter.labels();
  else if (!parameter.values().empty())
    one["values"] = parameter.values();
  else
    one["range"] = {parameter.lower(), parameter.upper()};
  if (parameter.scale() == Scale::log) one["log"] = true;
  return one;
}

Json table_json(const UserTable& table) {
  Json parameters = Json::array();
  for (const Parameter& parameter : table.table->space.parameters()) parameters.push_back(parameter_json(parameter));
  return {{"file", table.file},
          {"name", table.problem.name},
          {"rows", table.table->rows()},
          {"failed", table.table->failures()},
          {"objective", table.objective},
          {"cost", table.cost.empty() ? Json(nullptr) : Json(table.cost)},
          {"goal", to_string(table.goal)},
          {"best", table.shown(table.problem.optimum)},
          {"mean_cost", table.problem.mean_cost},
          {"cost_spread", table.problem.cost_spread},
          {"most_evaluations", table.problem.most_evaluations},
          {"parameters", std::move(parameters)},
          {"notes", table.notes}};
}

std::string cell_fields(const ReplayCell& cell) {
  return fmt::format("{},{}", cell.summary.cell.batch, exact(cell.summary.cell.budget));
}

std::string share_text(double share) { return fmt::format("{:+.0f} %", 100 * share); }

/// Savings of the first method against this one.
const replay::PairSavings* saved_against(const ReplayCell& cell, std::size_t rival) {
  for (const replay::PairSavings& pair : cell.savings)
    if (pair.ours == 0 && pair.rival == rival) return &pair;
  return nullptr;
}

}  // namespace

Json json_of(const ReplayResults& results, bool curves) {
  Json methods = Json::array();
  for (const replay::Method& method : results.methods)
    methods.push_back({{"name", method.name}, {"title", method.title}, {"why", method.why}});
  Json cells = Json::array();
  for (const ReplayCell& cell : results.cells) cells.push_back(cell_json(results, cell, curves));
  return {{"kind", "replay"},
          {"version", CARBO_VERSION_STRING},
          {"table", table_json(*results.table)},
          {"methods", std::move(methods)},
          {"grid", replay::grid_steps},
          {"cells", std::move(cells)}};
}

std::string curves_csv(const ReplayResults& results) {
  std::string text =
      "batch,budget,method,share,spent,regret_25,regret_50,regret_75,objective_25,objective_50,objective_75\n";
  for (const ReplayCell& cell : results.cells)
    for (const MethodSummary& method : cell.summary.methods)
      for (std::size_t i = 0; i < method.middle.size(); ++i) {
        const double share = static_cast<double>(i) / static_cast<double>(replay::grid_steps);
        text += fmt::format("{},{},{},{}", cell_fields(cell), method.name, exact(share),
                            exact(share * cell.summary.cell.budget));
        for (const auto* const line : {&method.lower, &method.middle, &method.upper}) text += "," + field((*line)[i]);
        for (const auto* const line : {&method.lower, &method.middle, &method.upper})
          text += "," + field(objective_at(results, (*line)[i]));
        text += '\n';
      }
  return text;
}

std::string savings_csv(const ReplayResults& results) {
  std::string text = "batch,budget,mean_costs,method,rival,savings,low,high\n";
  for (const ReplayCell& cell : results.cells)
    for (const replay::PairSavings& pair : cell.savings)
      text += fmt::format("{},{},{},{},{},{},{}\n", cell_fields(cell), exact(cell.mean_costs),
                          cell.summary.methods[pair.ours].name, cell.summary.methods[pair.rival].name,
                          exact(pair.share), exact(pair.low), exact(pair.high));
  return text;
}

std::string results_text(const Terminal& terminal, const ReplayResults& results) {
  std::string text;
  const UserTable& table = *results.table;
  for (const ReplayCell& cell : results.cells) {
    const replay::Cell& ran = cell.summary.cell;
    text += fmt::format("\n{}: {} ({} mean costs of a row), {}, {} seeds\n", terminal.bold("budget"),
                        short_number(ran.budget), short_number(cell.mean_costs),
                        ran.batch == 1 ? std::string("one at a time") : fmt::format("batches of {}", ran.batch),
                        ran.seeds);
    TextTable rows({"method", "half reach", "25 % reach", "75 % reach", "evaluations",
                    fmt::format("saved by {}", results.methods.front().name), "5 to 95 %"});
    for (std::size_t m = 0; m < cell.summary.methods.size(); ++m) {
      const MethodSummary& method = cell.summary.methods[m];
      const auto shown = [&](double regret) {
        return std::isfinite(regret) ? short_number(objective_at(results, regret)) : std::string("–");
      };
      const replay::PairSavings* const saved = saved_against(cell, m);
      rows.add({method.name, shown(method.middle.back()), shown(method.lower.back()), shown(method.upper.back()),
                short_number(method.evaluations), saved == nullptr ? "–" : share_text(saved->share),
                saved == nullptr ? "–" : share_text(saved->low) + " to " + share_text(saved->high)});
    }
    text += rows.text(terminal);
    std::size_t cut = 0;
    for (const MethodSummary& method : cell.summary.methods) cut += method.cut_short;
    if (cut > 0)
      text +=
          fmt::format("{} of {} runs ended before the budget: a run evaluates at most {} of {} rows (--share)\n", cut,
                      cell.summary.methods.size() * ran.seeds, table.problem.most_evaluations, table.table->rows());
  }
  return text;
}

}  // namespace carbo::program
