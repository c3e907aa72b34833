#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "c/state_scene.hpp"

// Save and restore in C: the same suggestions as without, and what is refused.
namespace {

using namespace c_scene;

/// A state with a constraint and a feature that are code.
struct StateWithCode {
  StateWithCode() {
    carbo_optimizer_options options = some_optimizer_options();
    given.constrain(options);
    given.measure(options);
    OptimizerScene scene(options);
    scene.run(3);
    text = saved(scene.optimizer);
  }
  Callbacks calls;
  GivenAgain given{calls};
  std::string text;
};

/// `optimizer` becomes null.
void expect_no_restore(const std::string& state, const carbo_restore_options* options, carbo_status status,
                       const std::vector<std::string>& parts) {
  auto* optimizer = reinterpret_cast<carbo_optimizer*>(&status);
  expect_failure(restore(state, options, optimizer), status, parts);
  EXPECT_EQ(optimizer, nullptr);
  EXPECT_EQ(thread_message().find("::"), std::string::npos) << thread_message();
}

TEST(CState, GoesOnInTheMiddleOfARun) {
  Callbacks calls, calls_again;
  GivenAgain given(calls), given_again(calls_again);
  carbo_optimizer_options options = some_optimizer_options();
  options.budget = 80;
  carbo_optimizer_options unused = options;
  given.constrain(options);
  given.measure(options);
  given_again.constrain(unused);
  given_again.measure(unused);
  OptimizerScene straight(options), resumed(options);
  straight.run(7);
  resumed.run(7);
  const OptimizerScene::Asked left = straight.ask(2);
  expect_same(resumed.ask(2), left);
  EXPECT_EQ(calls_again.constraint, 0);
  resume(resumed, &given_again.options);
  expect_same(pending_of(resumed.optimizer, 2), left);
  for (OptimizerScene* const scene : {&straight, &resumed})
    for (std::size_t i = 0; i < 2; ++i) {
      const double* const x = left.numbers.data() + 3 * i;
      ASSERT_EQ(carbo_optimizer_tell(scene->optimizer, left.suggestions[i].id, objective_at(x), cost_at(x)),
                CARBO_OK);
    }
  for (int i = 0; i < 4; ++i) {
    const OptimizerScene::Asked expected = straight.ask(2);
    EXPECT_FALSE(expected.suggestions.empty());
    expect_same(resumed.ask(2), expected);
    straight.run(1);
    resumed.run(1);
  }
  EXPECT_EQ(resumed.info().phase, CARBO_SEARCH);
  EXPECT_EQ(resumed.info().spent, straight.info().spent);
  EXPECT_GT(calls_again.constraint, 0);
  EXPECT_GT(calls_again.cost, 0);
}

TEST(CState, TheTextIsTheHandles) {
  OptimizerScene scene;
  scene.run(2);
  const char* state = nullptr;
  ASSERT_EQ(carbo_optimizer_save(scene.optimizer, &state, nullptr), CARBO_OK);
  const std::string before = saved(scene.optimizer);
  std::int64_t length = 0;
  ASSERT_EQ(carbo_optimizer_save(scene.optimizer, &state, &length), CARBO_OK);
  EXPECT_EQ(std::strlen(state), static_cast<std::size_t>(length));
  scene.run(1);
  EXPECT_EQ(std::string(state), before);
  EXPECT_NE(saved(scene.optimizer), before);
  EXPECT_EQ(carbo_optimizer_release_state(scene.optimizer), CARBO_OK);
  EXPECT_EQ(carbo_optimizer_release_state(scene.optimizer), CARBO_OK);
}

TEST(CState, ArgumentsThatAreNone) {
  OptimizerScene scene;
  const std::string state = saved(scene.optimizer);
  const auto length = static_cast<std::int64_t>(state.size());
  const char* text = "before";
  std::int64_t written = -7;
  expect_failure(carbo_optimizer_save(nullptr, &text, &written), CARBO_INVALID_HANDLE);
  expect_failure(carbo_optimizer_save(scene.optimizer, nullptr, &written), CARBO_NULL_POINTER, {"state is null"});
  expect_failure(carbo_optimizer_release_state(nullptr), CARBO_INVALID_HANDLE);
  EXPECT_EQ(written, -7);
  EXPECT_STREQ(text, "before");
  carbo_optimizer* optimizer = nullptr;
  expect_failure(carbo_optimizer_restore(nullptr, 4, nullptr, &optimizer), CARBO_NULL_POINTER, {"state is null"});
  expect_failure(carbo_optimizer_restore(state.data(), length, nullptr, nullptr), CARBO_NULL_POINTER, {"optimizer"});
  expect_failure(carbo_optimizer_restore(state.data(), -1, nullptr, &optimizer), CARBO_SHAPE, {"length is -1"});
  carbo_restore_options options;
  expect_failure(carbo_restore_options_init(nullptr, sizeof options), CARBO_NULL_POINTER, {"options"});
  expect_failure(carbo_restore_options_init(&options, 4), CARBO_STRUCT_VERSION, {"4"});
  ASSERT_EQ(carbo_restore_options_init(&options, sizeof options), CARBO_OK);
  ++options.struct_size;
  expect_no_restore(state, &options, CARBO_STRUCT_VERSION, {"options.struct_size"});
  carbo_optimizer* const destroyed = scene.optimizer;
  EXPECT_EQ(carbo_optimizer_destroy(destroyed), CARBO_OK);
  scene.optimizer = nullptr;
  expect_failure(carbo_optimizer_save(destroyed, &text, &written), CARBO_INVALID_HANDLE);
  carbo_selector* selector = nullptr;
  const carbo_selector_options columns = some_options(3);
  ASSERT_EQ(carbo_selector_create(&columns, &selector), CARBO_OK);
  expect_failure(carbo_optimizer_save(reinterpret_cast<carbo_optimizer*>(selector), &text, &written),
                 CARBO_INVALID_HANDLE);
  EXPECT_EQ(carbo_selector_destroy(selector), CARBO_OK);
}

TEST(CState, TextsThatAreNoState) {
  OptimizerScene scene;
  scene.run(8);
  scene.ask(2);
  const std::string state = saved(scene.optimizer);
  for (std::size_t length = 0; length < state.size() - 1; length += 97)
    expect_no_restore(state.substr(0, length), nullptr, CARBO_INVALID_STATE, {"carbo_optimizer_restore: "});
  std::string newer = state;
  const std::string version = "\"version\": 1";
  const std::size_t at = newer.find(version);
  ASSERT_NE(at, std::string::npos) << state.substr(0, 200);
  newer.replace(at, version.size(), "\"version\": 2");
  expect_no_restore(newer, nullptr, CARBO_INVALID_STATE, {"/version", "version 2", "use a newer one"});
  carbo_restore_options options;
  ASSERT_EQ(carbo_restore_options_init(&options, sizeof options), CARBO_OK);
  const double rows[] = {0.5, 2, 1};
  options.pool = rows;
  options.pool_rows = 1;
  expect_no_restore(newer, &options, CARBO_INVALID_STATE, {"/version", "version 2"});
  expect_no_restore("{}", &options, CARBO_INVALID_STATE, {"format"});
}

TEST(CState, WhatIsCodeIsGivenAgainByName) {
  StateWithCode state;
  carbo_restore_options& options = state.given.options;
  const std::vector<std::string> both{"'fits' (constraints)", "cost.features[0]", "(quantities)",
                                      "carbo_restore_options"};
  expect_no_restore(state.text, nullptr, CARBO_INVALID_STATE, both);
  options.constraint_count = options.quantity_count = 0;
  expect_no_restore(state.text, &options, CARBO_INVALID_STATE, both);
  options.constraint_count = 1;
  expect_no_restore(state.text, &options, CARBO_INVALID_STATE, {"cost.features[0]"});
  EXPECT_EQ(thread_message().find("'fits'"), std::string::npos);
  options.quantity_count = 1;
  state.given.constraint.description = nullptr;
  expect_no_restore(state.text, &options, CARBO_INVALID_STATE, {"'fits'"});
  state.given.constraint.description = "fits";
  carbo_optimizer* optimizer = nullptr;
  ASSERT_EQ(restore(state.text, &options, optimizer), CARBO_OK) << thread_message();
  EXPECT_EQ(carbo_optimizer_destroy(optimizer), CARBO_OK);
  OptimizerScene plain;
  const std::string without = saved(plain.optimizer);
  expect_no_restore(without, &options, CARBO_INVALID_OPTIONS, {"constraints has 'fits'", "no use"});
  options.constraint_count = 0;
  expect_no_restore(without, &options, CARBO_INVALID_OPTIONS, {"quantities has 'cost.features[0]'", "no use"});
}

TEST(CState, OptionsThatAreNone) {
  StateWithCode state;
  GivenAgain& given = state.given;
  carbo_restore_options& options = given.options;
  const auto refused = [&](carbo_status status, const std::vector<std::string>& parts, const auto& change) {
    const carbo_restore_options before = options;
    const carbo_constraint constraint = given.constraint;
    const carbo_named_quantity named = given.named;
    change();
    expect_no_restore(state.text, &options, status, parts);
    options = before;
    given.constraint = constraint;
    given.named = named;
  };
  refused(CARBO_NULL_POINTER, {"constraints is null"}, [&] { options.constraints = nullptr; });
  refused(CARBO_NULL_POINTER, {"quantities is null"}, [&] { options.quantities = nullptr; });
  refused(CARBO_NULL_POINTER, {"constraints[0].allowed"}, [&] { given.constraint.allowed = nullptr; });
  refused(CARBO_NULL_POINTER, {"quantities[0].name"}, [&] { given.named.name = nullptr; });
  refused(CARBO_STRUCT_VERSION, {"constraints[0].struct_size"}, [&] { given.constraint.struct_size = 1; });
  refused(CARBO_STRUCT_VERSION, {"quantities[0].struct_size"}, [&] { given.named.struct_size = 1; });
  refused(CARBO_INVALID_OPTIONS, {"constraint_count is -1"}, [&] { options.constraint_count = -1; });
  refused(CARBO_INVALID_OPTIONS, {"quantities[0].value is empty"}, [&] { given.named.value = {}; });
  const double column[] = {1};
  refused(CARBO_INVALID_OPTIONS, {"quantities[0].value", "more than one"},
          [&] { given.named.value.expression = "x"; });
  refused(CARBO_INVALID_OPTIONS, {"quantities[0].value.column", "pool"}, [&] {
    given.named.value = {};
    given.named.value.column = column;
  });
  refused(CARBO_INVALID_OPTIONS, {"count_time_between is 2"}, [&] { options.count_time_between = 2; });
  refused(CARBO_NULL_POINTER, {"pool is null"}, [&] { options.pool_rows = 3; });
  const double rows[] = {0.5, 2, 1};
  refused(CARBO_INVALID_OPTIONS, {"pool is given", "has none"}, [&] {
    options.pool = rows;
    options.pool_rows = 1;
  });
  refused(CARBO_INVALID_OPTIONS, {"pool and pool_file are both"}, [&] {
    options.pool = rows;
    options.pool_file = "rows";
  });
  carbo_backend_options backend = some_optimizer_options().backend;
  backend.threads = -1;
  refused(CARBO_INVALID_OPTIONS, {"backend.threads is -1"}, [&] { options.backend = &backend; });
  const std::vector<carbo_constraint> twice{{sizeof(carbo_constraint), Callbacks::allowed, &state.calls, "a"},
                                            {sizeof(carbo_constraint), Callbacks::allowed, &state.calls, "a"},
                                            {sizeof(carbo_constraint), Callbacks::allowed, &state.calls, "a (2)"}};
  refused(CARBO_INVALID_OPTIONS, {"constraints[2]", "'a (2)'"}, [&] {
    options.constraints = twice.data();
    options.constraint_count = 3;
  });
  const std::vector<carbo_named_quantity> named(2, given.named);
  refused(CARBO_INVALID_OPTIONS, {"quantities[1]", "'cost.features[0]'"}, [&] {
    options.quantities = named.data();
    options.quantity_count = 2;
  });
}

TEST(CState, ConstraintsOfOneDescriptionAreGivenInTheirOrder) {
  const auto below = [](void*, const double* x) { return std::int32_t{x[0] < 0.8}; };
  const auto above = [](void*, const double* x) { return std::int32_t{x[0] > 0.2}; };
  const std::vector<carbo_constraint> both{{sizeof(carbo_constraint), below, nullptr, nullptr},
                                           {sizeof(carbo_constraint), above, nullptr, nullptr}};
  carbo_optimizer_options options = some_optimizer_options();
  options.constraints = both.data();
  options.constraint_count = 2;
  OptimizerScene straight(options), resumed(options);
  straight.run(4);
  resumed.run(4);
  carbo_restore_options given;
  ASSERT_EQ(carbo_restore_options_init(&given, sizeof given), CARBO_OK);
  given.constraints = both.data();
  given.constraint_count = 1;
  expect_no_restore(saved(resumed.optimizer), &given, CARBO_INVALID_STATE, {"'constraint (2)'"});
  given.constraint_count = 2;
  resume(resumed, &given);
  expect_same(resumed.ask(2), straight.ask(2));
}

TEST(CState, APoolThatIsNotInTheTextIsGivenAgain) {
  constexpr std::size_t rows = 70000;  // more than a state holds, the column as well
  std::vector<double> pool, column;
  for (std::size_t i = 0; i < rows; ++i) {
    const auto number = static_cast<double>(i);
    pool.insert(pool.end(), {number / rows, 1.0 + static_cast<double>(i % 9), static_cast<double>(i % 3)});
    column.push_back(1 + 0.001 * number);
  }
  carbo_optimizer_options options = some_optimizer_options();
  options.budget = 400;
  options.candidates.pool = pool.data();
  options.candidates.pool_rows = rows;
  options.cost.known.column = column.data();
  OptimizerScene straight(options), resumed(options);
  straight.run(2);
  resumed.run(2);
  const std::string state = saved(resumed.optimizer);
  EXPECT_LT(state.size(), 100000u);
  carbo_restore_options given;
  ASSERT_EQ(carbo_restore_options_init(&given, sizeof given), CARBO_OK);
  expect_no_restore(state, &given, CARBO_INVALID_STATE, {"70000 rows", "cost.known"});
  given.pool = pool.data();
  given.pool_rows = rows;
  expect_no_restore(state, &given, CARBO_INVALID_STATE, {"column of the pool that cost.known is"});
  const carbo_named_quantity known{sizeof known, "cost.known", {nullptr, nullptr, nullptr, column.data()}};
  given.quantities = &known;
  given.quantity_count = 1;
  given.pool_rows = rows - 1;
  expect_no_restore(state, &given, CARBO_INVALID_STATE, {"cost.known", "70000"});
  given.pool_rows = rows;
  resume(resumed, &given);
  expect_same(resumed.ask(2), straight.ask(2));
  const std::string path = testing::TempDir() + "carbo_c_state_pool";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(pool.data()), static_cast<std::streamsize>(pool.size() * sizeof(double)));
  given.pool = nullptr;
  given.pool_rows = 0;
  given.pool_file = path.c_str();
  resume(resumed, &given);
  expect_same(resumed.ask(2), straight.ask(2));
  std::filesystem::remove(path);
}

