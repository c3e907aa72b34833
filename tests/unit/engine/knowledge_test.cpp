#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <carbo/carbo.hpp>

#include "support/expect_error.hpp"
#include "support/plain_gp.hpp"
#include "support/sanitized.hpp"
#include "support/toy_problems.hpp"

// What the models know of configurations, and what they would recommend.
namespace carbo {
namespace {

using namespace test;

constexpr double z95 = 1.959963984540054;

/// A real on [2, 4] and three categories.
Space mixed() { return Space{real("x", 2, 4), categorical("c", {"a", "b", "d"})}; }

Configuration of(const Space& space, double x, double category) {
  return space.configuration(std::vector<double>{x, category});
}

std::vector<double> encoded_by_hand(const Configuration& point) {
  std::vector<double> row{(point.real("x") - 2) / 2, 0, 0, 0};
  row[1 + static_cast<std::size_t>(point.numbers()[1])] = std::sqrt(0.5);
  return row;
}

struct Standardised {
  double mean = 0, deviation = 0;
  std::vector<double> values;

  explicit Standardised(const std::vector<double>& of) {
    for (const double one : of) mean += one / static_cast<double>(of.size());
    for (const double one : of) deviation += std::pow(one - mean, 2) / static_cast<double>(of.size());
    deviation = std::sqrt(deviation);
    for (const double one : of) values.push_back((one - mean) / deviation);
  }
};

struct Told {
  std::vector<Configuration> points;
  std::vector<double> objectives, costs;
};

Told tell_twelve(Optimizer& optimizer) {
  Told told;
  for (int i = 0; i < 12; ++i) {
    told.points.push_back(of(optimizer.space(), 2 + std::fmod(0.37 * i, 2.0), i % 3));
    told.objectives.push_back(2 + std::sin(2.0 * i) + 0.3 * (i % 3));
    told.costs.push_back(std::exp(0.4 * std::cos(1.0 * i) + 0.2 * (i % 3)));
    optimizer.tell(told.points.back(), {told.objectives.back(), told.costs.back()});
  }
  return told;
}

Options fixed_models(Transform transform, Goal goal) {
  Options options = small_options(100);
  options.transform = transform;
  options.goal = goal;
  options.surrogate.fixed = Hyperparameters{{0.3, 0.8}, 1.3, 0.02, 0.1};
  options.cost.model = CostModelKind::log_gp;
  options.cost.surrogate.fixed = Hyperparameters{{0.5, 0.6}, 0.9, 0.05, -0.2};
  return options;
}

PlainGp plain(const Told& told, const std::vector<double>& targets, const Hyperparameters& h) {
  std::vector<std::vector<double>> rows;
  for (const Configuration& one : told.points) rows.push_back(encoded_by_hand(one));
  const double x = h.lengthscales[0], c = h.lengthscales[1];
  return {rows, targets, {x, c, c, c}, h.signal_variance, h.noise_variance, *h.mean};
}

TEST(Predict, AgreesWithAGpInPlainLoops) {
  for (const Goal goal : {Goal::minimize, Goal::maximize}) {
    for (const Transform transform : {Transform::none, Transform::log}) {
      const Options options = fixed_models(transform, goal);
      Optimizer optimizer(mixed(), options);
      const Told told = tell_twelve(optimizer);
      std::vector<double> targets = told.objectives, logs = told.costs;
      for (double& one : logs) one = std::log(one);
      if (transform == Transform::log)
        for (double& one : targets) one = std::log(one);
      const double sign = goal == Goal::maximize ? -1 : 1;
      Standardised objective(targets);
      const Standardised cost(logs);
      for (double& one : objective.values) one *= sign;
      const PlainGp objective_gp = plain(told, objective.values, *options.surrogate.fixed);
      const PlainGp cost_gp = plain(told, cost.values, *options.cost.surrogate.fixed);
      const std::vector<Configuration> at = {of(mixed(), 2.1, 0), of(mixed(), 3.9, 1), of(mixed(), 3.3, 2),
                                             told.points[4]};
      const std::vector<Prediction> found = optimizer.predict(at);
      ASSERT_EQ(found.size(), at.size());
      for (std::size_t i = 0; i < at.size(); ++i) {
        const auto [mean, variance] = objective_gp.predict(encoded_by_hand(at[i]));
        const auto back = [&](double standardised) {
          const double value = objective.mean + objective.deviation * standardised;
          return transform == Transform::log ? std::exp(value) : value;
        };
        const ObjectivePrediction& own = found[i].objective.value();
        const double s = std::sqrt(variance);
        EXPECT_NEAR(own.standardised_mean, mean, 1e-10);
        EXPECT_NEAR(own.standardised_deviation, s, 1e-10);
        EXPECT_NEAR(own.median, back(sign * mean), 1e-9);
        EXPECT_NEAR(own.lower, back(sign * mean - z95 * s), 1e-9);
        EXPECT_NEAR(own.upper, back(sign * mean + z95 * s), 1e-9);
        EXPECT_EQ(own.standard_deviation.has_value(), transform == Transform::none);
        if (own.standard_deviation) {
          EXPECT_NEAR(*own.standard_deviation, objective.deviation * s, 1e-10);
        }
        const auto [log_mean, log_variance] = cost_gp.predict(encoded_by_hand(at[i]));
        EXPECT_NEAR(std::log(found[i].cost.value().median), cost.mean + cost.deviation * log_mean, 1e-9);
        EXPECT_NEAR(found[i].cost->log_standard_deviation, cost.deviation * std::sqrt(log_variance), 1e-9);
      }
    }
  }
}

TEST(Predict, IntervalsFollowTheCoverage) {
  Optimizer optimizer(mixed(), fixed_models(Transform::none, Goal::minimize));
  tell_twelve(optimizer);
  const std::vector<Configuration> at{of(mixed(), 3.0, 1)};
  const ObjectivePrediction half = *optimizer.predict(at, 0.5).front().objective;
  EXPECT_NEAR(half.upper - half.median, 0.6744897501960817 * *half.standard_deviation, 1e-10);
  for (const double coverage : {0.0, 1.0, -0.5, 1.5, std::nan("")})
    expect_error<InvalidOptions>([&] { optimizer.predict(at, coverage); }, {"coverage", "between 0 and 1"});
}

TEST(Predict, RanksKnowNothingBeyondWhatWasObserved) {
  Optimizer optimizer(mixed(), fixed_models(Transform::rank, Goal::minimize));
  const Told told = tell_twelve(optimizer);
  const auto [lowest, highest] = std::ranges::minmax(told.objectives);
  for (const Prediction& one : optimizer.predict(told.points, 0.9999)) {
    EXPECT_FALSE(one.objective->standard_deviation);
    EXPECT_LE(lowest, one.objective->lower);
    EXPECT_LE(one.objective->lower, one.objective->median);
    EXPECT_LE(one.objective->median, one.objective->upper);
    EXPECT_LE(one.objective->upper, highest);
  }
}

TEST(Predict, HasNothingToSayBeforeAModelHasLearned) {
  Optimizer optimizer(mixed(), small_options(100));
  const std::vector<Configuration> at{of(mixed(), 3.0, 1)};
  EXPECT_TRUE(optimizer.predict({}).empty());
  EXPECT_FALSE(optimizer.predict(at).front().objective);
  EXPECT_FALSE(optimizer.predict(at).front().cost);
  EXPECT_FALSE(optimizer.recommend());
  EXPECT_FALSE(optimizer.hyperparameters().objective);
  EXPECT_FALSE(optimizer.hyperparameters().cost_model);
  EXPECT_FALSE(optimizer.importance());
  EXPECT_FALSE(optimizer.importance(Modelled::cost));
  optimizer.fail(at.front(), 2.0, "cut off", true);
  EXPECT_FALSE(optimizer.predict(at).front().objective);
  EXPECT_TRUE(optimizer.predict(at).front().cost) << "a timeout teaches the cost alone";
  Options known = small_options(100);
  known.cost.known = "2 * x";
  Optimizer knowing(mixed(), known);
  EXPECT_NEAR(knowing.predict(at).front().cost.value().median, 6, 1e-12);
  EXPECT_EQ(knowing.predict(at).front().cost->log_standard_deviation, 0);
}

TEST(Predict, LearnsWhatWasToldWhateverTheAcquisition) {
  Options options = small_options(100);
  options.acquisition = Acquisition::random;
  options.initial_design = InitialDesign::uniform;
  Optimizer optimizer(mixed(), options);
  const Told told = tell_twelve(optimizer);
  EXPECT_TRUE(optimizer.predict(told.points).front().objective);
  optimizer.tell(of(mixed(), 3.5, 2), {-40.0, 1.0});
  EXPECT_TRUE(optimizer.recommend()->configuration == of(mixed(), 3.5, 2));
}

TEST(Predict, CostsOfAColumnAreThoseOfThePoolAlone) {
  const Space space = valley_space();
  Options options = small_options(60);
  options.candidates.pool = grid_pool(space, 3);
  options.cost.known = Quantity::pool_column({1, 2, 3, 4, 5, 6, 7, 8, 9});
  Optimizer optimizer(space, options);
  const Configuration inside = space.configuration(options.candidates.pool->row(4));
  const Configuration outside = space.configuration(std::vector<double>{0.5, 0.5});
  const std::vector<Prediction> found = optimizer.predict(std::vector{outside, inside, inside});
  EXPECT_FALSE(found[0].cost);
  EXPECT_NEAR(found[1].cost.value().median, 5, 1e-12);
  EXPECT_NEAR(found[2].cost.value().median, 5, 1e-12);
  expect_error<InvalidOptions>([&] { optimizer.importance(Modelled::cost); }, {"column of the pool", "expression"});
}

TEST(Predict, RefusesConfigurationsOfAnotherSpace) {
  Optimizer optimizer(mixed(), small_options(100));
  const std::vector<Configuration> at{valley_space().configuration(std::vector<double>{0.5, 0.5})};
  expect_error<InvalidConfiguration>([&] { optimizer.predict(at); }, {"x=0.5 y=0.5", "other parameters"});
}

TEST(Recommend, IsTheBestWhereThereIsNoNoise) {
  for (const Goal goal : {Goal::minimize, Goal::maximize}) {
    Options options = small_options(40);
    options.goal = goal;
    Optimizer optimizer(valley_space(), options);
    run(optimizer, valley);
    const Recommendation found = optimizer.recommend().value();
    EXPECT_TRUE(found.configuration == optimizer.best()->configuration);
    EXPECT_EQ(found.successes, 1u);
    EXPECT_NEAR(found.prediction.objective->median, optimizer.best()->objective, 0.02);
    EXPECT_TRUE(found.prediction.cost);
  }
}

TEST(Recommend, BeatsTheLuckiestUnderNoise) {
  double best = 0, recommended = 0;
  const int seeds = sanitized ? 2 : 20;
  const auto bowl = [](const Configuration& at) {
    return 4 * std::pow(at.real("x") - 0.7, 2) + 8 * std::pow(at.real("y") - 0.3, 2);
  };
  for (int seed = 0; seed < seeds; ++seed) {
    std::mt19937_64 engine(static_cast<std::uint64_t>(seed));
    std::normal_distribution<double> noise(0.0, 0.3);
    Options options = small_options(40, static_cast<std::uint64_t>(seed));
    options.cost.known = 1;
    options.surrogate.restarts = 2;
    options.incumbent = Incumbent::lowest_observed;  // spreads the search, so that the model has something to tell
    Optimizer optimizer(valley_space(), options);
    run(optimizer, [&](const Configuration& at) { return Evaluation{bowl(at) + noise(engine), 1.0}; });
    best += bowl(optimizer.best()->configuration) / seeds;
    recommended += bowl(optimizer.recommend()->configuration) / seeds;
  }
  if (sanitized) return;  // too few seeds for an average
  EXPECT_LT(recommended, 0.6 * best) << "true values, on average over the seeds: " << recommended << ", " << best;
}

TEST(Recommend, CountsCopiesAndPassesFailuresOver) {
  Optimizer optimizer(mixed(), fixed_models(Transform::none, Goal::minimize));
  tell_twelve(optimizer);
  const Configuration again = of(mixed(), 2.5, 1);
  for (int i = 0; i < 5; ++i) optimizer.tell(again, {-3.0 + 0.1 * i, 1.0});
  optimizer.fail(again, 1.0, "once");
  const Recommendation found = optimizer.recommend().value();
  EXPECT_TRUE(found.configuration == again);
  EXPECT_EQ(found.successes, 5u);
}

TEST(FittedModels, AreTheCallersWhereTheyAreFixed) {
  const Options options = fixed_models(Transform::none, Goal::minimize);
  Optimizer optimizer(mixed(), options);
  const Told told = tell_twelve(optimizer);
  const FittedModels models = optimizer.hyperparameters();
  const Standardised objective(told.objectives);
  ASSERT_TRUE(models.objective && models.cost);
  EXPECT_EQ(models.objective->hyperparameters.lengthscales, options.surrogate.fixed->lengthscales);
  EXPECT_EQ(models.objective->hyperparameters.noise_variance, 0.02);
  EXPECT_EQ(models.objective->hyperparameters.mean, 0.1);
  EXPECT_NEAR(models.objective->shift, objective.mean, 1e-12);
  EXPECT_NEAR(models.objective->scale, objective.deviation, 1e-12);
  EXPECT_EQ(models.objective->points.used, 12u);
  EXPECT_EQ(models.cost_model, CostModelKind::log_gp);
  EXPECT_EQ(models.cost->hyperparameters.signal_variance, 0.9);
  EXPECT_EQ(models.cost->hyperparameters.mean, -0.2);
}

TEST(FittedModels, HaveNoGpOfACostWithoutOne) {
  Options linear = small_options(100);
  linear.cost.model = CostModelKind::linear;
  linear.cost.features = {work("x")};
  Optimizer optimizer(mixed(), linear);
  tell_twelve(optimizer);
  EXPECT_EQ(optimizer.hyperparameters().cost_model, CostModelKind::linear);
  EXPECT_FALSE(optimizer.hyperparameters().cost);
  const auto mean = optimizer.hyperparameters().objective->hyperparameters.mean;
  EXPECT_TRUE(mean && std::isfinite(*mean)) << "estimated";
}

}  // namespace
}  // namespace carbo
