#include <algorithm>
#include <cstdio>
#include <exception>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/hpo/budgets.hpp"
#include "bench/hpo/command_line.hpp"
#include "bench/hpo/experiments.hpp"
#include "bench/hpo/live.hpp"
#include "bench/hpo/live_report.hpp"
#include "bench/hpo/report.hpp"
#include "bench/replay/laboratory.hpp"
#include "bench/support/words.hpp"
#include "replay/methods.hpp"

namespace {

using namespace carbo::hpo;
namespace replay = carbo::replay;
namespace bench = carbo::bench;

constexpr std::size_t live_seeds = 5;

/// The problems that were asked for with their budgets, and where their experiments are made.
class Experiments {
 public:
  explicit Experiments(const CommandLine& command)
      : command_(command), laboratory_(command.out, {.threads = command.jobs, .progress = true}) {
    problems_ = measured_problems(command.data, std::filesystem::path(CARBO_HPO_FOLDER) / "spaces.json");
    if (!command.problems.empty()) problems_ = bench::named(problems_, command.problems);
    budgets_ = pilot_budgets(problems_, command.out / "pilot", {.threads = command.jobs, .progress = true});
  }

  const std::vector<MeasuredProblem>& problems() const { return problems_; }
  const std::map<std::string, double>& budgets() const { return budgets_; }
  replay::Laboratory& laboratory() { return laboratory_; }

  ExperimentResults make(const Experiment& experiment) {
    if (!bench::wanted(command_.experiments, experiment.name)) return {};
    return results_of(experiment,
                      laboratory_.make(experiment.title, experiment.store, experiment.cells, experiment.methods));
  }

 private:
  const CommandLine& command_;
  replay::Laboratory laboratory_;
  std::vector<MeasuredProblem> problems_{};
  std::map<std::string, double> budgets_{};
};

/// One problem at a time on one thread: what is measured is not to be disturbed.
void make_live_check(const CommandLine& command, Experiments& experiments) {
  if (command.server.empty()) throw std::invalid_argument("live needs --sets, the folder with LIBSVM's data sets");
  const auto methods = bench::named(replay::paper_methods(), {"ei", replay::ours});
  std::vector<replay::Problem> live;
  std::vector<LiveComparison> comparisons;
  live.reserve(experiments.problems().size());
  for (const MeasuredProblem& measured : experiments.problems()) {
    if (std::find(live_names.begin(), live_names.end(), measured.name()) == live_names.end()) continue;
    live.push_back(live_problem(measured, command.server));
    const double budget = experiments.budgets().at(measured.name());
    const replay::Cell replayed{&measured.problem, 1, budget, command.seeds.many};
    const replay::Cell lived{&live.back(), 1, budget, live_seeds};
    const std::string title = "Live: " + measured.problem.title;
    auto replay_summary =
        experiments.laboratory().make(title + ", replay", "runs", {replayed}, methods, {.threads = command.jobs});
    auto live_summary =
        experiments.laboratory().make(title, "runs_live", {lived}, methods, {.threads = 1, .progress = true});
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
    if (!bench::wanted(all, name)) throw std::invalid_argument("no experiment is called '" + name + "'");
  Experiments experiments(command);
  const auto& problems = experiments.problems();
  const auto& budgets = experiments.budgets();
  Report report{.problems = &problems, .build = CARBO_BUILD_FLAGS};
  report.tables = experiments.make(tables_experiment(problems, budgets, command.seeds));
  report.ablation = experiments.make(ablation_experiment(problems, budgets, command.seeds));
  report.scaling = experiments.make(scaling_experiment(problems, budgets, command.seeds));
  report.share = experiments.make(share_experiment(problems, budgets, command.seeds));
  report.draws = experiments.make(draws_experiment(problems, budgets, command.seeds));
  for (const Experiment& experiment : difference_experiments(problems, budgets, command.seeds))
    if (ExperimentResults made = experiments.make(experiment); made.made())
      report.differences.push_back(std::move(made));
  if (report.tables.made()) {
    const std::string text = write_report(command.out, report);
    std::printf("%s\nReport, CSV and figures are in %s\n", text.c_str(), command.out.c_str());
  }
  if (!command.experiments.empty() && bench::wanted(command.experiments, "live"))
    make_live_check(command, experiments);
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