TEST(CState, AnotherBackendTakesThePlaceOfTheStates) {
  carbo_optimizer_options options = some_optimizer_options();
  OptimizerScene straight(options), resumed(options);
  straight.run(6);
  resumed.run(6);
  carbo_restore_options given;
  ASSERT_EQ(carbo_restore_options_init(&given, sizeof given), CARBO_OK);
  options.backend.threads = 2;
  given.backend = &options.backend;
  const std::string state = saved(resumed.optimizer);
  EXPECT_EQ(carbo_optimizer_destroy(resumed.optimizer), CARBO_OK);
  ASSERT_EQ(restore(state, &given, resumed.optimizer), CARBO_OK) << thread_message();
  EXPECT_NE(saved(resumed.optimizer), state);
  expect_same(resumed.ask(2), straight.ask(2));
}

TEST(CState, TheTimeInBetweenCountsWhereItIsTold) {
  carbo_optimizer_options options = some_optimizer_options();
  options.cost.unit = "s";
  options.budget = 1e9;
  options.accounting = CARBO_ACCOUNTING_WALL_CLOCK;
  OptimizerScene scene(options);
  scene.run(1);
  std::string state = saved(scene.optimizer);
  const std::string member = "\"saved_at\": ";
  const std::size_t at = state.find(member) + member.size();
  ASSERT_LT(at, state.size());
  state.replace(at, state.find_first_of(",}\n", at) - at, "1000");  // long ago
  carbo_restore_options given;
  ASSERT_EQ(carbo_restore_options_init(&given, sizeof given), CARBO_OK);
  for (const std::int32_t counts : {0, 1}) {
    given.count_time_between = counts;
    EXPECT_EQ(carbo_optimizer_destroy(scene.optimizer), CARBO_OK);
    ASSERT_EQ(restore(state, &given, scene.optimizer), CARBO_OK) << thread_message();
    EXPECT_EQ(scene.info().spent > 1e9, counts == 1) << scene.info().spent;
  }
}

