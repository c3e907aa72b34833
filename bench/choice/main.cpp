#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/choice/command_line.hpp"
#include "bench/choice/report.hpp"
#include "bench/replay/laboratory.hpp"
#include "bench/support/csv.hpp"
#include "bench/support/words.hpp"

namespace {

using namespace carbo::choice;
namespace replay = carbo::replay;
namespace bench = carbo::bench;

void print_list(const CommandLine& command) {
  for (const replay::Problem& problem : problems_of(command.half, command.data))
    std::printf("%-16s %s, mean cost %.4g\n", problem.name.c_str(), problem.title.c_str(), problem.mean_cost);
  for (const Variant& variant : all_variants())
    std::printf("%-16s %s: %s\n", variant.name.c_str(), variant.title.c_str(), variant.why.c_str());
}

/// When the end was looked at, and by what, one line each time.
void leave_note(const std::filesystem::path& folder, const std::vector<std::string>& arguments) {
  std::filesystem::create_directories(folder);
  std::ofstream note(folder / "looked_at.txt", std::ios::app);
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  note << text;
  for (const std::string& argument : arguments) note << ' ' << argument;
  note << '\n' << std::flush;
  if (!note) throw std::runtime_error("cannot write into " + folder.string());
}

bool has(const std::vector<Variant>& variants, const std::string& name) {
  return std::any_of(variants.begin(), variants.end(), [&](const Variant& variant) { return variant.name == name; });
}

/// The variants that were asked for, and those that they are measured against.
std::vector<replay::Method> methods_of(const std::vector<Variant>& variants) {
  std::vector<replay::Method> methods;
  for (const Variant& variant : all_variants())
    if (has(variants, variant.name) || variant.name == paper_rivals.ei || variant.name == paper_rivals.eipu)
      methods.push_back(variant);
  return methods;
}

std::vector<Measured> measure(const CommandLine& command, const std::vector<replay::Problem>& problems,
                              replay::Laboratory& laboratory) {
  std::vector<replay::Cell> cells;
  std::vector<std::size_t> mean_costs;
  for (const std::size_t batch : command.batches)
    for (const replay::Problem& problem : problems)
      for (const std::size_t budget : command.budgets) {
        cells.push_back({.problem = &problem,
                         .batch = batch,
                         .budget = static_cast<double>(budget) * problem.mean_cost,
                         .seeds = command.seeds});
        mean_costs.push_back(budget);
      }
  std::vector<Measured> measured;
  for (replay::Summary& summary :
       laboratory.make(std::string("Half: ") + to_string(command.half), "runs", cells, methods_of(command.variants)))
    measured.push_back({std::move(summary), mean_costs[measured.size()]});
  return measured;
}

int run(const CommandLine& command, const std::vector<std::string>& arguments) {
  const std::filesystem::path folder = command.out / to_string(command.half);
  std::vector<replay::Problem> problems = problems_of(command.half, command.data);
  if (!command.problems.empty()) problems = bench::named(problems, command.problems);
  if (command.half == Half::end) leave_note(folder, arguments);
  replay::Laboratory laboratory(folder, {.threads = command.jobs, .progress = true});
  const std::vector<Measured> measured = measure(command, problems, laboratory);
  std::vector<Evidence> all;
  std::string text = std::string("# Settings on the half for ") + to_string(command.half) + "\n\n";
  for (const std::size_t batch : command.batches)
    for (const Rivals& rivals : {paper_rivals, equal_rivals}) {
      const bool paper = rivals.ei == paper_rivals.ei;
      if (!paper && !(has(command.variants, rivals.ei) && has(command.variants, rivals.eipu))) continue;
      const Evidence& evidence = all.emplace_back(gather(measured, batch, rivals, command.variants, command.jobs));
      text += variants_section(evidence) + problems_section(evidence, command.detail);
    }
  text += std::string("Built with ") + CARBO_BUILD_FLAGS + ".\n";
  bench::replace_file(folder / "report.md", text);
  bench::replace_file(folder / "savings.csv", savings_csv(all));
  bench::replace_file(folder / "net.csv", net_csv(all));
  std::printf("%s\nReport and CSV are in %s\n", text.c_str(), folder.c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    const CommandLine command = parse_command_line(arguments);
    if (command.help) return std::fputs(usage, stdout) < 0;
    if (command.list) {
      print_list(command);
      return 0;
    }
    return run(command, arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "carbo_choice: %s\n", error.what());
    return 1;
  }
}
