#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include <carbo/carbo.hpp>

#include "gp/transform.hpp"
#include "support/toy_problems.hpp"

// What was accepted does not stop a study, and what a receipt says is a number.
namespace carbo {
namespace {

using namespace test;

constexpr double smallest = std::numeric_limits<double>::denorm_min();
constexpr double largest = std::numeric_limits<double>::max();

void expect_finite(const std::optional<Calibration>& calibration, const char* whose) {
  if (!calibration) return;
  EXPECT_TRUE(std::isfinite(calibration->log_density)) << whose;
  EXPECT_TRUE(std::isfinite(calibration->squared_residual)) << whose;
  EXPECT_TRUE(calibration->coverage >= 0 && calibration->coverage <= 1 + 1e-12) << whose;
}

void expect_finite(const Receipt& receipt) {
  expect_finite(receipt.objective_calibration, "objective");
  expect_finite(receipt.cost_calibration, "cost");
  const std::vector<std::pair<const char*, std::optional<double>>> figures{
      {"alpha", receipt.alpha},
      {"spent", receipt.spent},
      {"committed", receipt.committed},
      {"progress", receipt.progress},
      {"predicted_cost", receipt.predicted_cost},
      {"predicted_log_cost_sd", receipt.predicted_log_cost_sd},
      {"predicted_objective", receipt.predicted_objective},
      {"predicted_objective_sd", receipt.predicted_objective_sd},
      {"predicted_objective_lower", receipt.predicted_objective_lower},
      {"predicted_objective_upper", receipt.predicted_objective_upper},
      {"log_score", receipt.log_score},
      {"runner_up_log_score", receipt.runner_up_log_score},
      {"fill", receipt.fill}};
  for (const auto& [name, value] : figures) EXPECT_TRUE(!value || std::isfinite(*value)) << name;
  for (const CostModelScore& score : receipt.cost_model_scores) EXPECT_TRUE(std::isfinite(score.log_density));
}

Options tiny_options(std::uint64_t seed = 3) {
  Options options = small_options(1e305, seed);
  options.candidates.count = 48;
  options.max_evaluations = 12;
  options.fantasies.count = 2;
  options.surrogate.restarts = options.cost.surrogate.restarts = 2;
  return options;
}

/// A whole study whose receipts are all numbers; `evaluate` is given the suggestion.
template <typename Function>
void expect_runs(const Options& options, const Function& evaluate) {
  Optimizer optimizer(valley_space(), options);
  while (!optimizer.done()) {
    std::vector<Suggestion> batch;
    ASSERT_NO_THROW(batch = optimizer.ask(2));
    ASSERT_FALSE(batch.empty());
    for (const Suggestion& s : batch) {
      expect_finite(s.receipt);
      optimizer.tell(s.id, evaluate(s));
      EXPECT_TRUE(std::isfinite(optimizer.spent()));
    }
  }
  EXPECT_EQ(optimizer.observations().size(), *options.max_evaluations);
}

TEST(ExtremeValues, ExactCostsHaveFiniteCalibrations) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    expect_runs(tiny_options(seed), [&](const Suggestion& s) {
      const double x = s.configuration.real("x");
      return Evaluation{valley(s.configuration).objective, seed % 2 == 0 ? 1.0 : 2 + 3 * x};
    });
  }
}

TEST(ExtremeValues, CostsFarFromAllOthersStopNoStudy) {
  const std::vector<CostFeature> features{work("x"), feature("y")};
  const std::vector<CostOptions> models{
      {},
      {.features = features},
      {.model = CostModelKind::linear, .features = features},
      {.model = CostModelKind::linear, .features = features, .error = CostError::absolute},
      {.model = CostModelKind::linear_mean_gp, .features = features},
      {.features = features, .known_part = Quantity("1e-200 + 1e200 * x")}};
  for (std::size_t model = 0; model < models.size(); ++model) {
    for (const double stray : {smallest, 1e-160, 1e160, 1e300}) {
      for (const std::uint64_t from : {1U, 7U}) {
        SCOPED_TRACE(testing::Message() << "model " << model << ", cost " << stray << " from " << from);
        Options options = tiny_options();
        options.cost = models[model];
        options.cost.surrogate.restarts = 2;
        options.cost.weight = from == 1 ? CostWeight::moment : CostWeight::mean;
        expect_runs(options, [&](const Suggestion& s) {
          const bool strays = s.id >= from && s.id % 3 == 1;
          return Evaluation{valley(s.configuration).objective, strays ? stray : 1 + s.configuration.real("x")};
        });
      }
    }
  }
}

