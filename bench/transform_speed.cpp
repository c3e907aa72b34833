/// What `transform = automatic` adds to an `ask`: CPU time on one thread, against that with `none`, by function and
/// n. Usage: bench_transform_speed [problem…], functions of bench/study. Both optimizers are told the same n uniform
/// draws and then what comes of their own suggestions. The first `ask` chooses the transform and fits from nothing;
/// of those after it none chooses: there are less than a quarter more values by then.

#include <array>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "bench/study/problem.hpp"
#include "bench/support/timing.hpp"
#include "bench/support/words.hpp"
#include "replay/statistics.hpp"

namespace {

using namespace carbo;

constexpr std::size_t sizes[] = {16, 64, 120, 300, 1000};
constexpr std::size_t later_asks = 3;  ///< before there are a quarter more values than at the last choice
constexpr std::uint64_t seeds = 3;
const std::vector<std::string> usual_problems = {"branin", "hartmann6", "rosenbrock4", "forest"};

Options options_of(std::uint64_t seed) {
  Options options{.budget = 1e12, .seed = seed};
  options.backend.threads = 1;
  options.initial_design = InitialDesign::uniform;
  options.design.warm_start = 0;
  return options;
}

void evaluate(const replay::Problem& problem, Optimizer& optimizer, const Suggestion& suggestion,
              std::uint64_t seed) {
  const replay::Outcome outcome = problem.evaluate(suggestion, seed);
  optimizer.tell(suggestion.id, {.objective = outcome.objective, .cost = outcome.cost});
}

std::vector<Observation> uniform_draws(const replay::Problem& problem, std::size_t count, std::uint64_t seed) {
  Options options = options_of(seed);
  options.acquisition = Acquisition::random;
  Optimizer optimizer(problem.space, options);
  for (std::size_t i = 0; i < count; ++i)
    for (const Suggestion& suggestion : optimizer.ask(1)) evaluate(problem, optimizer, suggestion, seed);
  return {optimizer.observations().begin(), optimizer.observations().end()};
}

/// CPU seconds of the first `ask` and the mean of the later ones, and the transform at the end.
struct AskTimes {
  double first = 0;
  double later = 0;
  std::string transform{};
};

AskTimes time_asks(const replay::Problem& problem, const std::vector<Observation>& known, Transform transform,
                   std::uint64_t seed) {
  Options options = options_of(seed);
  options.transform = transform;
  Optimizer optimizer(problem.space, options);
  for (const Observation& each : known)
    optimizer.tell(each.configuration, {.objective = each.objective, .cost = each.cost});
  AskTimes times;
  std::vector<Suggestion> suggestions;
  const auto ask = [&] { return bench::time_of([&] { suggestions = optimizer.ask(1); }).cpu_seconds; };
  times.first = ask();
  for (std::size_t i = 0; i < later_asks; ++i) {
    evaluate(problem, optimizer, suggestions.front(), seed);
    times.later += ask() / later_asks;
  }
  times.transform = to_string(*suggestions.front().receipt.transform);
  return times;
}

void print_row(const replay::Problem& problem, std::size_t n) {
  std::array<std::vector<double>, 2> first, later;  // none, automatic
  std::string chosen;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const std::vector<Observation> known = uniform_draws(problem, n, seed);
    for (const std::size_t i : {0, 1}) {
      const AskTimes times = time_asks(problem, known, i == 0 ? Transform::none : Transform::automatic, seed);
      first[i].push_back(times.first);
      later[i].push_back(times.later);
      if (i == 1) chosen += (chosen.empty() ? "" : ", ") + times.transform;
    }
  }
  std::printf("| %s | %zu | %.1f | %.2f | %.1f | %.2f | %s |\n", problem.name.c_str(), n,
              1e3 * replay::median(first[0]), replay::median(first[1]) / replay::median(first[0]),
              1e3 * replay::median(later[0]), replay::median(later[1]) / replay::median(later[0]), chosen.c_str());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> asked(argv + 1, argv + argc);
    std::printf("%s, one thread, medians of %d seeds; built with %s\n\n", bench::processor_name().c_str(),
                static_cast<int>(seeds), CARBO_BUILD_FLAGS);
    std::printf(
        "| function | n | first ask with none, CPU ms | automatic / none | later asks with none, CPU ms | "
        "automatic / none | transforms in use |\n| --- | ---: | ---: | ---: | ---: | ---: | --- |\n");
    for (const study::Problem& problem :
         bench::named(study::all_problems(), asked.empty() ? usual_problems : asked)) {
      const replay::Problem replayed =
          study::replayed(problem, study::cost_profile(problem), CandidateOptions{}.count);
      for (const std::size_t n : sizes) print_row(replayed, n);
    }
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_transform_speed: %s\n", error.what());
    return 1;
  }
}
