#include <cmath>
#include <cstdio>
#include <string>

#include <carbo/carbo.hpp>

// Stands for a training run: best at a learning rate of 0.03 and 6 layers, and dearer with every layer.
carbo::Evaluation train(const carbo::Configuration& x) {
  const double rate_error = std::log10(x.real("learning_rate") / 0.03);
  const double depth_error = x.real("layers") - 6.0;
  return {.objective = rate_error * rate_error + 0.05 * depth_error * depth_error,
          .cost = 0.5 + 0.1 * x.real("layers") * x.real("layers")};
}

int main() {
  const carbo::Space space{
      carbo::real("learning_rate", 1e-4, 1.0).log(),
      carbo::integer("layers", 1, 8),
  };
  // 100 seconds, two evaluations at a time: of each batch the longest counts. Accounting::sum would count both.
  const carbo::Options options{.budget = 100.0, .batch_size = 2, .seed = 7, .accounting = carbo::Accounting::longest};

  // Closed loop: Carbo calls the function until the budget is spent.
  const carbo::Result result = carbo::minimize(space, options, train);
  std::printf("minimize: %.4f at %s after %zu evaluations, %.1f of %.0f s spent (%s of each batch)\n",
              result.best->objective, result.best->configuration.to_string().c_str(), result.observations.size(),
              result.spent, result.budget, carbo::to_string(result.accounting));
  for (const std::string& warning : result.warnings) std::printf("warning: %s\n", warning.c_str());

  // Ask and tell: you run the evaluations, wherever you like.
  carbo::Optimizer optimizer(space, options);
  while (!optimizer.done()) {
    for (const carbo::Suggestion& suggestion : optimizer.ask()) {
      optimizer.tell(suggestion.id, train(suggestion.configuration));
    }
  }
  std::printf("ask/tell: %.4f at %s\n", optimizer.best()->objective,
              optimizer.best()->configuration.to_string().c_str());
}
