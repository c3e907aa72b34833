#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include <carbo/selector.hpp>

#include "support/selector_oracle.hpp"
#include "support/selector_scene.hpp"

// What a selector keeps from call to call: observations, rows that are running, hyperparameters.
namespace carbo {
namespace {

using namespace test;

TEST(SelectorObservations, InPartsGiveWhatTheyGiveAtOnce) {
  const SelectorScene scene;
  Selector at_once = scene.ready();
  Selector in_parts(scene.options());
  in_parts.append(scene.observations(0, 9));
  in_parts.set_pool({scene.rows()});
  dense_scores(in_parts);  // the models take up what there is
  in_parts.append(scene.observations(9, 1));
  dense_scores(in_parts);
  in_parts.append(scene.observations(10, 3));
  in_parts.append(scene.observations(13, scene.tried.size() - 13));
  EXPECT_EQ(in_parts.observations(), scene.tried.size());
  expect_same_scores(dense_scores(in_parts), dense_scores(at_once));
  expect_same_picks(suggest(in_parts, {.count = 5}), suggest(at_once, {.count = 5}));
}

TEST(SelectorObservations, ByRowAreThoseOfTheRowsPoints) {
  const SelectorScene scene;
  const std::vector<std::int64_t> rows = {17, 3, 250, 41, 8};
  std::vector<double> points, objectives, costs;
  for (const std::int64_t row : rows) {
    const auto& x = scene.pool[static_cast<std::size_t>(row)];
    points.insert(points.end(), x.begin(), x.end());
    objectives.push_back(some_objective(x));
    costs.push_back(some_cost(x));
  }
  Observations observations;
  observations.objectives = host_values(objectives.data(), rows.size());
  observations.costs = host_values(costs.data(), rows.size());
  Selector by_row(scene.options()), by_point(scene.options());
  by_row.set_pool({scene.rows()});
  by_point.set_pool({scene.rows()});
  observations.rows = host_indices(rows.data(), rows.size());
  by_row.append(observations);
  observations.rows = {};
  observations.points = host_rows(points.data(), rows.size(), 3);
  by_point.append(observations);
  const std::vector<double> found = dense_scores(by_row);
  std::vector<double> expected = dense_scores(by_point);
  for (const std::int64_t row : rows) expected[static_cast<std::size_t>(row)] = -infinity;
  expect_same_scores(found, expected);
  EXPECT_EQ(by_row.available(), scene.pool.size() - rows.size());
}

TEST(SelectorObservations, ByRowNeedNoCostsWhereThePoolHasThem) {
  const SelectorScene scene;
  const std::vector<std::int64_t> rows = {17, 3, 250, 41, 8};
  std::vector<double> objectives, costs;
  for (const std::int64_t row : rows) {
    objectives.push_back(some_objective(scene.pool[static_cast<std::size_t>(row)]));
    costs.push_back(scene.pool_costs[static_cast<std::size_t>(row)]);
  }
  Observations observations;
  observations.rows = host_indices(rows.data(), rows.size());
  observations.objectives = host_values(objectives.data(), rows.size());
  Selector without(scene.options()), with(scene.options());
  without.set_pool(scene.known_cost_pool());
  with.set_pool(scene.known_cost_pool());
  without.append(observations);
  observations.costs = host_values(costs.data(), rows.size());
  with.append(observations);
  EXPECT_EQ(dense_scores(without), dense_scores(with));
  for (Selector* const selector : {&without, &with})
    selector->set_pool({scene.rows()});  // they are learned from here on
  EXPECT_EQ(dense_scores(without), dense_scores(with));
}

/// Observes one row of the pool.
void append_row(Selector& selector, const SelectorScene& scene, std::int64_t row) {
  const auto& x = scene.pool[static_cast<std::size_t>(row)];
  const double objective = some_objective(x), cost = some_cost(x);
  selector.append(
      {.rows = host_indices(&row, 1), .objectives = host_values(&objective, 1), .costs = host_values(&cost, 1)});
}

/// Two results of one row are two observations.
TEST(SelectorObservations, OfOneRowMayBeSeveral) {
  const SelectorScene scene;
  const std::int64_t rows[] = {12, 12};
  const double objectives[] = {0.25, 0.75}, costs[] = {2, 2};
  Selector selector = scene.ready();
  selector.append(
      {.rows = host_indices(rows, 2), .objectives = host_values(objectives, 2), .costs = host_values(costs, 2)});
  EXPECT_EQ(selector.observations(), scene.tried.size() + 2);
  EXPECT_EQ(selector.available(), scene.pool.size() - 1);
  const std::vector<double> scores = dense_scores(selector);
  EXPECT_EQ(std::count(scores.begin(), scores.end(), -infinity), 1);
  EXPECT_EQ(scores[12], -infinity);
}

TEST(SelectorObservations, MayBeSuggestedAgainWhereThatIsAllowed) {
  SelectorScene scene(6, 12);
  SelectorOptions options = scene.options();
  for (const bool allowed : {false, true}) {
    options.allow_repeats = allowed;
    Selector selector = scene.ready(options);
    for (std::int64_t row = 0; row < 6; ++row) append_row(selector, scene, row);
    EXPECT_EQ(selector.available(), allowed ? 6u : 0u);
    if (allowed) {
      EXPECT_EQ(suggest(selector, {}).rows.size(), 1u);
    }
  }
}

TEST(SelectorRunning, RowsAreNeverSuggestedTwice) {
  const SelectorScene scene(40);
  Selector selector = scene.ready();
  std::set<std::int64_t> seen;
  for (std::size_t round = 0; round < 4; ++round) {
    const Picked picked = suggest(selector, {.count = 10});
    seen.insert(picked.rows.begin(), picked.rows.end());
    EXPECT_EQ(seen.size(), 10 * (round + 1));
    EXPECT_EQ(selector.running() + selector.available(), 40u);
  }
  for (const double score : dense_scores(selector)) EXPECT_EQ(score, -infinity);
}

TEST(SelectorRunning, EndsWithTheResult) {
  const SelectorScene scene;
  Selector selector = scene.ready();
  const Picked picked = suggest(selector, {.count = 3});
  append_row(selector, scene, picked.rows[1]);
  EXPECT_EQ(selector.running(), 2u);
  EXPECT_EQ(selector.observations(), scene.tried.size() + 1);
  EXPECT_EQ(selector.available(), scene.pool.size() - 3);
  const Picked next = suggest(selector, {.count = 5});
  EXPECT_EQ(std::count(next.rows.begin(), next.rows.end(), picked.rows[1]), 0);
}

/// A row that was withdrawn leaves no trace: what is suggested next is what would have been.
TEST(SelectorRunning, WithdrawnRowsMayBeSuggestedAgain) {
  const SelectorScene scene;
  Selector selector = scene.ready();
  const std::vector<double> before = dense_scores(selector);
  const Picked first = suggest(selector, {});
  selector.withdraw(host_indices(first.rows.data(), 1));
  EXPECT_EQ(selector.running(), 0u);
  EXPECT_EQ(selector.available(), scene.pool.size());
  EXPECT_EQ(dense_scores(selector), before);
  expect_same_picks(suggest(selector, {}), first);
}

TEST(SelectorPools, AnotherOneStartsWithEveryRow) {
  const SelectorScene scene, other(200, 1, 77);
  Selector selector = scene.ready();
  suggest(selector, {.count = 4});
  append_row(selector, scene, 5);
  selector.set_pool({other.rows()});
  EXPECT_EQ(selector.pool_size(), 200u);
  EXPECT_EQ(selector.available(), 200u);
  EXPECT_EQ(selector.running(), 0u);
  EXPECT_EQ(selector.observations(), scene.tried.size() + 1);
  Selector fresh(scene.options());
  fresh.set_pool({scene.rows()});
  fresh.append(scene.observations());
  append_row(fresh, scene, 5);
  fresh.set_pool({other.rows()});
  expect_same_scores(dense_scores(selector), dense_scores(fresh));
}

TEST(SelectorPools, CostsThatAreKnownMayComeAndGo) {
  const SelectorScene scene;
  Selector learned = scene.ready(), known(scene.options());
  known.append(scene.observations());
  known.set_pool(scene.known_cost_pool());
  const std::vector<double> with_known = dense_scores(known), with_learned = dense_scores(learned);
  known.set_pool({scene.rows()});
  expect_same_scores(dense_scores(known), with_learned);
  learned.set_pool(scene.known_cost_pool());
  expect_same_scores(dense_scores(learned), with_known);
}

TEST(SelectorPools, HostRowsAreCopied) {
  SelectorScene scene;
  Selector selector = scene.ready();
  const std::vector<double> before = dense_scores(selector);
  std::fill(scene.flat_pool.begin(), scene.flat_pool.end(), not_a_number);
  std::fill(scene.flat_tried.begin(), scene.flat_tried.end(), not_a_number);
  EXPECT_EQ(dense_scores(selector), before);
}

/// Fitted once: what is appended later is taken up with the same hyperparameters, as if they had been given.
TEST(SelectorFitting, OnlyFitChangesTheHyperparameters) {
  const SelectorScene scene;
  SelectorOptions options = scene.options();
  options.surrogate.fixed.reset();
  Selector learning(options);
  learning.set_pool(scene.known_cost_pool());
  learning.append(scene.observations(0, 16));
  const SelectorFit fitted = learning.fit();
  EXPECT_EQ(fitted.observations, 16u);
  EXPECT_EQ(fitted.cost_model, CostModelKind::known);
  ASSERT_EQ(fitted.objective.lengthscales.size(), 3u);
  learning.append(scene.observations(16, scene.tried.size() - 16));
  options.surrogate.fixed = fitted.objective;
  Selector given(options);
  given.set_pool(scene.known_cost_pool());
  given.append(scene.observations());
  expect_same_picks(suggest(learning, {.count = 4}), suggest(given, {.count = 4}));
  const SelectorFit again = learning.fit();
  EXPECT_EQ(again.observations, scene.tried.size());
  EXPECT_NE(again.objective.lengthscales, fitted.objective.lengthscales);
}

TEST(SelectorFitting, TheFirstSuggestionFitsByItself) {
  const SelectorScene scene;
  SelectorOptions options = scene.options();
  options.surrogate.fixed.reset();
  options.cost.surrogate.fixed.reset();
  Selector asked = scene.ready(options), by_itself = scene.ready(options);
  asked.fit();
  expect_same_picks(suggest(by_itself, {.count = 3}), suggest(asked, {.count = 3}));
}

TEST(SelectorDesign, IsAlgorithmOneOverKnownCosts) {
  const SelectorScene scene(120);
  Selector selector(scene.options());
  selector.set_pool(scene.known_cost_pool());
  EXPECT_EQ(design(selector, {.count = 5}), oracle::design_rows(scene.pool, scene.pool_costs, {}, 5));
  EXPECT_EQ(selector.running(), 5u);
}

/// Observed points and running rows count as part of the design.
TEST(SelectorDesign, KeepsAwayFromWhatIsKnown) {
  const SelectorScene scene(120);
  Selector selector(scene.options());
  selector.set_pool(scene.known_cost_pool());
  selector.append(scene.observations());
  const auto expected = oracle::design_rows(scene.pool, scene.pool_costs, scene.tried, 6);
  std::vector<std::int64_t> found = design(selector, {.count = 2});
  const auto later = design(selector, {.count = 4});
  found.insert(found.end(), later.begin(), later.end());
  EXPECT_EQ(found, expected);
}

TEST(SelectorDesign, LearnsCostsAndKeepsToTheirLimit) {
  const SelectorScene scene(120);
  Selector selector = scene.ready();
  std::vector<double> medians;
  for (const auto& one : oracle::log_costs(cost_gp(), scene.tried, scene.costs, scene.pool))
    medians.push_back(static_cast<double>(std::exp(one.mean)));
  std::vector<double> sorted = medians;
  std::sort(sorted.begin(), sorted.end());
  const double limit = 0.5 * (sorted[29] + sorted[30]);
  EXPECT_EQ(design(selector, {.count = 4, .cost_limit = limit}),
            oracle::design_rows(scene.pool, medians, scene.tried, 4, limit));
}

TEST(SelectorMoves, CarryEverythingAlong) {
  const SelectorScene scene;
  Selector original = scene.ready(), reference = scene.ready();
  suggest(original, {});
  suggest(reference, {});
  Selector moved(std::move(original));
  EXPECT_EQ(moved.running(), 1u);
  Selector assigned(scene.options());
  assigned = std::move(moved);
  expect_same_picks(suggest(assigned, {.count = 2}), suggest(reference, {.count = 2}));
  EXPECT_FALSE(assigned.on_device());
  EXPECT_NE(assigned.backend_reason().find("cpu"), std::string::npos) << assigned.backend_reason();
}

}  // namespace
}  // namespace carbo
