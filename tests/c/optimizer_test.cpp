#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include <carbo/carbo.hpp>

#include "c/optimizer_scene.hpp"
#include "support/not_finite.hpp"

// Calls on an optimizer in C: the same as in C++, and what is refused.
namespace {

using namespace c_scene;

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

carbo::Optimizer same_in_cpp() {
  const carbo_optimizer_options from = some_optimizer_options();
  carbo::Options options{.budget = from.budget, .seed = from.seed};
  options.candidates.count = 128;
  options.cost.unit = "credits";
  options.surrogate.restarts = options.cost.surrogate.restarts = 1;
  options.backend.kind = carbo::BackendKind::cpu;
  options.backend.threads = 1;
  return {carbo::Space{carbo::real("x", 0, 1), carbo::integer("k", 1, 9),
                       carbo::categorical("c", {"red", "green", "blue"})},
          options};
}

bool same(double a, const std::optional<double>& b) { return b ? a == *b : std::isnan(a); }

/// Those that were compared, and no others; how many there are.
std::size_t expect_transform_scores(const carbo_suggestion& found, const carbo::Receipt& receipt) {
  std::vector<std::optional<double>> expected(CARBO_TRANSFORMS);
  for (const carbo::TransformScore& one : receipt.transform_scores)
    expected.at(static_cast<std::size_t>(one.transform)) = one.log_score;
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_TRUE(same(found.transform_scores[i], expected[i])) << i << ": " << found.transform_scores[i];
  return receipt.transform_scores.size();
}

TEST(COptimizer, SuggestsWhatTheOptimizerOfCppSuggests) {
  OptimizerScene scene;
  carbo::Optimizer other = same_in_cpp();
  const std::vector<double> wanted{0.25, 3, 1};
  ASSERT_EQ(carbo_optimizer_enqueue(scene.optimizer, wanted.data()), CARBO_OK);
  other.enqueue(other.space().configuration(wanted));
  std::size_t transforms = 0;
  for (int round = 0; round < 9; ++round) {
    const OptimizerScene::Asked asked = scene.ask(2);
    const std::vector<carbo::Suggestion> expected = other.ask(2);
    ASSERT_EQ(asked.suggestions.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const carbo_suggestion& found = asked.suggestions[i];
      const carbo::Receipt& receipt = expected[i].receipt;
      const double* const x = asked.numbers.data() + 3 * i;
      EXPECT_TRUE(std::equal(x, x + 3, expected[i].configuration.numbers().begin()));
      EXPECT_EQ(found.struct_size, sizeof found);
      EXPECT_EQ(found.id, static_cast<std::int64_t>(expected[i].id));
      EXPECT_EQ(found.phase, static_cast<carbo_phase>(receipt.phase));
      EXPECT_EQ(found.enqueued, receipt.enqueued ? 1 : 0);
      EXPECT_EQ(found.pool_index, -1);
      EXPECT_TRUE(same(found.alpha, receipt.alpha));
      EXPECT_TRUE(same(found.predicted_cost, receipt.predicted_cost));
      EXPECT_TRUE(same(found.predicted_objective, receipt.predicted_objective));
      EXPECT_TRUE(same(found.predicted_objective_lower, receipt.predicted_objective_lower));
      EXPECT_TRUE(same(found.predicted_objective_upper, receipt.predicted_objective_upper));
      EXPECT_TRUE(same(found.log_score, receipt.log_score));
      EXPECT_TRUE(same(found.runner_up_log_score, receipt.runner_up_log_score));
      EXPECT_TRUE(same(found.fill, receipt.fill));
      EXPECT_TRUE(same(found.break_even_price, receipt.break_even_price));
      EXPECT_TRUE(same(found.design_gain, receipt.design_gain));
      EXPECT_TRUE(same(found.round_length, receipt.round_length));
      EXPECT_EQ(found.design_end, receipt.design_end ? static_cast<carbo_design_end>(*receipt.design_end) : -1);
      EXPECT_EQ(found.transform, receipt.transform ? static_cast<carbo_transform>(*receipt.transform) : -1);
      transforms = std::max(transforms, expect_transform_scores(found, receipt));
      EXPECT_EQ(found.would_stop, -1);
      EXPECT_EQ(found.slot, static_cast<std::int64_t>(i));
      EXPECT_EQ(found.order, 0);
      EXPECT_TRUE(same(found.timeout, expected[i].timeout));
      EXPECT_EQ(found.spent, receipt.spent);
      EXPECT_EQ(found.progress, receipt.progress);
      EXPECT_EQ(found.cost_points, static_cast<std::int64_t>(receipt.cost_points.known));
      ASSERT_EQ(carbo_optimizer_tell(scene.optimizer, found.id, objective_at(x), cost_at(x)), CARBO_OK);
      other.tell(expected[i].id, {objective_at(x), cost_at(x)});
    }
  }
  EXPECT_GE(transforms, 2u) << "automatic has compared some";
  EXPECT_EQ(scene.info().phase, CARBO_SEARCH);
  EXPECT_EQ(scene.info().spent, other.spent());
  std::vector<carbo_prediction> predicted(1);
  predicted[0].struct_size = sizeof predicted[0];
  ASSERT_EQ(carbo_optimizer_predict(scene.optimizer, wanted.data(), 1, 0.95, predicted.data()), CARBO_OK);
  const carbo::Configuration at = other.space().configuration(wanted);
  const carbo::Prediction expected = other.predict({&at, 1}).front();
  EXPECT_EQ(predicted[0].median, expected.objective->median);
  EXPECT_EQ(predicted[0].upper, expected.objective->upper);
  EXPECT_EQ(predicted[0].cost, expected.cost->median);
}

TEST(COptimizer, RoundsHaveRoomForFourAWorker) {
  carbo_optimizer_options options = some_optimizer_options();
  options.cost.unit = "s";
  options.batches = CARBO_BATCHES_FILL;
  options.initial_design = CARBO_DESIGN_PAPER;
  OptimizerScene scene(options);
  std::size_t behind = 0;
  for (int round = 0; round < 12; ++round) {
    const OptimizerScene::Asked asked = scene.ask(2);
    std::vector<std::int64_t> queued(2);
    const double before = scene.info().spent;
    std::vector<double> busy(2);
    for (std::size_t i = 0; i < asked.suggestions.size(); ++i) {
      const carbo_suggestion& one = asked.suggestions[i];
      ASSERT_TRUE(one.slot == 0 || one.slot == 1);
      EXPECT_EQ(one.order, queued[static_cast<std::size_t>(one.slot)]++);
      EXPECT_EQ(std::isnan(one.round_length), std::isnan(one.predicted_cost));
      behind += one.order > 0 ? 1 : 0;
      const double* const x = asked.numbers.data() + 3 * i;
      busy[static_cast<std::size_t>(one.slot)] += cost_at(x);
      ASSERT_EQ(carbo_optimizer_tell(scene.optimizer, one.id, objective_at(x), cost_at(x)), CARBO_OK);
    }
    EXPECT_NEAR(scene.info().spent, before + std::max(busy[0], busy[1]), 1e-12);
  }
  EXPECT_GT(behind, 0u);
}

TEST(COptimizer, StopsAtThePriceOrSaysThatItWould) {
  for (const std::int32_t enforce : {0, 1}) {
    carbo_optimizer_options options = some_optimizer_options();
    options.stopping.price = 1e-6;
    options.stopping.enforce = enforce;
    OptimizerScene scene(options);
    bool would_stop = false;
    while (scene.info().stop_reason == CARBO_RUNNING) {
      const OptimizerScene::Asked asked = scene.ask(1);
      if (asked.suggestions.empty()) break;
      const carbo_suggestion& one = asked.suggestions.front();
      EXPECT_EQ(one.would_stop == 1, one.break_even_price > options.stopping.price);
      would_stop = would_stop || one.would_stop == 1;
      const double* const x = asked.numbers.data();
      ASSERT_EQ(carbo_optimizer_tell(scene.optimizer, one.id, objective_at(x), cost_at(x)), CARBO_OK);
    }
    EXPECT_EQ(scene.info().stop_reason, enforce == 1 ? CARBO_STOP_PRICE : CARBO_STOP_BUDGET);
    EXPECT_EQ(would_stop, enforce == 0);
  }
}

TEST(COptimizer, CallsBackForConstraintsAndCosts) {
  struct State {
    int constraint = 0, cost = 0;
  } state;
  const carbo_constraint constraint{sizeof(carbo_constraint),
                                    [](void* of, const double* x) {
                                      ++static_cast<State*>(of)->constraint;
                                      return std::int32_t{x[0] < 0.5};
                                    },
                                    &state, nullptr};
  carbo_optimizer_options options = some_optimizer_options();
  options.constraints = &constraint;
  options.constraint_count = 1;
  options.cost.known.function = [](void* of, const double* x) {
    ++static_cast<State*>(of)->cost;
    return 1 + x[0];
  };
  options.cost.known.state = &state;
  OptimizerScene scene(options);
  for (int i = 0; i < 5; ++i) {
    const OptimizerScene::Asked asked = scene.ask(2);
    for (std::size_t j = 0; j < 2; ++j) {
      EXPECT_LT(asked.numbers[3 * j], 0.5);
      EXPECT_NEAR(asked.suggestions[j].predicted_cost, 1 + asked.numbers[3 * j], 1e-12);
      EXPECT_EQ(carbo_optimizer_tell(scene.optimizer, asked.suggestions[j].id, asked.numbers[3 * j], 1), CARBO_OK);
    }
  }
  EXPECT_GT(state.constraint, 0);
  EXPECT_GT(state.cost, 0);
  const double outside[] = {0.75, 3, 1};
  expect_failure(carbo_optimizer_enqueue(scene.optimizer, outside), CARBO_INVALID_CONFIGURATION, {"'constraint'"});
}

TEST(COptimizer, RowsOfAPoolWithTheirCosts) {
  std::vector<double> pool, costs;
  for (int i = 0; i < 30; ++i) {
    pool.insert(pool.end(), {i / 30.0, 1.0 + i % 9, 1.0 * (i % 3)});
    costs.push_back(1 + 0.1 * i);
  }
  carbo_optimizer_options options = some_optimizer_options();
  options.candidates.pool = pool.data();
  options.candidates.pool_rows = 30;
  options.cost.known.column = costs.data();
  OptimizerScene scene(options);
  const std::vector<double> given = pool;
  std::fill(pool.begin(), pool.end(), -1.0);
  std::fill(costs.begin(), costs.end(), -1.0);  // both were copied
  for (int i = 0; i < 6; ++i) {
    const OptimizerScene::Asked asked = scene.ask(1);
    const std::int64_t row = asked.suggestions[0].pool_index;
    ASSERT_GE(row, 0);
    EXPECT_NEAR(asked.suggestions[0].predicted_cost, 1 + 0.1 * static_cast<double>(row), 1e-12);
    EXPECT_TRUE(std::equal(asked.numbers.begin(), asked.numbers.end(), given.begin() + 3 * row));
    EXPECT_EQ(carbo_optimizer_tell(scene.optimizer, asked.suggestions[0].id, 0.1 * i, 1), CARBO_OK);
  }
  const double elsewhere[] = {0.123, 3, 1};
  std::int64_t id = -5;
  expect_failure(carbo_optimizer_adopt(scene.optimizer, elsewhere, &id), CARBO_INVALID_CONFIGURATION, {"the pool"});
  EXPECT_EQ(id, -5);
  std::int64_t row = -5, written = 0;
  double numbers[3], score = nan_value;
  ASSERT_EQ(carbo_optimizer_rank(scene.optimizer, 1, numbers, &score, &row, &written), CARBO_OK);
  EXPECT_TRUE(written == 1 && row >= 0);
}

TEST(COptimizer, ResultsThatCannotBeLearnedFrom) {
  OptimizerScene scene;
  const std::int64_t id = scene.ask(1).suggestions[0].id;
  const auto tell = [&](std::int64_t to, double objective, double cost) {
    return carbo_optimizer_tell(scene.optimizer, to, objective, cost);
  };
  expect_failure(tell(id, nan_value, 1), CARBO_INVALID_OBSERVATION, {"suggestion 0", "carbo_optimizer_fail"});
  expect_failure(tell(id, 1, 0), CARBO_INVALID_OBSERVATION, {"cost is 0"});
  expect_failure(tell(7, 1, 1), CARBO_UNKNOWN_SUGGESTION, {"never given out", "carbo_optimizer_ask"});
  expect_failure(tell(-1, 1, 1), CARBO_UNKNOWN_SUGGESTION, {"suggestion -1"});
  expect_failure(carbo_optimizer_withdraw(scene.optimizer, -1), CARBO_UNKNOWN_SUGGESTION);
  expect_failure(carbo_optimizer_fail(scene.optimizer, id, 1, "x", 2), CARBO_INVALID_OPTIONS, {"timed_out is 2"});
  EXPECT_EQ(carbo_optimizer_fail(scene.optimizer, id, 1, nullptr, 1), CARBO_OK);
  expect_failure(tell(id, 1, 1), CARBO_UNKNOWN_SUGGESTION, {"already has a result"});
  carbo_observation told{sizeof told, CARBO_SUCCEEDED, CARBO_PRIOR, -1, 0.5, 0, -1, -1};
  const double at[] = {0.5, 3, 1}, beyond[] = {0.5, 3, 5};
  const auto tell_other = [&](const double* numbers) {
    return carbo_optimizer_tell_observation(scene.optimizer, &told, numbers, nullptr);
  };
  expect_failure(tell_other(at), CARBO_INVALID_OBSERVATION, {"tell a cost of NaN"});
  told.cost = nan_value;
  expect_failure(tell_other(beyond), CARBO_INVALID_CONFIGURATION, {"'c'"});
  expect_failure(tell_other(nullptr), CARBO_NULL_POINTER, {"numbers"});
  EXPECT_EQ(tell_other(at), CARBO_OK);
  told.status = 3;
  expect_failure(tell_other(at), CARBO_INVALID_OPTIONS, {"observation.status"});
  told.status = CARBO_FAILED;
  told.batch = -2;
  expect_failure(tell_other(at), CARBO_INVALID_OPTIONS, {"observation.batch is -2"});
  told.struct_size = 3;
  expect_failure(tell_other(at), CARBO_STRUCT_VERSION, {"observation.struct_size"});
  EXPECT_EQ(scene.info().observations, 2);
}

TEST(COptimizer, RoomThatIsMissing) {
  OptimizerScene scene;
  scene.run(3);
  carbo_suggestion suggestion{};
  double numbers[3];
  std::int64_t written = -1;
  const auto ask = [&](std::int64_t count, carbo_suggestion* to, double* at, std::int64_t* how_many) {
    return carbo_optimizer_ask(scene.optimizer, count, to, at, how_many);
  };
  expect_failure(ask(1, &suggestion, numbers, &written), CARBO_STRUCT_VERSION, {"suggestions.struct_size is 0"});
  suggestion.struct_size = sizeof suggestion;
  expect_failure(ask(1, nullptr, numbers, &written), CARBO_NULL_POINTER, {"suggestions"});
  expect_failure(ask(1, &suggestion, nullptr, &written), CARBO_NULL_POINTER, {"numbers"});
  expect_failure(ask(1, &suggestion, numbers, nullptr), CARBO_NULL_POINTER, {"written"});
  expect_failure(ask(-1, &suggestion, numbers, &written), CARBO_SHAPE, {"count is -1"});
  expect_failure(ask(5000, &suggestion, numbers, &written), CARBO_INVALID_OPTIONS, {"4096"});
  EXPECT_EQ(ask(0, nullptr, nullptr, &written), CARBO_OK);
  EXPECT_EQ(written, 0);
  EXPECT_EQ(scene.info().pending, 0) << "a suggestion that could not be written was not made";
  std::vector<carbo_observation> seen(7);
  seen[0].struct_size = sizeof seen[0];
  const auto read = [&](std::int64_t first, std::int64_t count) {
    return carbo_optimizer_observations(scene.optimizer, first, count, seen.data(), nullptr);
  };
  EXPECT_EQ(read(0, 6), CARBO_OK);
  EXPECT_EQ(read(6, 0), CARBO_OK);
  for (const auto& [first, count] : {std::pair<std::int64_t, std::int64_t>{0, 7},
                                     {6, 1},
                                     {-1, 1},
                                     {7, 0},
                                     {0, -1},
                                     {1, std::numeric_limits<std::int64_t>::max()}})
    expect_failure(read(first, count), CARBO_OUT_OF_RANGE, {"there are 6"});
  carbo_fitted_model fitted{};
  fitted.struct_size = sizeof fitted;
  fitted.lengthscales = numbers;
  fitted.lengthscale_room = 2;
  expect_failure(carbo_optimizer_hyperparameters(scene.optimizer, CARBO_MODEL_OF_COST, &fitted, nullptr), CARBO_SHAPE,
                 {"lengthscale_room is 2"});
  carbo_importance shares[3]{};
  expect_failure(carbo_optimizer_importance(scene.optimizer, CARBO_MODEL_OF_COST, 0, 0, shares, nullptr),
                 CARBO_STRUCT_VERSION, {"shares"});
  shares[0].struct_size = sizeof shares[0];
  expect_failure(carbo_optimizer_importance(scene.optimizer, 2, 0, 0, shares, nullptr), CARBO_INVALID_OPTIONS,
                 {"model is 2"});
  expect_failure(carbo_optimizer_importance(scene.optimizer, CARBO_MODEL_OF_COST, 100, 0, shares, nullptr),
                 CARBO_INVALID_OPTIONS, {": points is 100"});
  EXPECT_EQ(carbo_optimizer_importance(scene.optimizer, CARBO_MODEL_OF_COST, 0, 0, shares, nullptr), CARBO_OK);
  char buffer[10];
  expect_failure(carbo_optimizer_label(scene.optimizer, 0, 0, buffer, 10, nullptr), CARBO_INVALID_CONFIGURATION,
                 {"'x' has no labels"});
  expect_failure(carbo_optimizer_label(scene.optimizer, 2, 3, buffer, 10, nullptr), CARBO_INVALID_CONFIGURATION,
                 {"0 to 2"});
  expect_failure(carbo_optimizer_label(scene.optimizer, 3, 0, buffer, 10, nullptr), CARBO_OUT_OF_RANGE);
  double number = 0;
  expect_failure(carbo_optimizer_number(scene.optimizer, 2, "pink", &number), CARBO_INVALID_CONFIGURATION,
                 {"'pink'"});
}

TEST(COptimizer, HandlesAreTheirOwn) {
  double numbers[3] = {0.5, 3, 1};
  std::int64_t many = 0;
  const auto every = [&](carbo_optimizer* optimizer, const std::string& part) {
    carbo_suggestion suggestion{};
    carbo_prediction prediction{};
    carbo_optimizer_info info{};
    info.struct_size = sizeof info;
    char buffer[10];
    const auto refused = [&](carbo_status status) { expect_failure(status, CARBO_INVALID_HANDLE, {part}); };
    refused(carbo_optimizer_ask(optimizer, 1, &suggestion, numbers, &many));
    refused(carbo_optimizer_rank(optimizer, 1, numbers, numbers, nullptr, &many));
    refused(carbo_optimizer_tell(optimizer, 0, 1, 1));
    refused(carbo_optimizer_fail(optimizer, 0, 1, "", 0));
    refused(carbo_optimizer_withdraw(optimizer, 0));
    refused(carbo_optimizer_tell_observation(optimizer, nullptr, numbers, ""));
    refused(carbo_optimizer_adopt(optimizer, numbers, &many));
    refused(carbo_optimizer_enqueue(optimizer, numbers));
    refused(carbo_optimizer_dequeue(optimizer, numbers, nullptr));
    refused(carbo_optimizer_enqueued(optimizer, numbers, 1, &many));
    refused(carbo_optimizer_pending(optimizer, &many, 1, &many));
    refused(carbo_optimizer_predict(optimizer, numbers, 1, 0.9, &prediction));
    refused(carbo_optimizer_recommend(optimizer, numbers, &many, nullptr));
    refused(carbo_optimizer_importance(optimizer, 0, 0, 0, nullptr, nullptr));
    refused(carbo_optimizer_hyperparameters(optimizer, 0, nullptr, nullptr));
    refused(carbo_optimizer_observations(optimizer, 0, 0, nullptr, nullptr));
    refused(carbo_optimizer_failure(optimizer, 0, buffer, 10, nullptr));
    refused(carbo_optimizer_best(optimizer, &many));
    refused(carbo_optimizer_get_info(optimizer, &info));
    refused(carbo_optimizer_message(optimizer, buffer, 10, nullptr));
    refused(carbo_optimizer_backend_reason(optimizer, buffer, 10, nullptr));
    refused(carbo_optimizer_warnings(optimizer, buffer, 10, nullptr));
    refused(carbo_optimizer_memory_plan(optimizer, buffer, 10, nullptr));
    refused(carbo_optimizer_describe(optimizer, numbers, buffer, 10, nullptr));
    refused(carbo_optimizer_label(optimizer, 2, 0, buffer, 10, nullptr));
    refused(carbo_optimizer_number(optimizer, 2, "red", numbers));
    refused(carbo_optimizer_destroy(optimizer));
  };
  every(nullptr, "optimizer is null");
  every(reinterpret_cast<carbo_optimizer*>(&many), "no handle that carbo_optimizer_create made");
  OptimizerScene scene;
  carbo_optimizer* const gone = scene.optimizer;
  ASSERT_EQ(carbo_optimizer_destroy(gone), CARBO_OK);
  scene.optimizer = nullptr;
  const OptimizerScene other;
  every(gone, "destroyed");
  const Scene selector;
  every(reinterpret_cast<carbo_optimizer*>(selector.selector), "optimizer");
}

TEST(COptimizer, MessagesOfHandlesAndCallsFromInside) {
  OptimizerScene scene, other;
  EXPECT_NE(carbo_optimizer_tell(scene.optimizer, 5, 1, 1), CARBO_OK);
  const auto message = [](carbo_optimizer* of) {
    char buffer[500] = "";
    EXPECT_EQ(carbo_optimizer_message(of, buffer, sizeof buffer, nullptr), CARBO_OK);
    return std::string(buffer);
  };
  EXPECT_EQ(message(scene.optimizer).find("carbo_optimizer_tell: suggestion 5"), 0u) << message(scene.optimizer);
  EXPECT_EQ(message(other.optimizer), "");
  struct State {
    carbo_optimizer* optimizer = nullptr;
    carbo_status status = CARBO_OK, destroyed = CARBO_OK;
  } state;
  carbo_optimizer_options options = some_optimizer_options();
  const carbo_constraint constraint{sizeof constraint,
                                    [](void* of, const double*) {
                                      auto& own = *static_cast<State*>(of);
                                      if (own.optimizer == nullptr) return 1;
                                      own.status = carbo_optimizer_withdraw(own.optimizer, 0);
                                      own.destroyed = carbo_optimizer_destroy(own.optimizer);
                                      return 1;
                                    },
                                    &state, "calls back"};
  options.constraints = &constraint;
  options.constraint_count = 1;
  OptimizerScene inside(options);
  state.optimizer = inside.optimizer;
  inside.ask(1);
  EXPECT_EQ(state.status, CARBO_CONCURRENT_CALL);
  EXPECT_EQ(state.destroyed, CARBO_CONCURRENT_CALL);
  state.optimizer = nullptr;
}

}  // namespace
