#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <carbo/carbo.hpp>

#include "support/models_of.hpp"
#include "support/random.hpp"

namespace carbo::internal {
namespace {

const Space& square() {
  static const Space space{real("x", 0.0, 1.0), real("y", 0.0, 1.0)};
  return space;
}

std::unique_ptr<Backend> one_thread() { return make_backend({.kind = BackendKind::cpu, .threads = 1}); }

double smooth(std::span<const double> at) { return std::sin(5 * at[0]) + std::cos(4 * at[1]); }

template <class Map>
std::vector<LearnedPoint> learned(std::size_t count, const Map& map) {
  std::vector<LearnedPoint> points;
  for (std::size_t i = 0; i < count; ++i) {
    LearnedPoint& point = points.emplace_back();
    point.numbers = {uniform(1, Draw::uniform_configuration, i, 0), uniform(1, Draw::uniform_configuration, i, 1)};
    point.encoded = point.numbers;
    point.objective = map(smooth(point.encoded));
    point.cost = 0.5 + point.encoded[0];
  }
  return points;
}

Options automatic(Goal goal = Goal::minimize) {
  Options options{.budget = 100.0};
  options.goal = goal;
  return options;
}

const auto steep = [](double f) { return std::exp(3 * f); };

TEST(TransformModels, AutomaticIsTheDefaultAndPredictsInTheCallersUnits) {
  const auto backend = one_thread();
  const Options options = automatic();
  ModelPair models = test::models_of(square(), options, *backend);
  EXPECT_FALSE(models.transform());
  test::learn(*backend, models, learned(40, steep));
  EXPECT_EQ(models.transform(), Transform::shifted_log);
  EXPECT_EQ(models.transform_choice().kind, Transform::shifted_log);
  EXPECT_EQ(models.transform_choice().chosen_at, 40u);
  const std::vector<double> at{0.31, 0.62, 0.77, 0.2};
  const auto predictions = models.predict_objective({at.data(), 2, 2});
  for (std::size_t i = 0; i < 2; ++i) {
    const double expected = steep(smooth({at.data() + 2 * i, 2}));
    EXPECT_NEAR(predictions[i].median / expected, 1.0, 0.1);
  }
}

TEST(TransformModels, ScaleAndIncumbentAreThoseOfTheBestValue) {
  const auto backend = one_thread();
  for (const auto& map : std::vector<std::function<double(double)>>{steep, [](double f) { return f; },
                                                                    [](double f) { return f > 0 ? 1e12 + f : f; }}) {
    const Options options = automatic();
    ModelPair models = test::models_of(square(), options, *backend);
    const std::vector<LearnedPoint> points = learned(40, map);
    test::learn(*backend, models, points);
    std::vector<double> values;
    for (const LearnedPoint& point : points) values.push_back(point.objective);
    const TargetTransform transform(*models.transform(), values);
    const double best = *std::min_element(values.begin(), values.end());
    EXPECT_EQ(models.incumbent(), transform.forward(best));
    const double at = transform.forward(best), step = 1e-5;
    const double slope = (transform.backward(at + step) - transform.backward(at - step)) / (2 * step);
    EXPECT_NEAR(models.objective_scale() / slope, 1.0, 1e-4) << to_string(*models.transform());
  }
}

TEST(TransformModels, ANewKindIsFittedAndKeptWhileItHolds) {
  const auto backend = one_thread();
  const Options options = automatic();
  ModelPair models = test::models_of(square(), options, *backend),
            at_once = test::models_of(square(), options, *backend);
  std::vector<LearnedPoint> points = learned(200, steep);
  std::vector<LearnedPoint> first(points.begin(), points.begin() + 4);
  test::learn(*backend, models, first);
  for (const std::size_t count : {40, 41, 150, 151, 200}) {
    const std::size_t chosen_before = models.transform_choice().chosen_at;
    test::learn(*backend, models, std::span(points).first(count));
    EXPECT_EQ(models.transform(), Transform::shifted_log) << count;
    EXPECT_EQ(models.transform_choice().chosen_at == count, 4 * count >= 5 * chosen_before) << count;
  }
  test::learn(*backend, at_once, points);
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_NEAR(
        models.objective().hyperparameters().lengthscales[i] / at_once.objective().hyperparameters().lengthscales[i],
        1.0, 0.15);
}

TEST(TransformModels, FailuresHaveNoPartInTheChoice) {
  const auto backend = one_thread();
  const Options options = automatic();
  ModelPair with = test::models_of(square(), options, *backend),
            without = test::models_of(square(), options, *backend);
  std::vector<LearnedPoint> points = learned(60, steep), successes;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i % 3 != 0) {
      successes.push_back(points[i]);
      continue;
    }
    points[i].status = ObservationStatus::failed;
    points[i].objective = NAN;
  }
  test::learn(*backend, with, points);
  test::learn(*backend, without, successes);
  EXPECT_EQ(with.transform_choice().kind, without.transform_choice().kind);
  EXPECT_EQ(with.transform_choice().chosen_at, 40u);
  for (std::size_t i = 0; i < with.transform_choice().scores.size(); ++i)
    EXPECT_EQ(with.transform_choice().scores[i].log_score, without.transform_choice().scores[i].log_score);
}

