// A program outside the tree: the closed loop and ask/tell on one small function, from the installed package alone.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <carbo/carbo.hpp>

namespace {

// Lowest (0) at x = 0.25, kind = "b"; a run costs between 1 and 11.
carbo::Evaluation evaluate(const carbo::Configuration& point) {
  const double x = point.real("x");
  const double offset = point.category("kind") == "b" ? 0.0 : 0.5;
  return {.objective = (x - 0.25) * (x - 0.25) + offset, .cost = 1.0 + 10.0 * x};
}

void check(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "consumer: %s\n", what);
  std::exit(1);
}

}  // namespace

int main() {
  const carbo::Space space{carbo::real("x", 0.0, 1.0), carbo::categorical("kind", {"a", "b", "c"})};
  carbo::Options options;
  options.budget = 120;
  options.seed = 3;
  options.cost.unit = "EUR";

  const carbo::Result result = carbo::minimize(space, options, evaluate);
  check(result.best.has_value(), "minimize found nothing");
  check(result.best->objective < 0.01, "minimize did not come near the optimum");
  check(result.spent >= options.budget && result.spent < options.budget + 11.0, "minimize left the budget");
  check(result.stop_reason == carbo::StopReason::budget, "minimize stopped for another reason than the budget");

  carbo::Optimizer optimizer(space, options);
  while (!optimizer.done()) {
    for (const carbo::Suggestion& suggestion : optimizer.ask()) {
      optimizer.tell(suggestion.id, evaluate(suggestion.configuration));
    }
  }
  check(optimizer.best().has_value() && optimizer.best()->objective < 0.01, "ask/tell did not come near the optimum");

  bool refused = false;
  try {
    optimizer.tell(999'999, {.objective = 1.0, .cost = 1.0});
  } catch (const carbo::UnknownSuggestion&) {
    refused = true;
  }
  static_assert(CARBO_VERSION >= 1000, "0.1.0");
  check(std::string_view(CARBO_VERSION_STRING) == PACKAGE_VERSION, "headers and package have different versions");
  check(refused, "an unknown id was not refused with its typed error");
  std::printf("consumer: minimize %.6f, ask/tell %.6f\n", result.best->objective, optimizer.best()->objective);
}
