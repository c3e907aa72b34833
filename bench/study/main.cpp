#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "bench/study/analysis.hpp"
#include "bench/study/command_line.hpp"
#include "bench/study/report.hpp"
#include "bench/study/schedule.hpp"

namespace {

using namespace carbo::study;

void print_list(const CommandLine& command) {
  for (const Problem& problem : command.problems) {
    const CostProfile profile = cost_profile(problem);
    std::printf("%-16s costs x%.0f (%s), optimum %s (dearer than %.0f %% of the space), budget %.0f mean costs\n",
                problem.name.c_str(), profile.ratio, problem.price.c_str(), optimum_class(profile),
                100 * profile.optimum_share, affordable(problem));
  }
  for (const Method& method : command.methods) std::printf("%-16s %s\n", method.name.c_str(), method.title.c_str());
}

int run_study(const CommandLine& command) {
  RunStore store(command.out);
  const std::size_t failures = make_runs(command, store);
  if (failures > 0) {
    std::fprintf(stderr, "%zu runs failed; no report is made from an incomplete study\n", failures);
    return 1;
  }
  std::vector<ProblemSummary> summaries;
  for (const Problem& problem : command.problems)
    summaries.push_back(summarise(problem, command.methods, command.settings, command.seeds, store));
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
