#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include <carbo/carbo.hpp>

#include "support/toy_problems.hpp"

namespace carbo {
namespace {

using namespace test;

TEST(OptimizerProperties, SameSeedSameSuggestionsForAnyThreadsAndTiles) {
  Options options = small_options(120);
  options.candidates.count = 1000;
  const Visits expected = visits(options, 3);
  ASSERT_GT(expected.size(), 15U);
  for (const auto& [threads, tile] : {std::pair{2, 0}, {7, 0}, {1, 1}, {2, 300}, {7, 1000}}) {
    options.backend.threads = static_cast<std::size_t>(threads);
    options.backend.tile = static_cast<std::size_t>(tile);
    EXPECT_EQ(visits(options, 3), expected) << threads << " threads, tiles of " << tile;
  }
  options.seed = 4;
  EXPECT_NE(visits(options, 3), expected);
}

TEST(OptimizerProperties, OrderOfTellingDoesNotMatter) {
  Options options = small_options(200);
  options.batch_size = 4;
  Optimizer forward(valley_space(), options);
  Optimizer backward(valley_space(), options);
  for (int round = 0; round < 6; ++round) {
    const auto a = forward.ask(4);
    auto b = backward.ask(4);
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) ASSERT_EQ(a[i].configuration, b[i].configuration) << "round " << round;
    const auto report = [](Optimizer& optimizer, const Suggestion& s) {
      if (s.id % 5 == 3) return optimizer.fail(s.id, 2.0, "lost", s.id % 2 == 0);
      optimizer.tell(s.id, valley(s.configuration));
    };
    const auto prior = valley_space().configuration({{"x", 0.1 * round}, {"y", 0.5}});
    forward.tell(prior, valley(prior));
    for (const Suggestion& s : a) report(forward, s);
    std::reverse(b.begin(), b.end());
    for (const Suggestion& s : b) report(backward, s);
    backward.tell(prior, valley(prior));
  }
  EXPECT_EQ(forward.spent(), backward.spent());
}

TEST(OptimizerProperties, ScalingCostsAndBudgetTogetherChangesNothing) {
  const Visits one = visits(small_options(100), 2);
  Options scaled = small_options(100 * 1000);
  EXPECT_EQ(visits(scaled, 2, 1000.0), one);
}

TEST(OptimizerProperties, ConstantCostMakesCoolingExpectedImprovement) {
  Options options = small_options(30);
  options.initial_design = InitialDesign::uniform;
  const auto constant_cost = [](const Configuration& x) { return Evaluation{valley(x).objective, 1.0}; };
  Optimizer cool(valley_space(), options);
  options.acquisition = Acquisition::ei;
  Optimizer plain(valley_space(), options);
  EXPECT_EQ(run(cool, constant_cost), run(plain, constant_cost));
}

TEST(OptimizerProperties, ConstantCostMakesTheDesignFarthestPoint) {
  const Space space = valley_space();
  Options options = small_options(100);
  options.candidates.pool = grid_pool(space, 13);
  options.cost.known = [](const Configuration&) { return 1.0; };
  options.initial_design = InitialDesign::paper;
  Optimizer optimizer(space, options);
  Visits design;
  for (int step = 0; step < 12; ++step) {
    const Suggestion s = optimizer.ask(1).at(0);
    ASSERT_EQ(s.receipt.phase, Phase::design);
    const std::vector<double> point(s.configuration.numbers().begin(), s.configuration.numbers().end());
    const auto distance = [&](std::span<const double> row) {
      double nearest = std::numeric_limits<double>::infinity();
      for (const auto& d : design) nearest = std::min(nearest, std::hypot(row[0] - d[0], row[1] - d[1]));
      return nearest;
    };
    double farthest = 0;
    for (std::size_t i = 0; i < options.candidates.pool->size(); ++i) {
      farthest = std::max(farthest, distance(options.candidates.pool->row(i)));
    }
    if (step == 0) {
      EXPECT_EQ(s.pool_index, 0U) << "all tied: the lowest index is left";
    } else {
      EXPECT_NEAR(distance(point), farthest, 1e-12);
    }
    design.push_back(point);
    optimizer.tell(s.id, {valley(s.configuration).objective, 1.0});
  }
}

/// Distance of the emptiest candidate to everything suggested so far.
double brute_force_fill(const Pool& pool, const Visits& design) {
  double fill = 0;
  for (std::size_t i = 0; i < pool.size(); ++i) {
    double nearest = std::numeric_limits<double>::infinity();
    for (const auto& d : design)
      nearest = std::min(nearest, std::hypot(pool.row(i)[0] - d[0], pool.row(i)[1] - d[1]));
    fill = std::max(fill, nearest);
  }
  return fill;
}

TEST(OptimizerProperties, TheDesignOfAPoolIsSpreadFromItsWarmStart) {
  const Space space = valley_space();
  Options options = small_options(1000);
  options.candidates.pool = grid_pool(space, 21);
  Optimizer optimizer(space, options);
  Visits design;
  for (int step = 0; step < 12; ++step) {
    const Suggestion s = optimizer.ask(1).at(0);
    design.emplace_back(s.configuration.numbers().begin(), s.configuration.numbers().end());
    if (s.receipt.phase == Phase::design) {
      EXPECT_NEAR(*s.receipt.fill, brute_force_fill(*options.candidates.pool, design), 1e-12) << "step " << step;
    }
    optimizer.tell(s.id, valley(s.configuration));
  }
}

TEST(OptimizerProperties, CoolingStartsAsExpectedImprovementPerCost) {
  Options options = small_options(300);
  options.initial_design = InitialDesign::uniform;
  Optimizer cool(valley_space(), options);
  options.acquisition = Acquisition::ei_per_cost;
  Optimizer per_cost(valley_space(), options);
  for (int i = 0; i < 5; ++i) {
    const Suggestion a = cool.ask(1).at(0);
    const Suggestion b = per_cost.ask(1).at(0);
    ASSERT_EQ(a.configuration, b.configuration);
    cool.tell(a.id, valley(a.configuration));
    per_cost.tell(b.id, valley(b.configuration));
  }
  const Suggestion a = cool.ask(1).at(0);
  const Suggestion b = per_cost.ask(1).at(0);
  EXPECT_EQ(a.receipt.alpha, 1.0);
  EXPECT_EQ(a.configuration, b.configuration);
  EXPECT_EQ(a.receipt.log_score, b.receipt.log_score);
}

TEST(OptimizerProperties, PendingPointsAreFantasisedLikeTheRestOfABatch) {
  const Space space = valley_space();
  for (const FantasyMode mode : {FantasyMode::shared, FantasyMode::batched}) {
    Options options = small_options(1000);
    options.candidates.pool = grid_pool(space, 20);
    options.acquisition = Acquisition::ei;
    options.initial_design = InitialDesign::uniform;
    options.fantasies.mode = mode;
    Optimizer together(space, options);
    Optimizer one_by_one(space, options);
    for (const Suggestion& s : together.ask(5)) together.tell(s.id, valley(s.configuration));
    for (const Suggestion& s : one_by_one.ask(5)) one_by_one.tell(s.id, valley(s.configuration));
    const auto batch = together.ask(6);
    for (const Suggestion& expected : batch) {
      EXPECT_EQ(one_by_one.ask(1).at(0).pool_index, expected.pool_index);
    }
    EXPECT_EQ(one_by_one.pending().size(), 6U);
  }
}

TEST(OptimizerProperties, BatchedWithEqualHyperparametersIsShared) {
  Options options = small_options(60);
  options.surrogate.fixed = Hyperparameters{{0.4, 0.5}, 1.3, 1e-4, 0.1};
  const Visits shared = visits(options, 5);
  options.fantasies.mode = FantasyMode::batched;
  EXPECT_EQ(visits(options, 5), shared);
}

TEST(OptimizerProperties, BatchesHoldDistinctPoints) {
  for (const Incumbent incumbent : {Incumbent::lowest_observed, Incumbent::posterior_mean}) {
    Options options = small_options(100);
    options.incumbent = incumbent;
    Visits seen = visits(options, 8);
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end());
  }
}

