#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include <carbo/carbo.hpp>

#include "support/models_of.hpp"
#include "support/random.hpp"

namespace carbo::internal {
namespace {

/// A study's options and points, with the models that learn from them.
struct Study {
  Study(Backend& backend, std::uint64_t seed, std::size_t points)
      : options{.budget = 100.0, .seed = seed}, models(test::models_of(space, options, backend)) {
    for (std::size_t i = 0; i < points; ++i) {
      const double x = uniform(seed, Draw::uniform_configuration, i, 0), y = uniform(seed, Draw::random_pick, i, 1);
      LearnedPoint& point = learned.emplace_back();
      point.numbers = point.encoded = {x, y};
      point.objective = std::sin(static_cast<double>(3 + seed) * x) + y * y;
      point.cost = 0.5 + x;
    }
  }
  ModelUpdate update() { return {&models, learned}; }

  Space space{real("x", 0.0, 1.0), real("y", 0.0, 1.0)};
  Options options;
  ModelPair models;
  std::vector<LearnedPoint> learned;
};

std::unique_ptr<Backend> cpu() { return make_backend({.kind = BackendKind::cpu}); }

void expect_same(const Study& found, const Study& expected) {
  const Hyperparameters one = found.models.objective().hyperparameters();
  const Hyperparameters other = expected.models.objective().hyperparameters();
  EXPECT_EQ(one.lengthscales, other.lengthscales);
  EXPECT_EQ(one.signal_variance, other.signal_variance);
  EXPECT_EQ(one.noise_variance, other.noise_variance);
  EXPECT_EQ(found.models.incumbent(), expected.models.incumbent());
  const std::vector<double> at{0.3, 0.8};
  const CostPoint point{at, at};
  EXPECT_EQ(found.models.cost().predict(point).mean, expected.models.cost().predict(point).mean);
  EXPECT_EQ(found.models.predict_objective({at.data(), 1, 2}).front().median,
            expected.models.predict_objective({at.data(), 1, 2}).front().median);
}

TEST(FitModels, WhatAPairLearnsDoesNotDependOnTheOthers) {
  const auto backend = cpu();
  Study together[] = {{*backend, 1, 12}, {*backend, 2, 30}, {*backend, 3, 1}};
  const ModelUpdate all[] = {together[0].update(), together[1].update(), together[2].update()};
  fit_models(*backend, all);
  const std::size_t sizes[] = {12, 30, 1};
  for (std::size_t i = 0; i < 3; ++i) {
    Study alone(*backend, i + 1, sizes[i]);
    const ModelUpdate update = alone.update();
    fit_models(*backend, {&update, 1});
    expect_same(together[i], alone);
  }
}

TEST(FitModels, APairThatHasNothingNewIsPassedOver) {
  const auto backend = cpu();
  Study old(*backend, 1, 12), fresh(*backend, 2, 20), reference(*backend, 1, 12);
  const ModelUpdate first[] = {old.update(), reference.update()};
  fit_models(*backend, first);
  const ModelUpdate second[] = {old.update(), fresh.update()};
  fit_models(*backend, second);
  expect_same(old, reference);
  EXPECT_TRUE(fresh.models.objective_ready());
  fit_models(*backend, {});
}

TEST(FitModels, AfterAFailureTheNextUpdateComesToTheSame) {
  const auto backend = cpu();
  Study study(*backend, 1, 12), broken(*backend, 2, 12), reference(*backend, 1, 12);
  const ModelUpdate alone = reference.update();
  fit_models(*backend, {&alone, 1});
  broken.learned[3].encoded[0] = NAN;
  const ModelUpdate both[] = {study.update(), broken.update()};
  EXPECT_THROW(fit_models(*backend, both), NumericalError);
  broken.learned[3].encoded[0] = 0.5;
  fit_models(*backend, both);
  expect_same(study, reference);
  EXPECT_TRUE(broken.models.objective_ready());
}

}  // namespace
}  // namespace carbo::internal
