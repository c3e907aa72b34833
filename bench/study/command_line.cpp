#include "bench/study/command_line.hpp"

#include <stdexcept>

#include "bench/support/words.hpp"

namespace carbo::study {

const char* const usage =
    "carbo_study: what CArBO saves against random search, EI and EIpu, on problems with a known optimum.\n"
    "\n"
    "  --seeds N        runs of every method on every problem, seeds 1 to N (51)\n"
    "  --jobs N         runs at a time, one thread each (all cores)\n"
    "  --batch B        evaluations in parallel; the budget shrinks by the square root of B (1)\n"
    "  --candidates M   size of the candidate set (2048)\n"
    "  --problems A,B   only these problems (all)\n"
    "  --methods A,B    only these methods (all)\n"
    "  --out DIR        where CSV, report and figures go (study)\n"
    "  --list           print problems and methods, run nothing\n"
    "  --verbose        progress and time left, on standard error\n"
    "\n"
    "Finished runs stay in DIR and are not made again. After a change of the library, give a new DIR.\n";

namespace {

/// Those of `all` whose names stand in the comma-separated list.
template <class Named>
std::vector<Named> chosen(const std::string& option, const std::string& list, const std::vector<Named>& all) {
  const auto names = bench::split_names(list);
  if (names.empty()) throw std::invalid_argument(option + " takes at least one name");
  try {
    return bench::named(all, names);
  } catch (const std::invalid_argument& unknown) {
    throw std::invalid_argument(option + ": " + unknown.what());
  }
}

}  // namespace

CommandLine parse_command_line(const std::vector<std::string>& arguments) {
  CommandLine result;
  result.problems = all_problems();
  result.methods = replay::paper_methods();
  const auto choose_from = [](auto& all) {
    return [&all](const std::string& option, const std::string& list) { all = chosen(option, list, all); };
  };
  bench::read_arguments(arguments, {bench::flag("--help", result.help),
                                    bench::flag("--list", result.list),
                                    bench::flag("--verbose", result.verbose),
                                    bench::number("--seeds", result.seeds),
                                    bench::number("--jobs", result.jobs),
                                    bench::number("--batch", result.settings.batch),
                                    bench::number("--candidates", result.settings.candidates),
                                    bench::text("--out", result.out),
                                    {"--problems", true, choose_from(result.problems)},
                                    {"--methods", true, choose_from(result.methods)}});
  return result;
}

}  // namespace carbo::study
