#include "bench/study/tuning_problems.hpp"

#include <cmath>
#include <numbers>
#include <utility>

namespace carbo::study {

namespace {

constexpr double training_noise = 0.003;  ///< of an error: what another seed of the training would change
constexpr double timing_noise = 0.1;      ///< of the logarithm of a cost

/// How one hyperparameter bears on the error. Offsets from the best value are in units of the parameter's range.
struct Effect {
  double best = 0;                  ///< value, or position of the best category
  double weight = 0;                ///< misfit of an offset of 1; unused for a category
  std::size_t partner = 0;          ///< the parameter whose offset moves the best value of this one
  double coupling = 0;              ///< by this share of the partner's offset
  std::vector<double> penalties{};  ///< misfit of each category; 0 at the best
};

/// Error over a space: `lowest` where every parameter is at its best, rising to a plateau through a rippled bowl.
struct ErrorSurface {
  std::vector<Parameter> parameters;
  std::vector<Effect> effects;
  double lowest = 0.1;
  double rise = 0.3;

  double offset(Numbers x, std::size_t i) const {
    const Parameter& p = parameters[i];
    if (p.scale() == Scale::linear) return (x[i] - effects[i].best) / (p.upper() - p.lower());
    return std::log(x[i] / effects[i].best) / std::log(p.upper() / p.lower());
  }

