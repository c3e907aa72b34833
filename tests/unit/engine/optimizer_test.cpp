#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include <carbo/carbo.hpp>

#include "support/sanitized.hpp"
#include "support/toy_problems.hpp"

namespace carbo {
namespace {

using namespace test;

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
  Options options = cooled_options(400);
  options.initial_design = InitialDesign::paper;
  Optimizer optimizer(valley_space(), options);
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
  options.initial_design = InitialDesign::paper;
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
  const Options options = small_options(sanitized ? 8 : 40);
  Optimizer optimizer(space, options);
  while (!optimizer.done()) {
    for (const Suggestion& s : optimizer.ask(3)) {
      EXPECT_TRUE(space.allows(s.configuration)) << s.configuration.to_string();
      optimizer.tell(s.id, evaluate(s.configuration));
    }
  }
  if (sanitized) return;  // too short a study to come near the optimum
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
    Optimizer optimizer{Space(parameters), small_options(!sanitized ? 60 : dimensions == 1 ? 20 : 8)};
    run(optimizer, sphere, 4);
    if (sanitized) continue;  // too short a study to come near the optimum
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
  for (int i = 0; i < (sanitized ? 500 : 1500); ++i) {
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
  EXPECT_LT(*receipt.predicted_objective_lower, *receipt.predicted_objective);
  EXPECT_GT(*receipt.predicted_objective_upper, *receipt.predicted_objective);
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
  Options options = small_options(100);
  options.initial_design = InitialDesign::paper;
  Optimizer optimizer(space, options);
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

TEST(Optimizer, TransformsRunAndReportInTheCallersUnits) {
  for (const Transform transform : {Transform::none, Transform::log, Transform::rank, Transform::shifted_log,
                                    Transform::power, Transform::half_rank, Transform::automatic}) {
    Options options = small_options(sanitized ? 30 : 120);
    options.transform = transform;
    Optimizer optimizer(valley_space(), options);
    const auto positive = [](const Configuration& x) {
      return Evaluation{valley(x).objective + 0.2, valley(x).cost};
    };
    run(optimizer, positive);
    EXPECT_LT(optimizer.best()->objective, sanitized ? 0.6 : 0.22);
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
  for (std::uint64_t seed = 0; seed < cases(5); ++seed) {
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
  ASSERT_GT(picks, sanitized ? 20U : 100U);
  EXPECT_LT(static_cast<double>(in_failing_region), 0.2 * static_cast<double>(picks));
}

}  // namespace
}  // namespace carbo