TEST(OptimizerProperties, AnAskThatThrewLosesNothing) {
  const Space space = valley_space();
  Options options = small_options(500);
  options.initial_design = InitialDesign::points;
  for (const double x : {0.9, 0.1}) options.design.points.push_back(space.configuration({{"x", x}, {"y", 0.25}}));
  bool broken = true;
  options.cost.known = [&](const Configuration& x) {
    return broken ? std::numeric_limits<double>::quiet_NaN() : valley(x).cost;
  };
  Optimizer optimizer(space, options);
  EXPECT_THROW(optimizer.ask(2), InvalidOptions);
  EXPECT_TRUE(optimizer.pending().empty());
  broken = false;
  const auto points = optimizer.ask(2);
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[0].configuration, options.design.points[0]);
  for (const Suggestion& s : points) optimizer.tell(s.id, valley(s.configuration));
  broken = true;
  EXPECT_THROW(optimizer.ask(3), InvalidOptions);
  EXPECT_EQ(optimizer.observations().size(), 2U);
  broken = false;
  EXPECT_EQ(optimizer.ask(3).size(), 3U);
}

TEST(OptimizerProperties, MaximizeMirrorsMinimize) {
  Options options = small_options(80);
  const Visits down = visits(options);
  options.goal = Goal::maximize;
  Optimizer up(valley_space(), options);
  EXPECT_EQ(run(up, [](const Configuration& x) { return Evaluation{-valley(x).objective, valley(x).cost}; }), down);
  for (const Observation& seen : up.observations()) EXPECT_LE(seen.objective, up.best()->objective);
}

}  // namespace
}  // namespace carbo
