#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "bench/study/command_line.hpp"
#include "bench/study/report.hpp"
#include "replay/schedule.hpp"

namespace {

using namespace carbo::study;
namespace replay = carbo::replay;

void print_list(const CommandLine& command) {
  for (const Problem& problem : command.problems) {
    const CostProfile profile = cost_profile(problem);
    std::printf("%-16s costs x%.0f (%s), optimum %s (dearer than %.0f %% of the space), budget %.0f mean costs\n",
                problem.name.c_str(), profile.ratio, problem.price.c_str(), optimum_class(profile),
                100 * profile.optimum_share, affordable(problem));
  }
  for (const carbo::replay::Method& method : command.methods)
    std::printf("%-16s %s\n", method.name.c_str(), method.title.c_str());
}

/// The problems as runs see them, and their profiles, in the order of the command line.
struct Prepared {
  std::vector<CostProfile> profiles{};
  std::vector<replay::Problem> problems{};
  std::vector<replay::Cell> cells{};
};

Prepared prepare(const CommandLine& command) {
  Prepared prepared;
  for (const Problem& problem : command.problems) {
    prepared.profiles.push_back(cost_profile(problem));
    prepared.problems.push_back(replayed(problem, prepared.profiles.back(), command.settings.candidates));
  }
  for (std::size_t p = 0; p < command.problems.size(); ++p)
    prepared.cells.push_back({.problem = &prepared.problems[p],
                              .batch = command.settings.batch,
                              .budget = budget_of(command.problems[p], prepared.profiles[p], command.settings.batch),
                              .seeds = command.seeds});
  return prepared;
}

int run_study(const CommandLine& command) {
  const Prepared prepared = prepare(command);
  replay::RunStore store(command.out);
  const std::size_t failures = replay::make_runs(replay::jobs_of(prepared.cells, command.methods), store,
                                                 {.threads = command.jobs, .progress = command.verbose});
  if (failures > 0) {
    std::fprintf(stderr, "%zu runs failed; no report is made from an incomplete study\n", failures);
    return 1;
  }
  std::vector<ProblemSummary> summaries;
  for (std::size_t p = 0; p < command.problems.size(); ++p)
    summaries.push_back(
        {replay::summarise(prepared.cells[p], command.methods, store), command.problems[p], prepared.profiles[p]});
  const Provenance provenance{.seeds = command.seeds, .settings = command.settings, .build = CARBO_BUILD_FLAGS};
  write_report(command.out, summaries, provenance);
  std::printf("%s\nCSV and figures are in %s\n", report_text(summaries, provenance).c_str(), command.out.c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const CommandLine command = parse_command_line(std::vector<std::string>(argv + 1, argv + argc));
    if (command.help) return std::fputs(usage, stdout) < 0;
    if (command.list) {
      print_list(command);
      return 0;
    }
    return run_study(command);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "carbo_study: %s\n", error.what());
    return 1;
  }
}
