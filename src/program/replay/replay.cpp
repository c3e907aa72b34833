#include "program/replay/replay.hpp"

#include <charconv>
#include <cmath>
#include <ctime>
#include <ostream>
#include <set>

#include <fmt/format.h>
#include <unistd.h>

#include <carbo/error.hpp>

#include "program/evaluation/signals.hpp"
#include "program/replay/folder.hpp"
#include "program/replay/results.hpp"
#include "program/report/page.hpp"
#include "program/support/files.hpp"
#include "program/support/nearest.hpp"
#include "replay/methods.hpp"
#include "replay/usual.hpp"

namespace carbo::program {
namespace {

/// "50x": so many mean costs of a row; otherwise in the unit of the cost column.
double budget_of(const std::string& word, double mean_cost) {
  const bool relative = word.ends_with('x');
  const auto number = replay::read_number(relative ? std::string_view(word).substr(0, word.size() - 1) : word);
  if (!number || !std::isfinite(*number) || !(*number > 0))
    throw InvalidOptions(
        fmt::format("--budgets '{}' is no budget; give such as 50x, mean costs of a row, or a number "
                    "above 0 in the unit of the cost column",
                    word));
  return relative ? *number * mean_cost : *number;
}

std::vector<double> budgets_of(const ReplayArguments& arguments, const replay::Problem& problem) {
  std::vector<std::string> words = list_of("--budgets", arguments.budgets);
  if (words.empty()) words.push_back(fmt::format("{}x", replay::usual_budget(problem)));
  std::set<double> budgets;
  for (const std::string& word : words) budgets.insert(budget_of(word, problem.mean_cost));
  return {budgets.begin(), budgets.end()};
}

std::vector<std::size_t> batches_of(const ReplayArguments& arguments, const replay::Problem& problem) {
  std::set<std::size_t> batches;
  for (const std::string& word : list_of("--batches", arguments.batches)) {
    std::size_t batch = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), batch);
    if (error != std::errc{} || end != word.data() + word.size() || batch == 0)
      throw InvalidOptions(fmt::format("--batches '{}' is no size; give whole numbers above 0", word));
    if (batch > problem.most_evaluations)
      throw InvalidOptions(
          fmt::format("--batches {}: a run may evaluate {} rows; give smaller batches, or a larger "
                      "--share",
                      batch, problem.most_evaluations));
    batches.insert(batch);
  }
  if (batches.empty()) batches.insert(1);
  return {batches.begin(), batches.end()};
}

std::vector<replay::Cell> cells_of(const ReplayArguments& arguments, const replay::Problem& problem) {
  if (arguments.seeds == 0) throw InvalidOptions("--seeds is 0; give at least one");
  std::vector<replay::Cell> cells;
  for (const std::size_t batch : batches_of(arguments, problem))
    for (const double budget : budgets_of(arguments, problem))
      cells.push_back({.problem = &problem, .batch = batch, .budget = budget, .seeds = arguments.seeds});
  return cells;
}

std::vector<replay::Method> wanted_methods(const ReplayArguments& arguments) {
  std::vector<std::string> names = list_of("--methods", arguments.methods);
  if (names.empty()) names = replay::usual_methods();
  return replay::methods_named(names);
}

void say_table(Terminal& terminal, const UserTable& table) {
  if (terminal.quiet || terminal.json) return;
  std::vector<std::string> names;
  for (const Parameter& parameter : table.table->space.parameters()) names.push_back(parameter.name());
  terminal.out << fmt::format("{}: {} rows; {} '{}', best {}\n  {} parameter{}: {}\n", printable(table.file),
                              table.table->rows(), to_string(table.goal), printable(table.objective),
                              short_number(table.shown(table.problem.optimum)), names.size(),
                              names.size() == 1 ? "" : "s", printable(joined(names)));
  for (const std::string& note : table.notes) terminal.out << "  " << printable(note) << "\n";
  if (!table.cost.empty())
    terminal.out << fmt::format("  cost '{}': {} on average, 95 % over 5 % of them: {:.3g}\n", printable(table.cost),
                                short_number(table.problem.mean_cost), table.problem.cost_spread);
  terminal.out << std::flush;
}

ReplayResults results_of(const UserTable& table, const std::vector<replay::Cell>& cells,
                         std::vector<replay::Method> methods, const replay::RunStore& store) {
  ReplayResults results{&table, std::move(methods), {}};
  for (const replay::Cell& cell : cells) {
    replay::Summary summary = replay::summarise(cell, results.methods, store);
    std::vector<replay::PairSavings> savings = replay::pairwise_savings(summary);
    results.cells.push_back({std::move(summary), std::move(savings), cell.budget / table.problem.mean_cost});
  }
  return results;
}

void write_results(const std::filesystem::path& folder, const ReplayResults& results) {
  replace_file(folder / "curves.csv", curves_csv(results));
  replace_file(folder / "savings.csv", savings_csv(results));
  Json data = json_of(results, true);
  data["made"] = static_cast<std::int64_t>(std::time(nullptr));
  replace_file(folder / "report.html", page_html(results.table->problem.name, data));
}

void say_results(Terminal& terminal, const std::filesystem::path& folder, const ReplayResults& results) {
  if (terminal.json) {
    Json answer = json_of(results, false);
    answer["folder"] = folder.string();
    terminal.out << json_line(answer) << "\n";
    return;
  }
  terminal.out << results_text(terminal, results);
  if (!terminal.quiet)
    terminal.out << fmt::format("\npage, curves, savings and runs in {}\n", printable(folder.string()));
}

}  // namespace

int replay_table(Terminal& terminal, const ReplayArguments& arguments) {
  const std::vector<replay::Method> methods = wanted_methods(arguments);
  const UserTable table = read_user_table(arguments);
  const std::vector<replay::Cell> cells = cells_of(arguments, table.problem);
  const ReplayFolder folder(arguments.output.empty() ? table.problem.name + ".replay" : arguments.output, table);
  say_table(terminal, table);
  const Signals signals;
  replay::RunStore store(folder.path());
  const replay::Workers workers{.threads = arguments.jobs,
                                .progress = !terminal.quiet && !terminal.json && ::isatty(STDERR_FILENO) == 1,
                                .stop = signals.drain()};
  const std::size_t failures = replay::make_runs(replay::jobs_of(cells, methods), store, workers);
  if (signals.first() != 0) {
    if (!terminal.quiet)
      terminal.err << fmt::format("\nstopped; {} runs are kept in {}, and the same command goes on\n", store.size(),
                                  printable(folder.path().string()));
    return 128 + signals.first();
  }
  if (failures > 0)
    throw Error(fmt::format("{} runs failed; nothing is said of a replay that is not whole", failures));
  const ReplayResults results = results_of(table, cells, methods, store);
  write_results(folder.path(), results);
  say_results(terminal, folder.path(), results);
  return 0;
}

}  // namespace carbo::program
