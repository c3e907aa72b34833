#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "c/optimizer_scene.hpp"

/// States of optimizers in C, and suggestions compared to the bit.
namespace c_scene {

/// A constraint and a feature of the cost that are code, with the state that both have.
struct Callbacks {
  int constraint = 0, cost = 0;  ///< how often they were called

  static std::int32_t allowed(void* of, const double* x) {
    ++static_cast<Callbacks*>(of)->constraint;
    return x[0] < 0.9 ? 1 : 0;
  }
  static double size(void* of, const double* x) {
    ++static_cast<Callbacks*>(of)->cost;
    return 1 + x[1];
  }
};

/// What has to be given again, with the arrays that it points to.
struct GivenAgain {
  explicit GivenAgain(Callbacks& state)
      : constraint{sizeof constraint, Callbacks::allowed, &state, "fits"},
        feature{sizeof feature, 1, "size", {nullptr, Callbacks::size, &state, nullptr}},
        named{sizeof named, "cost.features[0]", feature.value} {
    EXPECT_EQ(carbo_restore_options_init(&options, sizeof options), CARBO_OK);
  }
  GivenAgain(const GivenAgain&) = delete;
  GivenAgain& operator=(const GivenAgain&) = delete;
  void constrain(carbo_optimizer_options& made) {
    made.constraints = options.constraints = &constraint;
    made.constraint_count = options.constraint_count = 1;
  }
  void measure(carbo_optimizer_options& made) {
    made.cost.features = &feature;
    options.quantities = &named;
    made.cost.feature_count = options.quantity_count = 1;
  }

  carbo_constraint constraint;
  carbo_cost_feature feature;
  carbo_named_quantity named;
  carbo_restore_options options;
};

inline std::string saved(carbo_optimizer* optimizer) {
  const char* state = nullptr;
  std::int64_t length = -1;
  EXPECT_EQ(carbo_optimizer_save(optimizer, &state, &length), CARBO_OK) << thread_message();
  return length < 0 ? std::string() : std::string(state, static_cast<std::size_t>(length));
}

inline carbo_status restore(const std::string& state, const carbo_restore_options* options,
                            carbo_optimizer*& optimizer) {
  return carbo_optimizer_restore(state.data(), static_cast<std::int64_t>(state.size()), options, &optimizer);
}

/// The scene goes on with the optimizer that its state is restored to.
inline void resume(OptimizerScene& scene, const carbo_restore_options* options = nullptr) {
  const std::string state = saved(scene.optimizer);
  EXPECT_EQ(carbo_optimizer_destroy(scene.optimizer), CARBO_OK);
  EXPECT_EQ(restore(state, options, scene.optimizer), CARBO_OK) << thread_message();
  EXPECT_EQ(saved(scene.optimizer), state);
}

/// All but the times that things took.
inline std::vector<std::uint64_t> bits_of(const carbo_suggestion& one) {
  std::vector<std::uint64_t> bits;
  for (const std::int64_t number :
       {std::int64_t{one.phase}, one.id, one.pool_index, one.slot, one.order, std::int64_t{one.enqueued},
        std::int64_t{one.cost_model}, std::int64_t{one.transform}, std::int64_t{one.design_end},
        std::int64_t{one.would_stop}, one.objective_points, one.objective_points_used, one.cost_points,
        one.cost_points_used, one.candidates})
    bits.push_back(static_cast<std::uint64_t>(number));
  for (const double number : {one.timeout,
                              one.alpha,
                              one.acquisition_parameter,
                              one.spent,
                              one.committed,
                              one.progress,
                              one.predicted_cost,
                              one.predicted_log_cost_sd,
                              one.predicted_objective,
                              one.predicted_objective_sd,
                              one.predicted_objective_lower,
                              one.predicted_objective_upper,
                              one.log_score,
                              one.runner_up_log_score,
                              one.break_even_price,
                              one.round_length,
                              one.fill,
                              one.design_gain,
                              one.objective_jitter,
                              one.cost_jitter,
                              one.finished_share,
                              one.refreshed_share,
                              one.low_precision_share})
    bits.push_back(std::bit_cast<std::uint64_t>(number));
  for (const carbo_calibration& fit : {one.objective_calibration, one.cost_calibration})
    for (const double number : {fit.log_density, fit.coverage, fit.squared_residual})
      bits.push_back(std::bit_cast<std::uint64_t>(number));
  for (const double score : one.cost_model_scores) bits.push_back(std::bit_cast<std::uint64_t>(score));
  for (const double score : one.transform_scores) bits.push_back(std::bit_cast<std::uint64_t>(score));
  return bits;
}

inline void expect_same(const OptimizerScene::Asked& found, const OptimizerScene::Asked& expected) {
  ASSERT_EQ(found.suggestions.size(), expected.suggestions.size());
  EXPECT_EQ(found.numbers, expected.numbers);
  for (std::size_t i = 0; i < expected.suggestions.size(); ++i)
    EXPECT_EQ(bits_of(found.suggestions[i]), bits_of(expected.suggestions[i])) << "suggestion " << i;
}

/// What is pending, as ask wrote it.
inline OptimizerScene::Asked pending_of(carbo_optimizer* optimizer, std::size_t room) {
  OptimizerScene::Asked pending{std::vector<carbo_suggestion>(room), std::vector<double>(3 * room)};
  if (room > 0) pending.suggestions.front().struct_size = sizeof(carbo_suggestion);
  std::int64_t count = -1;
  EXPECT_EQ(carbo_optimizer_pending_suggestions(optimizer, pending.suggestions.data(), pending.numbers.data(),
                                                static_cast<std::int64_t>(room), &count),
            CARBO_OK)
      << thread_message();
  EXPECT_EQ(count, static_cast<std::int64_t>(room));
  return pending;
}

}  // namespace c_scene
