// Prints the level that runs and every suggestion of a short study, to the bit; with an argument their scores, too.
// Then what a closed loop of a few evaluations finds.
#include <cmath>
#include <cstdio>

#include <carbo/carbo.hpp>

namespace {

carbo::Evaluation evaluate(const carbo::Configuration& point) {
  const double miss = point.real("x") - 0.3, power = std::abs(std::log10(point.real("rate")) + 2.0);
  return {.objective = miss * miss + 0.1 * power + 0.01 * std::abs(point.real("k") - 5.0),
          .cost = 0.5 + 0.1 * point.real("k")};
}

}  // namespace

int main(int count, char**) {
  const bool print_scores = count > 1;
  const carbo::Space space{carbo::real("x", 0, 1), carbo::real("rate", 1e-4, 1.0).log(), carbo::integer("k", 1, 8)};
  carbo::Options options{.budget = 25.0, .batch_size = 2, .seed = 7};
  options.backend.kind = carbo::BackendKind::cpu;
  options.candidates.count = 300;
  try {
    carbo::Optimizer optimizer(space, options);
    bool first = true;
    while (!optimizer.done()) {
      for (const carbo::Suggestion& suggestion : optimizer.ask()) {
        const carbo::Configuration& point = suggestion.configuration;
        if (first) std::printf("%s\n", suggestion.receipt.backend_reason.c_str());
        first = false;
        for (const double number : point.numbers()) std::printf("%a ", number);
        if (print_scores && suggestion.receipt.log_score) std::printf("score %a ", *suggestion.receipt.log_score);
        const carbo::Evaluation evaluation = evaluate(point);
        std::printf("%a\n", evaluation.objective);
        optimizer.tell(suggestion.id, evaluation);
      }
    }
    options.max_evaluations = 6;
    std::printf("closed loop: %a\n", carbo::minimize(space, options, evaluate).best.value().objective);
  } catch (const carbo::BackendUnavailable& error) {
    std::printf("unavailable: %s\n", error.what());
    return 3;
  }
}