TEST(TransformModels, MaximisingIsMinimisingTheNegativeToTheBit) {
  const auto backend = one_thread();
  const Options low = automatic(), high = automatic(Goal::maximize);
  for (const auto& map : std::vector<std::function<double(double)>>{steep, [](double f) { return f; },
                                                                    [](double f) { return f > 0.5 ? 1e12 : f; }}) {
    ModelPair one = test::models_of(square(), low, *backend), other = test::models_of(square(), high, *backend);
    test::learn(*backend, one, learned(45, map));
    test::learn(*backend, other, learned(45, [&](double f) { return -map(f); }));
    EXPECT_EQ(one.transform(), other.transform());
    EXPECT_EQ(one.incumbent(), other.incumbent());
    EXPECT_EQ(one.objective_scale(), other.objective_scale());
    const std::vector<double> at{0.4, 0.9};
    EXPECT_EQ(one.predict_objective({at.data(), 1, 2})[0].median,
              -other.predict_objective({at.data(), 1, 2})[0].median);
  }
}

TEST(TransformModels, AnUpdateThatFailedLeavesTheChoiceAsItWas) {
  const auto backend = one_thread();
  const Options options = automatic();
  ModelPair models = test::models_of(square(), options, *backend),
            reference = test::models_of(square(), options, *backend);
  std::vector<LearnedPoint> points = learned(60, steep);
  const std::span<const LearnedPoint> few = std::span(points).first(5);
  test::learn(*backend, models, few);
  test::learn(*backend, reference, few);
  const TransformChoice before = models.transform_choice();
  const double scale = models.objective_scale(), incumbent = models.incumbent();
  std::vector<LearnedPoint> broken = points;
  broken[9].encoded[0] = NAN;
  EXPECT_THROW(test::learn(*backend, models, broken), NumericalError);
  EXPECT_EQ(models.transform_choice().kind, before.kind);
  EXPECT_EQ(models.transform_choice().chosen_at, before.chosen_at);
  EXPECT_EQ(models.objective_scale(), scale);
  EXPECT_EQ(models.incumbent(), incumbent);
  test::learn(*backend, models, points);
  test::learn(*backend, reference, points);
  EXPECT_EQ(models.transform(), reference.transform());
  EXPECT_EQ(models.objective().hyperparameters().lengthscales, reference.objective().hyperparameters().lengthscales);
}

TEST(TransformModels, AConstantTeachesNothingAndStopsNothing) {
  const auto backend = one_thread();
  const Options options = automatic();
  ModelPair models = test::models_of(square(), options, *backend);
  std::vector<LearnedPoint> points = learned(20, [](double) { return 7.0; });
  test::learn(*backend, models, points);
  EXPECT_EQ(models.transform(), Transform::none);
  EXPECT_TRUE(models.transform_choice().scores.empty());
  const std::vector<double> at{0.4, 0.9};
  EXPECT_DOUBLE_EQ(models.predict_objective({at.data(), 1, 2})[0].median, 7.0);
}

TEST(TransformModels, GivenHyperparametersAreUsedForTheChoice) {
  const auto backend = one_thread();
  Options options = automatic();
  options.surrogate.fixed = Hyperparameters{{0.4, 0.5}, 1.0, 1e-4, std::nullopt};
  ModelPair models = test::models_of(square(), options, *backend);
  test::learn(*backend, models, learned(40, steep));
  EXPECT_EQ(models.transform(), Transform::shifted_log);
  EXPECT_EQ(models.objective().hyperparameters().lengthscales, options.surrogate.fixed->lengthscales);
}

}  // namespace
}  // namespace carbo::internal
