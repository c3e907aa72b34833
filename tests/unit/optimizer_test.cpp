#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include <carbo/carbo.hpp>

#include "support/toy_problems.hpp"

namespace carbo {
namespace {

using test::run;
using test::small_options;
using test::valley;
using test::valley_space;
using Visits = std::vector<std::vector<double>>;

std::shared_ptr<const Pool> grid_pool(const Space& space, int side) {
  std::vector<double> numbers;
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) {
      numbers.push_back((i + 0.37) / side);
      numbers.push_back((j + 0.61) / side);
    }
  }
  return std::make_shared<const Pool>(space, numbers, static_cast<std::size_t>(side) * side);
}

Visits visits(const Options& options, std::size_t batch = 1, double cost_factor = 1.0) {
  Optimizer optimizer(valley_space(), options);
  return run(
      optimizer,
      [&](const Configuration& x) {
        Evaluation evaluation = valley(x);
        evaluation.cost *= cost_factor;
        return evaluation;
      },
      batch);
}

TEST(Optimizer, FindsTheValleyAndSpendsTheBudget) {
  Optimizer optimizer(valley_space(), small_options(150));
  run(optimizer, valley);
  EXPECT_EQ(optimizer.stop_reason(), StopReason::budget);
  EXPECT_GE(optimizer.spent(), 150.0);
  ASSERT_TRUE(optimizer.best());
  double lowest = 1e9;
  for (int i = 0; i <= 400; ++i) {
    for (int j = 0; j <= 400; ++j) {
      const std::vector<double> numbers{i / 400.0, j / 400.0};
      lowest = std::min(lowest, valley(valley_space().configuration(numbers)).objective);
    }
  }
  EXPECT_LT(optimizer.best()->objective, lowest + 1e-3);
}

TEST(Optimizer, PhasesFollowTheBudget) {
  Optimizer optimizer(valley_space(), small_options(400));
  double spent = 0;
  std::vector<Phase> phases;
  double alpha_before = 1.0;
  double spent_at_design_end = 0;
  while (!optimizer.done()) {
    const Suggestion suggestion = optimizer.ask(1).at(0);
    const Receipt& receipt = suggestion.receipt;
    phases.push_back(receipt.phase);
    EXPECT_NEAR(receipt.spent, spent, 1e-9 * (1 + spent));
    EXPECT_EQ(receipt.backend, "cpu");
    if (receipt.phase == Phase::design) {
      EXPECT_LT(spent, 400.0 / 8);
      EXPECT_TRUE(receipt.fill && *receipt.fill > 0 && *receipt.fill < std::sqrt(2.0));
    }
    if (receipt.phase == Phase::search) {
      if (spent_at_design_end == 0) spent_at_design_end = spent;
      ASSERT_TRUE(receipt.alpha && receipt.log_score && receipt.predicted_cost && receipt.predicted_objective);
      EXPECT_NEAR(*receipt.alpha, (400 - spent) / (400 - spent_at_design_end), 1e-12);
      EXPECT_LE(*receipt.alpha, alpha_before);
      alpha_before = *receipt.alpha;
      ASSERT_TRUE(receipt.runner_up_log_score);
      EXPECT_LE(*receipt.runner_up_log_score, *receipt.log_score);
    }
    const Evaluation evaluation = valley(suggestion.configuration);
    spent += evaluation.cost;
    optimizer.tell(suggestion.id, evaluation);
  }
  EXPECT_TRUE(std::is_sorted(phases.begin(), phases.end()));
  EXPECT_EQ(std::count(phases.begin(), phases.end(), Phase::warm_start), 5);
  EXPECT_GT(std::count(phases.begin(), phases.end(), Phase::design), 3);
  EXPECT_GT(std::count(phases.begin(), phases.end(), Phase::search), 10);
}

