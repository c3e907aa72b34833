#include <limits>
#include <string>
#include <vector>

#include "c/optimizer_scene.hpp"
#include "support/environment.hpp"
#include "support/not_finite.hpp"

// What an optimizer is made of: what is refused, in the names of carbo.h.
namespace {

using namespace c_scene;

template <class Change>
void expect_refused_optimizer(carbo_status status, const std::vector<std::string>& parts, const Change& change) {
  carbo_optimizer_options options = some_optimizer_options();
  std::vector<carbo_parameter> parameters = some_parameters();
  options.parameters = parameters.data();
  change(options, parameters);
  auto* optimizer = reinterpret_cast<carbo_optimizer*>(&options);
  expect_failure(carbo_optimizer_create(&options, &optimizer), status, parts);
  EXPECT_EQ(optimizer, nullptr);
  const std::string message = thread_message();
  for (const char* const foreign : {"::", "std"})
    EXPECT_EQ(message.find(foreign), std::string::npos) << "'" << foreign << "' in: " << message;
}

TEST(COptimizerOptions, ParametersAndBudgetHaveNoDefaults) {
  carbo_optimizer_options options;
  ASSERT_EQ(carbo_optimizer_options_init(&options, sizeof options), CARBO_OK);
  carbo_optimizer* optimizer = nullptr;
  expect_failure(carbo_optimizer_create(&options, &optimizer), CARBO_INVALID_SPACE, {"no parameters"});
  options.parameters = some_parameters().data();
  options.parameter_count = 3;
  expect_failure(carbo_optimizer_create(&options, &optimizer), CARBO_INVALID_OPTIONS, {"budget is"});
  options.budget = 3;
  EXPECT_EQ(carbo_optimizer_create(&options, &optimizer), CARBO_OK) << thread_message();
  EXPECT_EQ(carbo_optimizer_destroy(optimizer), CARBO_OK);
}

TEST(COptimizerOptions, NullAndOtherVersionsAreRefused) {
  carbo_optimizer_options options = some_optimizer_options();
  carbo_optimizer* optimizer = nullptr;
  expect_failure(carbo_optimizer_create(nullptr, &optimizer), CARBO_NULL_POINTER, {"options"});
  expect_failure(carbo_optimizer_create(&options, nullptr), CARBO_NULL_POINTER, {"optimizer"});
  expect_failure(carbo_optimizer_options_init(nullptr, sizeof options), CARBO_NULL_POINTER, {"options"});
  expect_failure(carbo_optimizer_options_init(&options, 8), CARBO_STRUCT_VERSION, {"8"});
  expect_refused_optimizer(CARBO_STRUCT_VERSION, {"options.struct_size"}, [](auto& o, auto&) { ++o.struct_size; });
  expect_refused_optimizer(CARBO_STRUCT_VERSION, {"parameters[1].struct_size"},
                           [](auto&, auto& p) { p[1].struct_size = 1; });
  expect_refused_optimizer(CARBO_NULL_POINTER, {"parameters is null"},
                           [](auto& o, auto&) { o.parameters = nullptr; });
  expect_refused_optimizer(CARBO_NULL_POINTER, {"parameters[0].name"}, [](auto&, auto& p) { p[0].name = nullptr; });
  expect_refused_optimizer(CARBO_NULL_POINTER, {"parameters[2].labels"},
                           [](auto&, auto& p) { p[2].labels = nullptr; });
  const char* const holes[] = {"red", nullptr};
  expect_refused_optimizer(CARBO_NULL_POINTER, {"parameters[2].labels[1]"}, [&](auto&, auto& p) {
    p[2].labels = holes;
    p[2].count = 2;
  });
  expect_refused_optimizer(CARBO_NULL_POINTER, {"constraints"}, [](auto& o, auto&) { o.constraint_count = 1; });
  expect_refused_optimizer(CARBO_NULL_POINTER, {"design.points"}, [](auto& o, auto&) { o.design.point_count = 1; });
  expect_refused_optimizer(CARBO_NULL_POINTER, {"cost.features"}, [](auto& o, auto&) { o.cost.feature_count = 1; });
  expect_refused_optimizer(CARBO_NULL_POINTER, {"candidates.pool"},
                           [](auto& o, auto&) { o.candidates.pool_rows = 1; });
  const carbo_constraint empty{sizeof(carbo_constraint), nullptr, nullptr, nullptr};
  expect_refused_optimizer(CARBO_NULL_POINTER, {"constraints[0].allowed"}, [&](auto& o, auto&) {
    o.constraints = &empty;
    o.constraint_count = 1;
  });
  const carbo_hyperparameters without{nullptr, 1, 0.1, 0};
  expect_refused_optimizer(CARBO_NULL_POINTER, {"surrogate.fixed.lengthscales"},
                           [&](auto& o, auto&) { o.surrogate.fixed = &without; });
}

TEST(COptimizerOptions, SpacesThatCannotBeSearched) {
  expect_refused_optimizer(CARBO_INVALID_SPACE, {"parameter 'x'"}, [](auto&, auto& p) { p[0].upper = -1; });
  expect_refused_optimizer(CARBO_INVALID_SPACE, {"both named 'x'"}, [](auto&, auto& p) { p[1].name = "x"; });
  expect_refused_optimizer(CARBO_INVALID_SPACE, {"parameters[1].upper is 2.5", "whole"},
                           [](auto&, auto& p) { p[1].upper = 2.5; });
  expect_refused_optimizer(CARBO_INVALID_SPACE, {"parameters[1].lower is nan"},
                           [](auto&, auto& p) { p[1].lower = carbo::test::not_a_number; });
  expect_refused_optimizer(CARBO_INVALID_SPACE, {"categorical parameter 'c'"},
                           [](auto&, auto& p) { p[2].count = 0; });
  const carbo_constraint never{sizeof(carbo_constraint), [](void*, const double*) { return 0; }, nullptr, "never"};
  expect_refused_optimizer(CARBO_INVALID_SPACE, {"constraints"}, [&](auto& o, auto&) {
    o.constraints = &never;
    o.constraint_count = 1;
  });
}

TEST(COptimizerOptions, UnknownEnumeratorsAndFlagsAreRefusedByName) {
  for (const std::int32_t unknown : {-1, 100, std::numeric_limits<std::int32_t>::min()}) {
    const auto refused = [&](const std::string& name, const auto& set) {
      expect_refused_optimizer(CARBO_INVALID_OPTIONS, {": " + name + " is"}, [&](auto& o, auto& p) { set(o, p); });
    };
    refused("parameters[0].kind", [&](auto&, auto& p) { p[0].kind = unknown; });
    refused("parameters[0].scale", [&](auto&, auto& p) { p[0].scale = unknown; });
    refused("acquisition", [&](auto& o, auto&) { o.acquisition = unknown; });
    refused("initial_design", [&](auto& o, auto&) { o.initial_design = unknown; });
    refused("goal", [&](auto& o, auto&) { o.goal = unknown; });
    refused("execution", [&](auto& o, auto&) { o.execution = unknown; });
    refused("accounting", [&](auto& o, auto&) { o.accounting = unknown; });
    refused("batches", [&](auto& o, auto&) { o.batches = unknown; });
    refused("pick_cost", [&](auto& o, auto&) { o.pick_cost = unknown; });
    refused("stopping.enforce", [&](auto& o, auto&) { o.stopping.enforce = unknown; });
    refused("transform", [&](auto& o, auto&) { o.transform = unknown; });
    refused("incumbent", [&](auto& o, auto&) { o.incumbent = unknown; });
    refused("strict", [&](auto& o, auto&) { o.strict = unknown; });
    refused("surrogate.estimation", [&](auto& o, auto&) { o.surrogate.estimation = unknown; });
    refused("candidates.source", [&](auto& o, auto&) { o.candidates.source = unknown; });
    refused("candidates.renew", [&](auto& o, auto&) { o.candidates.renew = unknown; });
    refused("candidates.allow_repeats", [&](auto& o, auto&) { o.candidates.allow_repeats = unknown; });
    refused("cost.model", [&](auto& o, auto&) { o.cost.model = unknown; });
    refused("cost.error", [&](auto& o, auto&) { o.cost.error = unknown; });
    refused("cost.weight", [&](auto& o, auto&) { o.cost.weight = unknown; });
    refused("cost.robust", [&](auto& o, auto&) { o.cost.robust = unknown; });
    refused("fantasies.mode", [&](auto& o, auto&) { o.fantasies.mode = unknown; });
    refused("failures.penalize", [&](auto& o, auto&) { o.failures.penalize = unknown; });
    refused("backend.kind", [&](auto& o, auto&) { o.backend.kind = unknown; });
  }
}

TEST(COptimizerOptions, NumbersAndContradictionsInNamesOfC) {
  const auto refused = [](const std::vector<std::string>& parts, const auto& set) {
    expect_refused_optimizer(CARBO_INVALID_OPTIONS, parts, [&](auto& o, auto&) { set(o); });
  };
  for (const double wrong : {carbo::test::not_a_number, carbo::test::infinity, -1.0, 0.0})
    refused({": budget is"}, [&](auto& o) { o.budget = wrong; });
  refused({": batch_size is -1"}, [](auto& o) { o.batch_size = -1; });
  refused({": batch_size is 0"}, [](auto& o) { o.batch_size = 0; });
  refused({": max_evaluations is -1"}, [](auto& o) { o.max_evaluations = -1; });
  refused({": design.warm_start is -2"}, [](auto& o) { o.design.warm_start = -2; });
  refused({": design.budget_share is 1"}, [](auto& o) { o.design.budget_share = 1; });
  refused({": design.least_gain is 1.5"}, [](auto& o) { o.design.least_gain = 1.5; });
  refused({": stopping.price is -1"}, [](auto& o) { o.stopping.price = -1; });
  refused({"batches is CARBO_BATCHES_FILL", "CARBO_ACCOUNTING_LONGEST", "CARBO_BATCHES_FIXED"},
          [](auto& o) { o.batches = CARBO_BATCHES_FILL; });
  refused({"batches is CARBO_BATCHES_TOP_UP", "execution is CARBO_ASYNCHRONOUS", "CARBO_SYNCHRONOUS"}, [](auto& o) {
    o.batches = CARBO_BATCHES_TOP_UP;
    o.cost.unit = "s";
    o.execution = CARBO_ASYNCHRONOUS;
  });
  refused({": surrogate.restarts is 0"}, [](auto& o) { o.surrogate.restarts = 0; });
  refused({": cost.surrogate.max_points is 3"}, [](auto& o) { o.cost.surrogate.max_points = 3; });
  refused({": fantasies.count is 0"}, [](auto& o) { o.fantasies.count = 0; });
  refused({": evaluation.timeout_factor is 0.5"}, [](auto& o) { o.evaluation.timeout_factor = 0.5; });
  refused({"cost.unit", "CARBO_ACCOUNTING_SUM"}, [](auto& o) { o.accounting = CARBO_ACCOUNTING_LONGEST; });
  refused({"candidates.source is CARBO_CANDIDATES_ENUMERATION", "CARBO_CANDIDATES_SOBOL"},
          [](auto& o) { o.candidates.source = CARBO_CANDIDATES_ENUMERATION; });
  refused({"initial_design is CARBO_DESIGN_POINTS"}, [](auto& o) { o.initial_design = CARBO_DESIGN_POINTS; });
  refused({"cost.model is CARBO_COST_LINEAR,", "cost.feature_count"},
          [](auto& o) { o.cost.model = CARBO_COST_LINEAR; });
  refused({"cost.known, expression \"x +\""}, [](auto& o) { o.cost.known.expression = "x +"; });
  refused({"cost.known has more than one"}, [](auto& o) {
    o.cost.known.expression = "x";
    o.cost.known.function = [](void*, const double*) { return 1.0; };
  });
  refused({"cost.known is a column", "candidates.pool"}, [](auto& o) {
    static const double column[] = {1, 2};
    o.cost.known.column = column;
  });
  const carbo::EnvironmentVariable library("CARBO_CUDA_LIBRARY", "/nowhere/carbo.so");
  expect_refused_optimizer(CARBO_UNAVAILABLE, {"choose CARBO_BACKEND_CPU or CARBO_BACKEND_AUTOMATIC"},
                           [](auto& o, auto&) { o.backend.kind = CARBO_BACKEND_CUDA; });
}

TEST(COptimizerOptions, PoolsThatDoNotFit) {
  const double wrong[] = {0.5, 3, 1, 0.5, 3, 7};
  expect_refused_optimizer(CARBO_INVALID_POOL, {"row 1", "'c'"}, [&](auto& o, auto&) {
    o.candidates.pool = wrong;
    o.candidates.pool_rows = 2;
  });
  expect_refused_optimizer(CARBO_INVALID_POOL, {"no rows"}, [&](auto& o, auto&) { o.candidates.pool = wrong; });
  expect_refused_optimizer(CARBO_INVALID_POOL, {"/nowhere/pool"},
                           [&](auto& o, auto&) { o.candidates.pool_file = "/nowhere/pool"; });
  expect_refused_optimizer(CARBO_INVALID_CONFIGURATION, {"'c'"}, [&](auto& o, auto&) {
    o.initial_design = CARBO_DESIGN_POINTS;
    o.design.points = wrong + 3;
    o.design.point_count = 1;
  });
}

}  // namespace
