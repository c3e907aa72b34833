#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <optional>

#include <carbo/error.hpp>
#include <carbo/selector.hpp>

#include "support/selector_oracle.hpp"
#include "support/selector_scene.hpp"
#include "unit/selector/pick_checks.hpp"

// What a selector scores and picks, beside plain loops.
namespace carbo {
namespace {

using namespace test;

std::vector<double> expected_scores(const SelectorScene& scene, double alpha,
                                    CostWeight weight = CostWeight::median) {
  return oracle::ei_cool(objective_gp(), scene.tried, scene.objectives, scene.pool,
                         oracle::log_costs(cost_gp(), scene.tried, scene.costs, scene.pool), alpha, weight);
}

std::vector<oracle::Posterior> known_log_costs(const std::vector<double>& costs) {
  std::vector<oracle::Posterior> logs;
  for (const double cost : costs) logs.push_back({std::log(static_cast<oracle::Real>(cost)), 0});
  return logs;
}

class SelectorWeight : public testing::TestWithParam<CostWeight> {};

TEST_P(SelectorWeight, ScoresAreThePlainLoopsAndTheirBestIsPicked) {
  const SelectorScene scene;
  SelectorOptions options = scene.options();
  options.cost.weight = GetParam();
  for (const double alpha : {0.0, 0.4, 1.0}) {
    SCOPED_TRACE(alpha);
    expect_scores_and_their_best(scene, options, {.alpha = alpha}, expected_scores(scene, alpha, GetParam()));
  }
}

INSTANTIATE_TEST_SUITE_P(All, SelectorWeight,
                         testing::Values(CostWeight::median, CostWeight::mean, CostWeight::moment));

TEST(SelectorPicks, ABatchIsOnePickAfterAnother) {
  const SelectorScene scene;
  expect_a_batch_in_turn(scene, scene.options(), {.count = 6, .alpha = 0.5});
}

/// While rows are running, the dense pass averages over the same fantasies as the search.
TEST(SelectorPicks, TheBestOfAllScoresIsPickedNextWhileRowsAreRunning) {
  const SelectorScene scene;
  for (const FantasyMode mode : {FantasyMode::shared, FantasyMode::batched}) {
    SelectorOptions options = scene.options();
    options.fantasies.mode = mode;
    Selector selector = scene.ready(options);
    const Picked first = suggest(selector, {.count = 3});
    const std::vector<double> scores = dense_scores(selector);
    for (const std::int64_t row : first.rows) EXPECT_EQ(scores[static_cast<std::size_t>(row)], -infinity);
    EXPECT_EQ(std::count(scores.begin(), scores.end(), -infinity), 3);
    const Picked next = suggest(selector, {});
    EXPECT_EQ(next.rows.at(0), best_of(scores));
    EXPECT_NEAR(next.scores.at(0), scores[static_cast<std::size_t>(next.rows[0])], score_tolerance);
  }
}

TEST(SelectorPicks, ThePosteriorMeansIncumbentIsPickedByTheDensePass) {
  const SelectorScene scene;
  SelectorOptions options = scene.options();
  options.incumbent = Incumbent::posterior_mean;
  Selector selector = scene.ready(options);
  suggest(selector, {.count = 2});
  const std::vector<double> scores = dense_scores(selector);
  EXPECT_EQ(suggest(selector, {}).rows.at(0), best_of(scores));
}

TEST(SelectorPicks, DoNotDependOnThreadsAndRepeatWithTheSeed) {
  const SelectorScene scene;
  SelectorOptions options = scene.options();
  Selector two = scene.ready(options);
  options.backend.threads = 1;
  options.backend.tile = 64;
  Selector one = scene.ready(options);
  const Picked expected = suggest(two, {.count = 8});
  const Picked found = suggest(one, {.count = 8});
  EXPECT_EQ(found.rows, expected.rows);
  EXPECT_EQ(found.scores, expected.scores);
}

TEST(SelectorPicks, MaximisingIsMinimisingTheNegative) {
  SelectorScene scene;
  Selector minimising = scene.ready();
  SelectorOptions options = scene.options();
  options.goal = Goal::maximize;
  for (double& value : scene.objectives) value = -value;
  Selector maximising = scene.ready(options);
  expect_same_picks(suggest(maximising, {.count = 5}), suggest(minimising, {.count = 5}));
}

TEST(SelectorPicks, KeepToTheCostLimit) {
  const SelectorScene scene;
  const auto log_costs = oracle::log_costs(cost_gp(), scene.tried, scene.costs, scene.pool);
  std::vector<double> medians;
  for (const auto& one : log_costs) medians.push_back(static_cast<double>(std::exp(one.mean)));
  std::vector<double> sorted = medians;
  std::sort(sorted.begin(), sorted.end());
  const double limit = 0.5 * (sorted[3] + sorted[4]);  // four rows are cheap enough
  Selector selector = scene.ready();
  const std::vector<double> scores = dense_scores(selector, {.cost_limit = limit});
  for (std::size_t i = 0; i < scores.size(); ++i) EXPECT_EQ(std::isinf(scores[i]), medians[i] > limit) << i;
  const Picked picked = suggest(selector, {.count = 6, .cost_limit = limit});
  EXPECT_EQ(picked.rows.size(), 4u);
  for (const std::int64_t row : picked.rows) EXPECT_LE(medians[static_cast<std::size_t>(row)], limit);
  EXPECT_EQ(selector.running(), 4u);
  EXPECT_EQ(suggest(selector, {.cost_limit = limit}).rows.size(), 0u);
}

TEST(SelectorArrays, EveryLayoutGivesTheSamePicks) {
  const SelectorScene scene;
  Selector plain = scene.ready();
  const Picked expected = suggest(plain, {.count = 4});
  const std::size_t m = scene.pool.size(), n = scene.tried.size();
  for (const Order order : {Order::row_major, Order::column_major}) {
    for (const std::size_t gap : {0u, 5u}) {
      const bool by_rows = order == Order::row_major;
      const std::size_t pool_leading = (by_rows ? 3 : m) + gap, tried_leading = (by_rows ? 3 : n) + gap;
      const auto pool = spread<double>(scene.pool, order, pool_leading);
      const auto tried = spread<double>(scene.tried, order, tried_leading);
      Selector selector(scene.options());
      selector.set_pool({{pool.data(), Scalar::float64, Memory::host, order, m, 3, pool_leading}});
      Observations observations = scene.observations();
      observations.points = {tried.data(), Scalar::float64, Memory::host, order, n, 3, tried_leading};
      selector.append(observations);
      const Picked found = suggest(selector, {.count = 4});
      EXPECT_EQ(found.rows, expected.rows);
      EXPECT_EQ(found.scores, expected.scores);
    }
  }
}

/// Single precision arrays give what their values give in double precision.
TEST(SelectorArrays, SinglePrecisionIsTakenAsItIs) {
  SelectorScene scene;
  const auto pool = spread<float>(scene.pool, Order::column_major, scene.pool.size());
  const auto tried = spread<float>(scene.tried, Order::row_major, 3);
  const std::vector<float> objectives(scene.objectives.begin(), scene.objectives.end());
  const std::vector<float> costs(scene.costs.begin(), scene.costs.end());
  Selector single(scene.options());
  single.set_pool({host_columns(pool.data(), scene.pool.size(), 3)});
  single.append({.points = host_rows(tried.data(), scene.tried.size(), 3),
                 .objectives = host_values(objectives.data(), objectives.size()),
                 .costs = host_values(costs.data(), costs.size())});
  const auto round = [](std::vector<double>& values) {
    for (double& value : values) value = static_cast<float>(value);
  };
  for (auto* values : {&scene.flat_pool, &scene.flat_tried, &scene.objectives, &scene.costs}) round(*values);
  Selector rounded = scene.ready();
  const Picked found = suggest(single, {.count = 4}), expected = suggest(rounded, {.count = 4});
  EXPECT_EQ(found.rows, expected.rows);
  EXPECT_EQ(found.scores, expected.scores);
}

TEST(SelectorScores, InSinglePrecisionAreTheRoundedOnes) {
  const SelectorScene scene;
  Selector selector = scene.ready();
  suggest(selector, {});
  const std::vector<double> scores = dense_scores(selector);
  std::vector<float> single(scores.size());
  selector.scores({}, host_room(single.data(), single.size()));
  for (std::size_t i = 0; i < scores.size(); ++i) EXPECT_EQ(single[i], static_cast<float>(scores[i])) << i;
}

TEST(SelectorScores, OutliveTheSelector) {
  const SelectorScene scene;
  std::optional<Selector> selector(scene.ready());
  const std::vector<double> expected = dense_scores(*selector);
  const OwnedVector doubles = selector->scores({}), singles = selector->scores({}, Scalar::float32);
  selector.reset();
  ASSERT_EQ(doubles.size, expected.size());
  ASSERT_EQ(singles.size, expected.size());
  EXPECT_EQ(doubles.scalar, Scalar::float64);
  EXPECT_EQ(singles.scalar, Scalar::float32);
  EXPECT_EQ(doubles.memory, Memory::host);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(static_cast<const double*>(doubles.data.get())[i], expected[i]);
    EXPECT_EQ(static_cast<const float*>(singles.data.get())[i], static_cast<float>(expected[i]));
  }
}

TEST(SelectorCosts, KnownOnesEnterAsTheyAre) {
  const SelectorScene scene;
  Selector selector(scene.options());
  selector.set_pool(scene.known_cost_pool());
  selector.append(scene.observations());
  const std::vector<double> expected = oracle::ei_cool(objective_gp(), scene.tried, scene.objectives, scene.pool,
                                                       known_log_costs(scene.pool_costs), 0.7);
  expect_same_scores(dense_scores(selector, {.alpha = 0.7}), expected);
  EXPECT_EQ(suggest(selector, {.alpha = 0.7}).rows.at(0), best_of(expected));
}

/// Costs that are exactly a sum of the features are learned to rounding (1e-6: the robust fit ends by a tolerance).
TEST(SelectorCosts, ALinearModelSeesTheColumnsByName) {
  SelectorScene scene;
  const auto cost = [](const std::vector<double>& x) { return 2 + 5 * x[0] * x[1] + 3 * x[2]; };
  for (std::size_t i = 0; i < scene.tried.size(); ++i) scene.costs[i] = cost(scene.tried[i]);
  for (std::size_t i = 0; i < scene.pool.size(); ++i) scene.pool_costs[i] = cost(scene.pool[i]);
  SelectorOptions options = scene.options();
  options.cost = {.model = CostModelKind::linear, .features = {work("x0 * x1"), work("x2")}};
  Selector selector = scene.ready(options);
  const std::vector<double> expected = oracle::ei_cool(objective_gp(), scene.tried, scene.objectives, scene.pool,
                                                       known_log_costs(scene.pool_costs), 1.0);
  expect_same_scores(dense_scores(selector), expected, 1e-6);
  EXPECT_EQ(suggest(selector, {}).rows.at(0), best_of(expected));
  EXPECT_EQ(selector.fit().cost_model, CostModelKind::linear);
}

TEST(SelectorCosts, AFunctionSeesTheColumnsAsParameters) {
  const SelectorScene scene;
  SelectorOptions options = scene.options();
  options.cost = {.model = CostModelKind::known};
  options.cost.known = [](const Configuration& x) { return some_cost({x.real("x0"), x.real("x1"), x.real("x2")}); };
  Selector by_function = scene.ready(options);
  Selector by_value(scene.options());
  by_value.set_pool(scene.known_cost_pool());
  by_value.append(scene.observations());
  expect_same_picks(suggest(by_function, {.count = 4}), suggest(by_value, {.count = 4}));
}

TEST(CoolingExponent, FallsFromOneToZeroWithTheBudget) {
  EXPECT_EQ(cooling_exponent(100, 20, 20), 1);
  EXPECT_EQ(cooling_exponent(100, 60, 20), 0.5);
  EXPECT_THROW(cooling_exponent(not_a_number, 60, 20), InvalidOptions);
  EXPECT_THROW(cooling_exponent(100, infinity, 20), InvalidOptions);
  EXPECT_THROW(cooling_exponent(100, 60, not_a_number), InvalidOptions);
  EXPECT_EQ(cooling_exponent(100, 130, 20), 0);
  EXPECT_EQ(cooling_exponent(100, 10, 20), 1);
  EXPECT_EQ(cooling_exponent(100, 100, 100), 0);
}

}  // namespace
}  // namespace carbo