TEST(Optimizer, SameSeedSameSuggestionsForAnyThreadsAndTiles) {
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

TEST(Optimizer, OrderOfTellingDoesNotMatter) {
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

TEST(Optimizer, ScalingCostsAndBudgetTogetherChangesNothing) {
  const Visits one = visits(small_options(100), 2);
  Options scaled = small_options(100 * 1000);
  EXPECT_EQ(visits(scaled, 2, 1000.0), one);
}

TEST(Optimizer, ConstantCostMakesCoolingExpectedImprovement) {
  Options options = small_options(30);
  options.initial_design = InitialDesign::uniform;
  const auto constant_cost = [](const Configuration& x) { return Evaluation{valley(x).objective, 1.0}; };
  Optimizer cool(valley_space(), options);
  options.acquisition = Acquisition::ei;
  Optimizer plain(valley_space(), options);
  EXPECT_EQ(run(cool, constant_cost), run(plain, constant_cost));
}

TEST(Optimizer, ConstantCostMakesTheDesignFarthestPoint) {
  const Space space = valley_space();
  Options options = small_options(100);
  options.candidates.pool = grid_pool(space, 13);
  options.cost.known = [](const Configuration&) { return 1.0; };
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

TEST(Optimizer, TheDesignOfAPoolIsSpreadFromItsWarmStart) {
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

TEST(Optimizer, CoolingStartsAsExpectedImprovementPerCost) {
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

TEST(Optimizer, PendingPointsAreFantasisedLikeTheRestOfABatch) {
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

TEST(Optimizer, BatchedWithEqualHyperparametersIsShared) {
  Options options = small_options(60);
  options.surrogate.fixed = Hyperparameters{{0.4, 0.5}, 1.3, 1e-4, 0.1};
  const Visits shared = visits(options, 5);
  options.fantasies.mode = FantasyMode::batched;
  EXPECT_EQ(visits(options, 5), shared);
}

TEST(Optimizer, BatchesHoldDistinctPoints) {
  for (const Incumbent incumbent : {Incumbent::lowest_observed, Incumbent::posterior_mean}) {
    Options options = small_options(100);
    options.incumbent = incumbent;
    Visits seen = visits(options, 8);
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end());
  }
}

TEST(Optimizer, CostEffectiveDesignBuysMorePointsThanUniformDraws) {
  const auto design_points = [](const Options& options) {
    Optimizer optimizer(valley_space(), options);
    std::size_t count = 0;
    while (optimizer.spent() < options.budget / 2) {
      const Suggestion s = optimizer.ask(1).at(0);
      optimizer.tell(s.id, valley(s.configuration));
      ++count;
    }
    return count;
  };
  Options options = small_options(300);
  options.design.budget_share = 0.5;
  const std::size_t effective = design_points(options);
  options.design.warm_start = 10000;
  EXPECT_GT(static_cast<double>(effective), 1.4 * static_cast<double>(design_points(options)));
}

TEST(Optimizer, CallersPointsComeFirstInTheirOrder) {
  const Space space = valley_space();
  Options options = small_options(500);
  options.initial_design = InitialDesign::points;
  for (const double x : {0.9, 0.1, 0.5}) {
    options.design.points.push_back(space.configuration({{"x", x}, {"y", 0.25}}));
  }
  Optimizer optimizer(space, options);
  const auto first = optimizer.ask(2);
  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(first[0].configuration, options.design.points[0]);
  EXPECT_EQ(first[1].configuration, options.design.points[1]);
  for (const Suggestion& s : first) optimizer.tell(s.id, valley(s.configuration));
  const auto second = optimizer.ask(2);
  ASSERT_EQ(second.size(), 2U);
  EXPECT_EQ(second[0].configuration, options.design.points[2]);
  EXPECT_EQ(second[1].receipt.phase, Phase::search);
}

TEST(Optimizer, CallersPointsOfAPoolCarryTheirRowAndAreNotRepeated) {
  const Space space = valley_space();
  Options options = small_options(500);
  options.candidates.pool = grid_pool(space, 5);
  options.initial_design = InitialDesign::points;
  for (const std::size_t row : {7U, 7U, 3U}) {
    options.design.points.push_back(space.configuration(options.candidates.pool->row(row)));
  }
  Optimizer optimizer(space, options);
  const auto told = space.configuration(options.candidates.pool->row(3));
  optimizer.tell(told, valley(told));
  EXPECT_EQ(optimizer.ask(1).at(0).pool_index, 7U);
  EXPECT_EQ(optimizer.ask(1).at(0).receipt.phase, Phase::search) << "the copy and the told row are passed over";
}

TEST(Optimizer, AnAskThatThrewLosesNothing) {
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

TEST(Optimizer, MixedSpacesWithConstraintsKeepThem) {
  Space space{real("rate", 1e-4, 1.0).log(), integer("units", 4, 512).log(), categorical("kind", {"a", "b", "c"}),
              ordinal("level", {"low", "mid", "high"}), discrete("step", {1, 2, 4, 8})};
  space.constrain([](const Configuration& x) { return x.integer("units") * x.real("step") <= 600; }, "units * step");
  const auto evaluate = [](const Configuration& x) {
    const double miss = std::log10(x.real("rate")) + 2;
    return Evaluation{miss * miss + (x.category("kind") == "b" ? 0.0 : 0.5) +
                          0.1 * static_cast<double>(x.integer("level")) + 1 / x.real("step"),
                      0.1 + x.real("units") / 100};
  };
  Options options = small_options(40);
  Optimizer optimizer(space, options);
  while (!optimizer.done()) {
    for (const Suggestion& s : optimizer.ask(3)) {
      EXPECT_TRUE(space.allows(s.configuration)) << s.configuration.to_string();
      optimizer.tell(s.id, evaluate(s.configuration));
    }
  }
  EXPECT_EQ(optimizer.best()->configuration.category("kind"), "b");
  EXPECT_LT(optimizer.best()->objective, 0.25);
}

TEST(Optimizer, OneAndAHundredDimensions) {
  for (const std::size_t dimensions : {1U, 100U}) {
    std::vector<Parameter> parameters;
    for (std::size_t i = 0; i < dimensions; ++i) {
      std::string name = std::to_string(i);
      name.insert(name.begin(), 'x');
      parameters.push_back(real(name, 0, 1));
    }
    const auto sphere = [&](const Configuration& x) {
      double sum = 0;
      for (const double v : x.numbers()) sum += (v - 0.4) * (v - 0.4);
      return Evaluation{sum, 1 + x.numbers()[0]};
    };
    Options options = small_options(60);
    Optimizer optimizer{Space(parameters), options};
    run(optimizer, sphere, 4);
    const double first = optimizer.observations().front().objective;
    EXPECT_LT(optimizer.best()->objective, (dimensions == 1 ? 1e-4 : 0.8) * (dimensions == 1 ? 1.0 : first));
  }
}

TEST(Optimizer, ThousandsOfPriorPointsAreNoObstacle) {
  const Space space = valley_space();
  Options options = small_options(100);
  options.surrogate.fixed = Hyperparameters{{0.3, 0.3}, 1.0, 1e-4, {}};
  options.cost.surrogate.fixed = Hyperparameters{{1.0, 1.0}, 1.0, 1e-4, {}};
  Optimizer optimizer(space, options);
  for (int i = 0; i < 1500; ++i) {
    const auto point =
        space.configuration({{"x", std::fmod(0.618034 * i, 1.0)}, {"y", std::fmod(0.754878 * i, 1.0)}});
    optimizer.tell(point, valley(point));
  }
  const auto batch = optimizer.ask(3);
  ASSERT_EQ(batch.size(), 3U);
  for (const Suggestion& s : batch) EXPECT_NEAR(*s.receipt.predicted_cost / valley(s.configuration).cost, 1, 0.02);
}

TEST(Optimizer, ReceiptsOfASearchAreComplete) {
  Optimizer optimizer(valley_space(), small_options(200));
  Receipt receipt;
  while (receipt.phase != Phase::search) {
    const Suggestion s = optimizer.ask(1).at(0);
    receipt = s.receipt;
    optimizer.tell(s.id, valley(s.configuration));
  }
  EXPECT_GT(receipt.seconds.fit, 0.0);
  EXPECT_GT(receipt.seconds.candidates, 0.0);
  EXPECT_GT(receipt.seconds.sweep, 0.0);
  EXPECT_GT(receipt.seconds.pick, 0.0);
  EXPECT_GT(receipt.candidates, 400U);
  EXPECT_GT(*receipt.predicted_objective_sd, 0.0);
  EXPECT_GE(*receipt.predicted_log_cost_sd, 0.0);
  EXPECT_GE(receipt.objective_jitter, 0.0);
  for (const auto& calibration : {receipt.objective_calibration, receipt.cost_calibration}) {
    ASSERT_TRUE(calibration);
    EXPECT_TRUE(std::isfinite(calibration->log_density));
    EXPECT_TRUE(calibration->coverage >= 0 && calibration->coverage <= 1);
    EXPECT_GT(calibration->squared_residual, 0.0);
  }
}

TEST(Optimizer, PriorDataIsLearnedButNotSpent) {
  const Space space = valley_space();
  Optimizer optimizer(space, small_options(100));
  for (int i = 0; i < 12; ++i) {
    const auto point = space.configuration({{"x", 0.08 * i}, {"y", std::fmod(0.37 * i, 1.0)}});
    optimizer.tell(point, valley(point));
  }
  EXPECT_EQ(optimizer.spent(), 0.0);
  const Suggestion s = optimizer.ask(1).at(0);
  EXPECT_EQ(s.receipt.phase, Phase::design) << "prior costs stand in for the warm start";
  EXPECT_TRUE(s.receipt.predicted_cost);
  const auto own_run = space.configuration({{"x", 0.5}, {"y", 0.5}});
  optimizer.tell(own_run, valley(own_run), Origin::this_run);
  EXPECT_DOUBLE_EQ(optimizer.spent(), valley(own_run).cost);
}

TEST(Optimizer, MaximizeMirrorsMinimize) {
  Options options = small_options(80);
  const Visits down = visits(options);
  options.goal = Goal::maximize;
  Optimizer up(valley_space(), options);
  EXPECT_EQ(run(up, [](const Configuration& x) { return Evaluation{-valley(x).objective, valley(x).cost}; }), down);
  for (const Observation& seen : up.observations()) EXPECT_LE(seen.objective, up.best()->objective);
}

TEST(Optimizer, TransformsRunAndReportInTheCallersUnits) {
  for (const Transform transform : {Transform::none, Transform::log, Transform::rank}) {
    Options options = small_options(120);
    options.transform = transform;
    Optimizer optimizer(valley_space(), options);
    const auto positive = [](const Configuration& x) {
      return Evaluation{valley(x).objective + 0.2, valley(x).cost};
    };
    run(optimizer, positive);
    EXPECT_LT(optimizer.best()->objective, 0.22);
    const Suggestion s = [&] {
      Options again = options;
      again.budget = 1e4;
      Optimizer more(valley_space(), again);
      for (const Observation& seen : optimizer.observations())
        more.tell(seen.configuration, {seen.objective, seen.cost});
      return more.ask(1).at(0);
    }();
    ASSERT_TRUE(s.receipt.predicted_objective);
    EXPECT_GT(*s.receipt.predicted_objective, 0.0);
    EXPECT_LT(*s.receipt.predicted_objective, 4.0);
  }
}

TEST(Optimizer, CostWeightsAndKnownCostsRun) {
  for (const CostWeight weight : {CostWeight::median, CostWeight::mean, CostWeight::moment}) {
    Options options = small_options(60);
    options.cost.weight = weight;
    EXPECT_GT(visits(options, 2).size(), 8U);
  }
  Options options = small_options(60);
  options.cost.known = [](const Configuration& x) { return valley(x).cost; };
  Optimizer optimizer(valley_space(), options);
  const Suggestion first = optimizer.ask(1).at(0);
  EXPECT_EQ(first.receipt.phase, Phase::design);
  EXPECT_NEAR(*first.receipt.predicted_cost, valley(first.configuration).cost, 1e-12);
  EXPECT_EQ(*first.receipt.predicted_log_cost_sd, 0.0);
}

/// A third of the space fails a hundred times more cheaply than the rest costs.
TEST(Optimizer, CheapFailuresAreNotSought) {
  std::size_t picks = 0;
  std::size_t in_failing_region = 0;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    Optimizer optimizer(valley_space(), small_options(400, seed));
    while (!optimizer.done()) {
      const Suggestion s = optimizer.ask(1).at(0);
      const bool fails = s.configuration.real("y") > 0.65;
      if (s.receipt.phase == Phase::search) {
        ++picks;
        in_failing_region += fails;
      }
      const Evaluation evaluation = valley(s.configuration);
      if (fails) {
        optimizer.fail(s.id, evaluation.cost / 100, "diverged");
      } else {
        optimizer.tell(s.id, evaluation);
      }
    }
  }
  ASSERT_GT(picks, 100U);
  EXPECT_LT(static_cast<double>(in_failing_region), 0.2 * static_cast<double>(picks));
}

}  // namespace
}  // namespace carbo