/// Mean costs of a model that is uncertain by hundreds of decades are beyond all numbers.
TEST(ExtremeValues, PricesOfTheGittinsIndexBeyondAllNumbersAreScored) {
  for (const CostWeight weight : {CostWeight::median, CostWeight::mean})
    for (const double stray : {smallest, 1e-160, 1e160, 1e300}) {
      SCOPED_TRACE(testing::Message() << to_string(weight) << ", cost " << stray);
      Options options = tiny_options();
      options.acquisition = Acquisition::gittins;
      options.initial_design = InitialDesign::uniform;
      options.cost.weight = weight;
      expect_runs(options, [&](const Suggestion& s) {
        return Evaluation{valley(s.configuration).objective, s.id == 1 ? stray : 1 + s.configuration.real("x")};
      });
    }
}

TEST(ExtremeValues, FeaturesBeyondAFitLeaveAConstant) {
  Options options = tiny_options();
  options.cost.model = CostModelKind::linear;
  options.cost.features = {work(Quantity("1e-300 * x")), work(Quantity("1e300 * y"))};
  expect_runs(options, [](const Suggestion& s) { return valley(s.configuration); });
}

TEST(ExtremeValues, FeaturesOfHundredsOfDecadesPredictWithAFiniteSpread) {
  Options options{.budget = 100.0, .seed = 1};
  options.cost.model = CostModelKind::linear;
  options.cost.features = {work("exp(600 * x)"), feature("x")};
  options.initial_design = InitialDesign::points;
  const Space space{real("x", 0, 1), real("y", 0, 1)};
  options.design.points = {space.configuration({{"x", 0.99}, {"y", 0.4}})};
  Optimizer optimizer(space, options);
  optimizer.tell(space.configuration({{"x", 0.0}, {"y", 0.5}}), {1.0, 1.0});
  const Receipt receipt = optimizer.ask(1).at(0).receipt;
  EXPECT_TRUE(std::isfinite(*receipt.predicted_cost));
  EXPECT_TRUE(std::isfinite(*receipt.predicted_log_cost_sd)) << *receipt.predicted_log_cost_sd;
}

TEST(ExtremeValues, ObjectivesNearTheLimitsOfNumbersStopNoStudy) {
  const std::vector<std::vector<double>> sets{{0, smallest},   {0, smallest, 1},       {1e-310, 2e-310},
                                              {1e308, -1e308}, {largest, -largest, 0}, {1, 1e300}};
  for (std::size_t i = 0; i < sets.size(); ++i) {
    for (const Transform transform : {Transform::none, Transform::log, Transform::rank, Transform::shifted_log,
                                      Transform::power, Transform::half_rank, Transform::automatic}) {
      for (const Goal goal : {Goal::minimize, Goal::maximize}) {
        SCOPED_TRACE(testing::Message() << "set " << i << ", transform " << static_cast<int>(transform));
        Options options = tiny_options();
        options.transform = transform;
        options.goal = goal;
        expect_runs(options, [&](const Suggestion& s) {
          const double value = sets[i][s.id % sets[i].size()];
          return Evaluation{transform == Transform::log && !(value > 0) ? smallest : value,
                            1 + s.configuration.real("x")};
        });
      }
    }
  }
}

TEST(ExtremeValues, TheSmallestDifferencesStandardiseToNumbers) {
  const std::vector<double> values{0, smallest};
  const internal::Standardisation units = internal::standardisation(values);
  EXPECT_GT(units.scale, 0.0);
  for (const double value : values) EXPECT_TRUE(std::isfinite(internal::standardise(value, units)));
  const internal::TargetTransform far(Transform::log, std::vector<double>{1.0, 1e300});
  EXPECT_TRUE(std::isfinite(far.backward(5.0)));
  const internal::TargetTransform wide(Transform::none, std::vector<double>{-largest, largest});
  EXPECT_TRUE(std::isfinite(wide.backward(5.0)) && std::isfinite(wide.backward(-5.0)));
}

TEST(ExtremeValues, CoolingOfFiniteNumbersIsANumber) {
  const std::vector<double> numbers{-largest, -1e300, -1, 0, smallest, 1, 1e300, largest};
  for (const double budget : numbers) {
    for (const double spent : numbers) {
      for (const double design : numbers) {
        const double alpha = cooling_exponent(budget, spent, design);
        EXPECT_TRUE(alpha >= 0 && alpha <= 1) << budget << ", " << spent << ", " << design;
      }
    }
  }
  EXPECT_NEAR(cooling_exponent(largest, 0, -largest), 0.5, 1e-15);
}

TEST(ExtremeValues, ABudgetThatIsPassedByFarIsStillANumber) {
  Options options = tiny_options();
  options.budget = 1e-300;
  options.accounting = Accounting::sum;
  Optimizer optimizer(valley_space(), options);
  const auto batch = optimizer.ask(3);
  ASSERT_EQ(batch.size(), 3U);
  for (const Suggestion& s : batch) optimizer.tell(s.id, {1.0, largest});
  EXPECT_EQ(optimizer.spent(), largest);
  EXPECT_EQ(optimizer.stop_reason(), StopReason::budget);
}

}  // namespace
}  // namespace carbo
