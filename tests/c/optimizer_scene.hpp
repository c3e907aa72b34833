#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "c/scene.hpp"

/// A small space with an objective and a cost, and the C functions of the optimizer in one line each.
namespace c_scene {

inline constexpr std::array<const char*, 3> colours{"red", "green", "blue"};

/// A real, an integer and three categories.
inline const std::vector<carbo_parameter>& some_parameters() {
  static const std::vector<carbo_parameter> parameters{carbo_real("x", 0, 1), carbo_integer("k", 1, 9),
                                                       carbo_categorical("c", colours.data(), 3)};
  return parameters;
}

inline carbo_optimizer_options some_optimizer_options() {
  carbo_optimizer_options options;
  EXPECT_EQ(carbo_optimizer_options_init(&options, sizeof options), CARBO_OK);
  options.parameters = some_parameters().data();
  options.parameter_count = 3;
  options.budget = 40;
  options.seed = 7;
  options.candidates.count = 128;
  options.cost.unit = "credits";
  options.surrogate.restarts = options.cost.surrogate.restarts = 1;
  options.backend.kind = CARBO_BACKEND_CPU;
  options.backend.threads = 1;
  return options;
}

inline double objective_at(const double* x) { return std::pow(x[0] - 0.4, 2) + 0.02 * x[1] + 0.3 * x[2]; }
inline double cost_at(const double* x) { return 0.5 + x[0] + 0.1 * x[1]; }

/// One call made of it, and its status.
class OptimizerScene {
 public:
  explicit OptimizerScene(const carbo_optimizer_options& options = some_optimizer_options()) {
    EXPECT_EQ(carbo_optimizer_create(&options, &optimizer), CARBO_OK) << thread_message();
  }
  ~OptimizerScene() {
    if (optimizer != nullptr) carbo_optimizer_destroy(optimizer);
  }
  OptimizerScene(const OptimizerScene&) = delete;
  OptimizerScene& operator=(const OptimizerScene&) = delete;

  /// Suggestions with their numbers.
  struct Asked {
    std::vector<carbo_suggestion> suggestions;
    std::vector<double> numbers;
  };
  Asked ask(std::int64_t count) {
    const std::size_t most = CARBO_MOST_PER_WORKER * static_cast<std::size_t>(count);
    Asked asked{std::vector<carbo_suggestion>(most), std::vector<double>(3 * most)};
    asked.suggestions.front().struct_size = sizeof(carbo_suggestion);
    std::int64_t written = -1;
    EXPECT_EQ(carbo_optimizer_ask(optimizer, count, asked.suggestions.data(), asked.numbers.data(), &written),
              CARBO_OK)
        << thread_message();
    asked.suggestions.resize(static_cast<std::size_t>(written));
    asked.numbers.resize(3 * static_cast<std::size_t>(written));
    return asked;
  }
  /// Asks and tells.
  void run(int rounds, std::int64_t count = 2) {
    for (int i = 0; i < rounds; ++i) {
      const Asked asked = ask(count);
      for (std::size_t j = 0; j < asked.suggestions.size(); ++j) {
        const double* const x = asked.numbers.data() + 3 * j;
        EXPECT_EQ(carbo_optimizer_tell(optimizer, asked.suggestions[j].id, objective_at(x), cost_at(x)), CARBO_OK);
      }
    }
  }
  carbo_optimizer_info info() const {
    carbo_optimizer_info info{};
    info.struct_size = sizeof info;
    EXPECT_EQ(carbo_optimizer_get_info(optimizer, &info), CARBO_OK) << thread_message();
    return info;
  }

  carbo_optimizer* optimizer = nullptr;
};

}  // namespace c_scene