  double operator()(Numbers x) const {
    constexpr double ripple_height = 0.04, ripples = 3;
    double misfit = 0;
    for (std::size_t i = 0; i < effects.size(); ++i) {
      const Effect& effect = effects[i];
      if (!effect.penalties.empty()) {
        misfit += effect.penalties[static_cast<std::size_t>(x[i])];
        continue;
      }
      const double moved = offset(x, i) + (effect.coupling != 0 ? effect.coupling * offset(x, effect.partner) : 0.0);
      misfit +=
          effect.weight * moved * moved + ripple_height * (1 - std::cos(2 * std::numbers::pi * ripples * moved));
    }
    return lowest + rise * (1.0 - std::exp(-misfit));
  }
};

Problem tuning(std::string name, std::string title, std::string price, Space space, std::vector<Effect> effects,
               double (*cost)(Numbers)) {
  std::vector<double> best;
  for (const Effect& effect : effects) best.push_back(effect.best);
  ErrorSurface error{space.parameters(), std::move(effects)};
  return {.name = std::move(name),
          .title = std::move(title),
          .price = std::move(price),
          .space = std::move(space),
          .value = error,
          .cost = cost,
          .optimum = error.lowest,
          .minimisers = {std::move(best)},
          .value_noise = training_noise,
          .log_cost_noise = timing_noise};
}

Problem kernel_machine() {
  return tuning(
      "kernel", "Kernel machine", "rank × solver steps",
      Space{real("regularisation", 1e-6, 1e2).log(), real("width", 1e-4, 1e2).log(), integer("rank", 16, 1024).log(),
            real("tolerance", 1e-6, 1e-2).log(), categorical("kernel", {"gaussian", "laplace", "polynomial"})},
      {{.best = 1.0, .weight = 3},
       {.best = 0.1, .weight = 10, .partner = 0, .coupling = 0.5},
       {.best = 128, .weight = 3},
       {.best = 1e-3, .weight = 1},
       {.best = 0, .penalties = {0.0, 0.25, 0.6}}},
      [](Numbers x) { return (4 + x[2] / 16 * std::pow(x[0], -0.15) * (1 - std::log10(x[3]))) / 20; });
}

Problem gradient_descent() {
  return tuning("descent", "Gradient descent", "iterations × penalty",
                Space{integer("iterations", 1, 128).log(), real("step", 1e-3, 1e3).log(),
                      real("regularisation", 1e-6, 1e-1).log(), real("ratio", 0, 1),
                      categorical("penalty", {"l1", "l2", "elastic"}),
                      categorical("schedule", {"constant", "optimal", "inverse", "adaptive"})},
                {{.best = 16, .weight = 3},
                 {.best = 0.3, .weight = 10, .partner = 0, .coupling = 0.5},
                 {.best = 1e-4, .weight = 2},
                 {.best = 0.3, .weight = 1.5},
                 {.best = 1, .penalties = {0.25, 0.0, 0.12}},
                 {.best = 1, .penalties = {0.4, 0.0, 0.2, 0.1}}},
                [](Numbers x) {
                  constexpr double penalty[] = {1.6, 1.0, 2.5};
                  return (1 + x[0] * penalty[static_cast<std::size_t>(x[4])]) / 20;
                });
}

Problem nearest_neighbours() {
  return tuning(
      "neighbours", "Nearest neighbours", "dimensions × metric",
      Space{real("kept", 0.01, 1.0).log(), integer("neighbours", 1, 256).log(),
            categorical("reduction", {"gaussian", "sparse"}), categorical("weights", {"uniform", "distance"}),
            categorical("metric", {"cosine", "euclidean", "chebyshev", "manhattan", "canberra", "minkowski"})},
      {{.best = 0.6, .weight = 4},
       {.best = 16, .weight = 4, .partner = 0, .coupling = 0.4},
       {.best = 1, .penalties = {0.1, 0.0}},
       {.best = 1, .penalties = {0.15, 0.0}},
       {.best = 3, .penalties = {0.45, 0.15, 0.5, 0.0, 0.3, 0.1}}},
      [](Numbers x) {
        constexpr double metric[] = {1.0, 1.2, 1.5, 2.0, 3.0, 5.0};
        return (0.03 + x[0]) * metric[static_cast<std::size_t>(x[4])];
      });
}

Problem boosted_trees() {
  return tuning(
      "boosting", "Boosted trees", "rounds × depth × samples",
      Space{integer("rounds", 16, 2048).log(), real("learning_rate", 0.003, 1.0).log(), integer("depth", 1, 10),
            real("samples", 0.3, 1.0), real("features", 0.1, 1.0), real("shrinkage", 1e-4, 1e2).log()},
      {{.best = 700, .weight = 3},
       {.best = 0.03, .weight = 10, .partner = 0, .coupling = 0.8},
       {.best = 5, .weight = 3},
       {.best = 0.7, .weight = 1.5},
       {.best = 0.5, .weight = 2},
       {.best = 1.0, .weight = 1.5}},
      [](Numbers x) { return (40 + x[0] * x[2] * x[3] * (0.2 + x[4])) / 1000; });
}

Problem random_forest() {
  return tuning("forest", "Random forest", "trees × depth × features",
                Space{integer("trees", 2, 256).log(), integer("depth", 2, 64).log(), real("leaf", 1e-4, 1e-1).log(),
                      real("features", 0.05, 1.0).log(), categorical("criterion", {"gini", "entropy", "twoing"})},
                {{.best = 256, .weight = 2.5},
                 {.best = 20, .weight = 4},
                 {.best = 1e-3, .weight = 4, .partner = 1, .coupling = 0.4},
                 {.best = 0.3, .weight = 5},
                 {.best = 1, .penalties = {0.1, 0.0, 0.3}}},
                [](Numbers x) { return (8 + x[0] * std::log2(1 + x[1]) * (0.1 + x[3])) / 100; });
}

/// Flops of an epoch (100 inputs, one output, fixed overheads) times epochs, which grow as tolerance tightens.
double network_cost(Numbers x) {
  const double flops = 1500 + 100 * x[1] + (x[0] - 1) * x[1] * x[1] + x[1];
  return flops * -std::log10(x[3]) / 20000;
}

Problem neural_network() {
  return tuning(
      "network", "Neural network", "flops of an epoch × epochs",
      Space{integer("layers", 1, 4), integer("units", 10, 250).log(), real("learning_rate", 1e-6, 1.0).log(),
            real("tolerance", 1e-5, 1e-2).log(), real("decay", 1e-6, 1e-1).log(), real("momentum", 0.0, 0.99),
            real("dropout", 0.0, 0.6), categorical("activation", {"logistic", "tanh", "relu"})},
      {{.best = 2, .weight = 1},
       {.best = 90, .weight = 4},
       {.best = 3e-3, .weight = 12, .partner = 0, .coupling = 0.3},
       {.best = 1e-4, .weight = 1},
       {.best = 1e-3, .weight = 2},
       {.best = 0.8, .weight = 1.5},
       {.best = 0.2, .weight = 1.5, .partner = 1, .coupling = -0.4},
       {.best = 2, .penalties = {0.5, 0.15, 0.0}}},
      network_cost);
}

}  // namespace

std::vector<Problem> tuning_problems() {
  return {kernel_machine(),     gradient_descent(), neural_network(),
          nearest_neighbours(), boosted_trees(),    random_forest()};
}

}  // namespace carbo::study
