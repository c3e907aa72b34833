#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <carbo/error.hpp>
#include <carbo/selector.hpp>

#include "acquisition/spec.hpp"
#include "support/expect_error.hpp"
#include "support/mes_oracle.hpp"
#include "support/random.hpp"
#include "support/selector_oracle.hpp"
#include "support/selector_scene.hpp"
#include "unit/selector/pick_checks.hpp"

// Max-value entropy search over a pool, beside plain loops.
namespace carbo {
namespace {

using namespace test;
using oracle::Real;

PickRequest by_mes(double alpha, std::size_t count = 1) {
  return {.count = count, .alpha = alpha, .acquisition = Acquisition::mes_cool};
}

std::vector<Real> places(std::uint64_t seed) {
  std::vector<Real> places;
  for (std::uint64_t k = 0; k < kernels::extreme_samples; ++k)
    places.push_back((static_cast<Real>(k) + internal::uniform(seed, internal::Draw::extreme, k)) /
                     kernels::extreme_samples);
  return places;
}

std::vector<double> entropy_scores_of_plain_loops(const SelectorScene& scene, double alpha, CostWeight weight) {
  const oracle::Standardised targets(scene.objectives);
  const oracle::Regression regression(objective_gp(), scene.tried, targets.values);
  const auto log_costs = oracle::log_costs(cost_gp(), scene.tried, scene.costs, scene.pool);
  std::vector<oracle::Posterior> posterior;
  for (const auto& point : scene.pool) posterior.push_back(regression.at(point));
  const Real incumbent = *std::min_element(targets.values.begin(), targets.values.end());
  const std::vector<Real> samples = oracle::minimum_samples(posterior, places(scene.options().seed));
  std::vector<double> scores;
  for (std::size_t i = 0; i < scene.pool.size(); ++i) {
    Real gain = 0;
    for (const Real sampled : samples)
      gain +=
          oracle::entropy_gain((posterior[i].mean - std::min(sampled, incumbent)) / std::sqrt(posterior[i].variance));
    scores.push_back(static_cast<double>(std::log(gain / static_cast<Real>(samples.size())) +
                                         oracle::log_cost_weight(log_costs[i], alpha, weight)));
  }
  return scores;
}

TEST(SelectorMes, ScoresAreThePlainLoopsAndTheirBestIsPicked) {
  const SelectorScene scene;
  for (const CostWeight weight : {CostWeight::median, CostWeight::mean, CostWeight::moment})
    for (const double alpha : {0.0, 0.4, 1.0}) {
      SCOPED_TRACE(alpha);
      SelectorOptions options = scene.options();
      options.cost.weight = weight;
      expect_scores_and_their_best(scene, options, by_mes(alpha), entropy_scores_of_plain_loops(scene, alpha, weight),
                                   1e-7);
    }
}

TEST(SelectorMes, ABatchIsOnePickAfterAnotherAndTheBestOfAllScores) {
  const SelectorScene scene;
  for (const FantasyMode mode : {FantasyMode::shared, FantasyMode::batched})
    for (const Incumbent incumbent : {Incumbent::lowest_observed, Incumbent::posterior_mean}) {
      SelectorOptions options = scene.options();
      options.fantasies.mode = mode;
      options.incumbent = incumbent;
      expect_a_batch_in_turn(scene, options, by_mes(0.6, 5));
    }
}

/// More rows than the minimum is taken over, and more than a search takes at a time.
TEST(SelectorMes, ALargePoolGivesTheSameWhateverTheThreads) {
  const SelectorScene scene(12000);
  SelectorOptions options = scene.options();
  Selector two = scene.ready(options);
  options.backend.threads = 1;
  Selector one = scene.ready(options);
  EXPECT_EQ(dense_scores(one, by_mes(0.3)), dense_scores(two, by_mes(0.3)));
  const Picked first = suggest(one, by_mes(0.3, 3)), second = suggest(two, by_mes(0.3, 3));
  EXPECT_EQ(first.rows, second.rows);
  EXPECT_EQ(first.scores, second.scores);
}

TEST(SelectorMes, AlphaIsCheckedAsForEiCool) {
  const SelectorScene scene;
  Selector selector = scene.ready();
  expect_error<InvalidOptions>([&] { suggest(selector, by_mes(1.1)); }, {"alpha is 1.1", "0 to 1"});
  expect_error<InvalidOptions>([&] { dense_scores(selector, by_mes(NAN)); }, {"alpha is nan"});
}

}  // namespace
}  // namespace carbo
