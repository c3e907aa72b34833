#include <gtest/gtest.h>

#include <cmath>

#include <carbo/error.hpp>
#include <carbo/selector.hpp>

#include "support/expect_error.hpp"
#include "support/gittins_oracle.hpp"
#include "support/selector_oracle.hpp"
#include "support/selector_scene.hpp"
#include "unit/selector/pick_checks.hpp"

// The Gittins index over a pool, beside plain loops.
namespace carbo {
namespace {

using namespace test;

PickRequest by_gittins(double lambda, std::size_t count = 1) {
  PickRequest request{.count = count, .acquisition = Acquisition::gittins};
  request.acquisition_parameters.lambda = lambda;
  return request;
}

/// −g of every row, standardised; λ is per unit of the objective as the caller has it.
std::vector<double> scores_of_plain_loops(const SelectorScene& scene, double lambda, CostWeight weight) {
  const oracle::Standardised targets(scene.objectives);
  const oracle::Regression regression(objective_gp(), scene.tried, targets.values);
  const auto log_costs = oracle::log_costs(cost_gp(), scene.tried, scene.costs, scene.pool);
  std::vector<double> scores;
  for (std::size_t i = 0; i < scene.pool.size(); ++i) {
    const oracle::Posterior at = regression.at(scene.pool[i]);
    const oracle::Real spread = weight == CostWeight::mean ? log_costs[i].variance / 2 : 0;
    const oracle::Real price = lambda / targets.scale * std::exp(log_costs[i].mean + spread);
    scores.push_back(static_cast<double>(-oracle::gittins_index(at.mean, std::sqrt(at.variance), price)));
  }
  return scores;
}

TEST(SelectorGittins, ScoresAreThePlainLoopsAndTheirBestIsPicked) {
  const SelectorScene scene;
  for (const CostWeight weight : {CostWeight::median, CostWeight::mean})
    for (const double lambda : {1e-6, 1e-2, 1.0, 100.0}) {
      SCOPED_TRACE(lambda);
      SelectorOptions options = scene.options();
      options.cost.weight = weight;
      expect_scores_and_their_best(scene, options, by_gittins(lambda), scores_of_plain_loops(scene, lambda, weight));
    }
}

/// Where cost counts for much the cheap rows come first, where it counts for nothing the promising ones.
TEST(SelectorGittins, LambdaIsThePriceOfCost) {
  const SelectorScene scene;
  Selector selector = scene.ready();
  const std::vector<double> dear = dense_scores(selector, by_gittins(1e6));
  const auto log_costs = oracle::log_costs(cost_gp(), scene.tried, scene.costs, scene.pool);
  std::size_t cheapest = 0;
  for (std::size_t i = 0; i < dear.size(); ++i)
    if (std::isfinite(dear[i]) && (!std::isfinite(dear[cheapest]) || log_costs[i].mean < log_costs[cheapest].mean))
      cheapest = i;
  EXPECT_EQ(best_of(dear), static_cast<std::int64_t>(cheapest));
}

TEST(SelectorGittins, ABatchIsOnePickAfterAnotherAndTheBestOfAllScores) {
  const SelectorScene scene;
  for (const FantasyMode mode : {FantasyMode::shared, FantasyMode::batched}) {
    SelectorOptions options = scene.options();
    options.fantasies.mode = mode;
    expect_a_batch_in_turn(scene, options, by_gittins(0.05, 5));
  }
}

TEST(SelectorGittins, WhatItCannotTakeIsRefused) {
  const SelectorScene scene;
  Selector selector = scene.ready();
  expect_error<InvalidOptions>([&] { suggest(selector, by_gittins(0)); }, {"gittins", "lambda above 0"});
  expect_error<InvalidOptions>([&] { dense_scores(selector, by_gittins(-1)); }, {"lambda is -1", "from 0"});
  expect_error<InvalidOptions>([&] { suggest(selector, by_gittins(NAN)); }, {"lambda is nan"});
  expect_error<InvalidOptions>([&] { suggest(selector, {.acquisition = Acquisition::random}); },
                               {"random", "scores no row"});
  SelectorOptions options = scene.options();
  options.cost.weight = CostWeight::moment;
  Selector moment = scene.ready(options);
  expect_error<InvalidOptions>([&] { suggest(moment, by_gittins(1)); }, {"moment", "gittins", "median or mean"});
}

}  // namespace
}  // namespace carbo