TEST(CState, PendingSuggestionsHaveTheRoomThatIsSaid) {
  OptimizerScene scene;
  const OptimizerScene::Asked asked = scene.ask(3);
  std::vector<carbo_suggestion> written(3);
  std::vector<double> numbers(9, -5.0);
  std::int64_t count = -1;
  const auto pending = [&](std::int64_t room) {
    return carbo_optimizer_pending_suggestions(scene.optimizer, written.data(), numbers.data(), room, &count);
  };
  EXPECT_EQ(carbo_optimizer_pending_suggestions(scene.optimizer, nullptr, nullptr, 0, &count), CARBO_OK);
  EXPECT_EQ(count, 3);
  expect_failure(pending(2), CARBO_STRUCT_VERSION, {"suggestions.struct_size"});
  written[0].struct_size = sizeof written[0];
  EXPECT_EQ(pending(2), CARBO_OK);
  EXPECT_EQ(count, 3);
  EXPECT_EQ(bits_of(written[1]), bits_of(asked.suggestions[1]));
  EXPECT_EQ(written[2].struct_size, 0u);
  EXPECT_EQ(std::vector(numbers.begin(), numbers.begin() + 6),
            std::vector(asked.numbers.begin(), asked.numbers.begin() + 6));
  EXPECT_EQ(numbers[6], -5.0);
  expect_failure(pending(-1), CARBO_SHAPE, {"room is -1"});
  expect_failure(carbo_optimizer_pending_suggestions(scene.optimizer, nullptr, numbers.data(), 1, &count),
                 CARBO_NULL_POINTER, {"suggestions"});
  expect_failure(carbo_optimizer_pending_suggestions(scene.optimizer, written.data(), nullptr, 1, &count),
                 CARBO_NULL_POINTER, {"numbers"});
  expect_failure(carbo_optimizer_pending_suggestions(scene.optimizer, written.data(), numbers.data(), 1, nullptr),
                 CARBO_NULL_POINTER, {"count"});
}

}  // namespace
