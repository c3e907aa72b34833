#include <algorithm>
#include <cstdio>
#include <exception>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/hpo/budgets.hpp"
#include "bench/hpo/command_line.hpp"
#include "bench/hpo/experiments.hpp"
#include "bench/hpo/live.hpp"
#include "bench/hpo/live_report.hpp"
#include "bench/hpo/report.hpp"
#include "bench/replay/methods.hpp"
#include "bench/support/words.hpp"

namespace {

using namespace carbo::hpo;
namespace replay = carbo::replay;
namespace bench = carbo::bench;

constexpr std::size_t live_seeds = 5;

/// Runs of all experiments that were asked for, in stores that outlive every summary of them.
class Laboratory {
 public:
  explicit Laboratory(const CommandLine& command)
      : command_(command), workers_{.threads = command.jobs, .progress = true} {
    problems_ = measured_problems(command.data, std::filesystem::path(CARBO_HPO_FOLDER) / "spaces.json");
    if (!command.problems.empty()) problems_ = bench::named(problems_, command.problems);
    budgets_ = pilot_budgets(problems_, command.out / "pilot", workers_);
  }

  static bool wanted(const std::vector<std::string>& names, const std::string& name) {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
  }

  const std::vector<MeasuredProblem>& problems() const { return problems_; }
  const std::map<std::string, double>& budgets() const { return budgets_; }

  /// Throws std::runtime_error where a run failed: no report is made from an incomplete experiment.
  std::vector<replay::Summary> make(const std::string& title, const std::string& folder,
                                    const std::vector<replay::Cell>& cells,
                                    const std::vector<replay::Method>& methods, const replay::Workers& workers) {
    std::fprintf(stderr, "%s\n", title.c_str());
    auto& store = stores_[folder];
    if (!store) store = std::make_unique<replay::RunStore>(command_.out / folder);
    const std::size_t failures = replay::make_runs(replay::jobs_of(cells, methods), *store, workers);
    if (failures > 0) throw std::runtime_error(title + ": " + std::to_string(failures) + " runs failed");
    std::vector<replay::Summary> summaries;
    for (const replay::Cell& cell : cells) summaries.push_back(replay::summarise(cell, methods, *store));
    return summaries;
  }

  ExperimentResults make(const Experiment& experiment) {
    if (!wanted(command_.experiments, experiment.name)) return {};
    return results_of(experiment,
                      make(experiment.title, experiment.store, experiment.cells, experiment.methods, workers_));
  }

 private:
  const CommandLine& command_;
  replay::Workers workers_;
  std::vector<MeasuredProblem> problems_{};
  std::map<std::string, double> budgets_{};
  std::map<std::string, std::unique_ptr<replay::RunStore>> stores_{};
};

/// One problem at a time on one thread: what is measured is not to be disturbed.
void make_live_check(const CommandLine& command, Laboratory& laboratory) {
  if (command.server.empty()) throw std::invalid_argument("live needs --sets, the folder with LIBSVM's data sets");
  const auto methods = bench::named(replay::paper_methods(), {"ei", replay::ours});
  std::vector<replay::Problem> live;
  std::vector<LiveComparison> comparisons;
  live.reserve(laboratory.problems().size());
  for (const MeasuredProblem& measured : laboratory.problems()) {
    if (std::find(live_names.begin(), live_names.end(), measured.name()) == live_names.end()) continue;
    live.push_back(live_problem(measured, command.server));
    const double budget = laboratory.budgets().at(measured.name());
    const replay::Cell replayed{&measured.problem, 1, budget, command.seeds.many};
    const replay::Cell lived{&live.back(), 1, budget, live_seeds};
    const std::string title = "Live: " + measured.problem.title;
    auto replay_summary = laboratory.make(title + ", replay", "runs", {replayed}, methods, {.threads = command.jobs});
    auto live_summary = laboratory.make(title, "runs_live", {lived}, methods, {.threads = 1, .progress = true});
    comparisons.push_back({std::move(replay_summary.front()), std::move(live_summary.front())});
  }
  write_live_report(command.out, comparisons);
  std::printf("%s\n", live_text(comparisons).c_str());
}

int run(const CommandLine& command) {
  static const std::vector<std::string> all = {"tables",     "ablation", "scaling", "share",      "draws",
                                               "reference",  "half",     "double",  "likelihood", "gpyopt",
                                               "continuous", "noise",    "noise3",  "live"};
  for (const std::string& name : command.experiments)
    if (!Laboratory::wanted(all, name)) throw std::invalid_argument("no experiment is called '" + name + "'");
  Laboratory laboratory(command);
  const auto& problems = laboratory.problems();
  const auto& budgets = laboratory.budgets();
  Report report{.problems = &problems, .build = CARBO_BUILD_FLAGS};
  report.tables = laboratory.make(tables_experiment(problems, budgets, command.seeds));
  report.ablation = laboratory.make(ablation_experiment(problems, budgets, command.seeds));
  report.scaling = laboratory.make(scaling_experiment(problems, budgets, command.seeds));
  report.share = laboratory.make(share_experiment(problems, budgets, command.seeds));
  report.draws = laboratory.make(draws_experiment(problems, budgets, command.seeds));
  for (const Experiment& experiment : difference_experiments(problems, budgets, command.seeds))
    if (ExperimentResults made = laboratory.make(experiment); made.made())
      report.differences.push_back(std::move(made));
  if (report.tables.made()) {
    const std::string text = write_report(command.out, report);
    std::printf("%s\nReport, CSV and figures are in %s\n", text.c_str(), command.out.c_str());
  }
  if (!command.experiments.empty() && Laboratory::wanted(command.experiments, "live"))
    make_live_check(command, laboratory);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const CommandLine command = parse_command_line(std::vector<std::string>(argv + 1, argv + argc));
    if (command.help) return std::fputs(usage, stdout) < 0;
    return run(command);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "carbo_hpo: %s\n", error.what());
    return 1;
  }
}
