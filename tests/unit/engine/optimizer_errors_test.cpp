#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>

#include <carbo/carbo.hpp>

#include "support/expect_error.hpp"
#include "support/not_finite.hpp"
#include "support/toy_problems.hpp"

namespace carbo {
namespace {

using namespace test;

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
using carbo::test::infinity;

TEST(OptimizerErrors, BudgetMustBeFiniteAndPositive) {
  for (const double budget : {0.0, -1.0, nan_value, infinity}) {
    Options options = small_options(budget);
    expect_error<InvalidOptions>([&] { Optimizer(valley_space(), options); }, {"budget", "above 0"});
  }
}

TEST(OptimizerErrors, SettingsOutOfRangeAreNamed) {
  const auto refused = [](auto change, const std::vector<std::string>& parts) {
    Options options = small_options(10);
    change(options);
    expect_error<InvalidOptions>([&] { Optimizer(valley_space(), options); }, parts);
  };
  refused([](Options& o) { o.batch_size = 0; }, {"batch_size"});
  refused([](Options& o) { o.max_evaluations = 0; }, {"max_evaluations"});
  refused([](Options& o) { o.target = nan_value; }, {"target"});
  refused([](Options& o) { o.fantasies.count = 0; }, {"fantasies.count"});
  refused([](Options& o) { o.design.budget_share = 1.0; }, {"design.budget_share"});
  refused([](Options& o) { o.design.budget_share = nan_value; }, {"design.budget_share"});
  refused([](Options& o) { o.candidates.count = 0; }, {"candidates.count"});
  refused([](Options& o) { o.candidates.local_share = 1.5; }, {"candidates.local_share"});
  refused([](Options& o) { o.surrogate.noise_floor = 0; }, {"surrogate.noise_floor"});
  refused([](Options& o) { o.cost.surrogate.restarts = 0; }, {"cost.surrogate.restarts"});
  refused(
      [](Options& o) {
        o.surrogate.fixed = Hyperparameters{{1.0}, 1, 0, {}};
      },
      {"surrogate.fixed.lengthscales", "2"});
  refused([](Options& o) { o.surrogate.fixed = Hyperparameters{{1.0, -2.0}, 1, 0, {}}; }, {"lengthscales[1]", "-2"});
  refused(
      [](Options& o) {
        o.surrogate.fixed = Hyperparameters{{1e-300, 1.0}, 1, 0, {}};
      },
      {"lengthscales[0]", "1e-100"});
  refused(
      [](Options& o) {
        o.surrogate.fixed = Hyperparameters{{1.0, 1.0}, 1e300, 0, {}};
      },
      {"signal_variance", "1e100"});
  refused(
      [](Options& o) {
        o.surrogate.fixed = Hyperparameters{{1.0, 1.0}, 1, 1e300, {}};
      },
      {"noise_variance", "1e100"});
  refused([](Options& o) { o.surrogate.fixed = Hyperparameters{{1.0, 1.0}, 1, 0, 1e300}; }, {"mean", "1e100"});
  refused([](Options& o) { o.initial_design = InitialDesign::points; }, {"design.points"});
  refused(
      [](Options& o) {
        o.cost.unit = "USD";
        o.accounting = Accounting::longest;
      },
      {"USD", "sum"});
}

TEST(OptimizerErrors, AUnitThatIsNotTimeIsSummed) {
  Options options = small_options(10);
  options.cost.unit = "kWh";
  EXPECT_EQ(Optimizer(valley_space(), options).accounting(), Accounting::sum);
  options.cost.unit = "min";
  EXPECT_EQ(Optimizer(valley_space(), options).accounting(), Accounting::longest);
}

TEST(OptimizerErrors, RefusedResultsChangeNothing) {
  Optimizer optimizer(valley_space(), small_options(100));
  const Suggestion s = optimizer.ask(1).at(0);
  for (const double bad : {nan_value, infinity, -infinity}) {
    expect_error<InvalidObservation>(
        [&] {
          optimizer.tell(s.id, {bad, 1.0});
        },
        {"suggestion 0", "objective", "fail"});
  }
  for (const double bad : {0.0, -1.0, nan_value, infinity}) {
    expect_error<InvalidObservation>([&] { optimizer.tell(s.id, {1.0, bad}); }, {"suggestion 0", "cost", "above 0"});
  }
  for (const double bad : {-1.0, nan_value, infinity}) {
    expect_error<InvalidObservation>([&] { optimizer.fail(s.id, bad, "crash"); }, {"suggestion 0", "cost"});
  }
  expect_error<InvalidObservation>([&] { optimizer.fail(s.id, 0.0, "out of time", true); }, {"above 0"});
  EXPECT_TRUE(optimizer.observations().empty());
  EXPECT_EQ(optimizer.pending(), std::vector<std::uint64_t>{s.id});
  optimizer.tell(s.id, {1.0, 1.0});
  EXPECT_EQ(optimizer.observations().size(), 1U);
  EXPECT_EQ(optimizer.ask(1).size(), 1U);
}

TEST(OptimizerErrors, LogTransformRefusesWhatHasNoLogarithm) {
  Options options = small_options(100);
  options.transform = Transform::log;
  Optimizer optimizer(valley_space(), options);
  const Suggestion s = optimizer.ask(1).at(0);
  expect_error<InvalidObservation>([&] { optimizer.tell(s.id, {-0.5, 1.0}); }, {"logarithm", "rank"});
}

TEST(OptimizerErrors, UnknownAndRepeatedIds) {
  Optimizer optimizer(valley_space(), small_options(100));
  const Suggestion s = optimizer.ask(1).at(0);
  expect_error<UnknownSuggestion>([&] { optimizer.tell(99, {1, 1}); }, {"99", "never"});
  expect_error<UnknownSuggestion>([&] { optimizer.fail(99, 1, "crash"); }, {"99", "never"});
  expect_error<UnknownSuggestion>([&] { optimizer.withdraw(99); }, {"99", "never"});
  optimizer.tell(s.id, {1, 1});
  expect_error<UnknownSuggestion>([&] { optimizer.tell(s.id, {1, 1}); }, {"already"});
  EXPECT_EQ(optimizer.observations().size(), 1U);
}

TEST(OptimizerErrors, ConfigurationsOfAnotherSpaceAreRefused) {
  Optimizer optimizer(valley_space(), small_options(100));
  const Space other{real("x", 0, 1), real("z", 0, 1)};
  const auto point = other.configuration({{"x", 0.5}, {"z", 0.5}});
  expect_error<InvalidConfiguration>([&] { optimizer.tell(point, {1, 1}); }, {"other parameters"});
  const Space wider{real("x", 0, 9), real("y", 0, 1)};
  const auto outside = wider.configuration({{"x", 5.0}, {"y", 0.5}});
  expect_error<InvalidConfiguration>([&] { optimizer.tell(outside, {1, 1}); }, {"x", "5"});
}

TEST(OptimizerErrors, PoolOfAnotherShapeIsRefused) {
  const Space one{real("x", 0, 1)};
  Options options = small_options(10);
  options.candidates.pool = std::make_shared<const Pool>(one, std::vector<double>{0.1, 0.2, 0.3}, 3);
  expect_error<InvalidPool>([&] { Optimizer(valley_space(), options); }, {"parameter"});
}

TEST(OptimizerErrors, DesignPointsMustBelongToTheSpaceAndThePool) {
  const auto refused = [](const Configuration& point, std::shared_ptr<const Pool> pool,
                          const std::vector<std::string>& parts) {
    Options options = small_options(10);
    options.initial_design = InitialDesign::points;
    options.design.points = {point};
    options.candidates.pool = std::move(pool);
    expect_error<InvalidOptions>([&] { Optimizer(valley_space(), options); }, parts);
  };
  const Space renamed{real("x", 0, 1), real("z", 0, 1)};
  refused(renamed.configuration({{"x", 0.5}, {"z", 0.5}}), nullptr, {"design.points[0]", "other parameters"});
  const Space wider{real("x", 0, 9), real("y", 0, 1)};
  refused(wider.configuration({{"x", 5.0}, {"y", 0.5}}), nullptr, {"design.points[0]", "'x'", "5"});
  const Space space = valley_space();
  refused(space.configuration({{"x", 0.5}, {"y", 0.5}}),
          std::make_shared<const Pool>(space, std::vector<double>{0.1, 0.2}, 1), {"design.points[0]", "pool"});
}

TEST(OptimizerErrors, UnsatisfiableConstraints) {
  Space space = valley_space();
  space.constrain([](const Configuration&) { return false; }, "never");
  expect_error<InvalidSpace>([&] { Optimizer(space, small_options(10)); }, {"constraint"});
}

TEST(OptimizerEdges, APoolSmallerThanTheBatchGivesWhatThereIs) {
  const Space space = valley_space();
  Options options = small_options(1000);
  options.candidates.pool = std::make_shared<const Pool>(space, std::vector<double>{0.1, 0.2, 0.8, 0.9, 0.5, 0.5}, 3);
  Optimizer optimizer(space, options);
  const auto batch = optimizer.ask(8);
  ASSERT_EQ(batch.size(), 3U);
  EXPECT_TRUE(optimizer.ask(1).empty());
  EXPECT_EQ(optimizer.stop_reason(), StopReason::running) << "three are still pending";
  for (const Suggestion& s : batch) optimizer.tell(s.id, valley(s.configuration));
  EXPECT_TRUE(optimizer.ask(1).empty());
  EXPECT_EQ(optimizer.stop_reason(), StopReason::exhausted);
  EXPECT_EQ(optimizer.observations().size(), 3U);
}

TEST(OptimizerEdges, EveryCandidateEvaluatedUnlessRepeatsAreAllowed) {
  const Space space{integer("n", 0, 9)};
  const auto evaluate = [](const Configuration& x) {
    return Evaluation{std::pow(x.real("n") - 6.0, 2), 1.0 + x.real("n")};
  };
  Options options = small_options(1e6);
  Optimizer once(space, options);
  EXPECT_EQ(run(once, evaluate, 3).size(), 10U);
  EXPECT_EQ(once.stop_reason(), StopReason::exhausted);
  options.candidates.allow_repeats = true;
  options.max_evaluations = 25;
  Optimizer again(space, options);
  EXPECT_EQ(run(again, evaluate, 3).size(), 25U);
  EXPECT_EQ(again.stop_reason(), StopReason::evaluations);
}

TEST(OptimizerEdges, WithdrawnCandidatesComeBack) {
  const Space space{integer("n", 0, 2)};
  Optimizer optimizer(space, small_options(1e6));
  const auto batch = optimizer.ask(3);
  ASSERT_EQ(batch.size(), 3U);
  optimizer.withdraw(batch[1].id);
  const auto again = optimizer.ask(3);
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].configuration, batch[1].configuration);
  EXPECT_EQ(optimizer.spent(), 0.0);
}

TEST(OptimizerEdges, DegenerateDataIsNoObstacle) {
  const auto survives = [](auto evaluate) {
    Optimizer optimizer(valley_space(), small_options(25));
    const auto visited = run(optimizer, evaluate, 2);
    EXPECT_GE(visited.size(), 4U);
    EXPECT_EQ(optimizer.stop_reason(), StopReason::budget);
  };
  survives([](const Configuration& x) { return Evaluation{valley(x).objective, 1.0}; });
  survives([](const Configuration&) { return Evaluation{7.0, 1.0}; });
  survives([](const Configuration& x) { return Evaluation{7.0, valley(x).cost}; });
  survives([](const Configuration& x) { return Evaluation{1e12 * valley(x).objective, 1e-3 + x.real("x")}; });
}

TEST(OptimizerEdges, TenCopiesOfOnePoint) {
  const Space space = valley_space();
  Options options = small_options(100);
  options.surrogate.noise_floor = 1e-12;
  Optimizer optimizer(space, options);
  const auto point = space.configuration({{"x", 0.4}, {"y", 0.6}});
  for (int i = 0; i < 10; ++i) optimizer.tell(point, valley(point));
  EXPECT_EQ(run(optimizer, valley, 2).empty(), false);
  EXPECT_EQ(optimizer.stop_reason(), StopReason::budget);
}

TEST(OptimizerEdges, ABudgetSmallerThanOneEvaluationBuysOne) {
  Optimizer optimizer(valley_space(), small_options(1e-6));
  EXPECT_EQ(run(optimizer, valley).size(), 1U);
  EXPECT_EQ(optimizer.stop_reason(), StopReason::budget);
  EXPECT_TRUE(optimizer.best());
}

TEST(OptimizerEdges, OnlyFailuresSoFarKeepsDrawing) {
  Optimizer optimizer(valley_space(), small_options(100));
  for (int i = 0; i < 12; ++i) {
    const Suggestion s = optimizer.ask(1).at(0);
    EXPECT_EQ(s.receipt.phase, Phase::warm_start);
    optimizer.fail(s.id, 1.0, "no luck");
  }
  EXPECT_EQ(optimizer.spent(), 12.0);
  EXPECT_FALSE(optimizer.best());
  const Suggestion s = optimizer.ask(1).at(0);
  optimizer.tell(s.id, valley(s.configuration));
  EXPECT_TRUE(optimizer.ask(1).at(0).receipt.predicted_cost);
}

/// Beyond x = 0.7 every evaluation is cut off at 5; the rest cost 0.2. As plain costs the cut-offs would say 5.
TEST(OptimizerEdges, TimeoutsTeachThatCostIsAtLeastTheLimit) {
  const Space space{real("x", 0, 1)};
  Options options = small_options(1e4);
  options.initial_design = InitialDesign::points;
  options.design.points = {space.configuration({{"x", 0.9}})};
  const auto predicted_at_point = [&](bool timeouts, bool failures) {
    Optimizer optimizer(space, options);
    for (int i = 0; i < 10; ++i) {
      const double x = (i + 0.5) / 10;
      const auto point = space.configuration({{"x", x}});
      if (x < 0.7) {
        optimizer.tell(point, {x, 0.2 + 0.01 * x});
      } else if (timeouts || failures) {
        optimizer.fail(point, 5.0, "stopped", timeouts);
      }
    }
    return *optimizer.ask(1).at(0).receipt.predicted_cost;
  };
  const double untaught = predicted_at_point(false, false);
  EXPECT_LT(untaught, 1.0);
  EXPECT_GE(predicted_at_point(true, false), 4.0);
  EXPECT_DOUBLE_EQ(predicted_at_point(false, true), untaught) << "a plain failure's cost teaches nothing";
}

TEST(OptimizerEdges, StrictNeverStartsWhatIsNotPredictedToFinish) {
  for (const Acquisition acquisition : {Acquisition::ei_cool, Acquisition::ei, Acquisition::random}) {
    Options options = small_options(60);
    options.strict = true;
    options.acquisition = acquisition;
    options.cost.known = [](const Configuration& x) { return valley(x).cost; };
    Optimizer optimizer(valley_space(), options);
    run(optimizer, valley);
    EXPECT_LE(optimizer.spent(), 60.0);
    EXPECT_EQ(optimizer.stop_reason(), StopReason::strict_budget);
    EXPECT_GT(optimizer.spent(), 58.0) << "the cheapest point costs 1";
  }
}

TEST(OptimizerEdges, StrictHoldsForBatchesOfSummedCosts) {
  for (const bool pool : {false, true}) {
    const Space space = valley_space();
    Options options = small_options(60);
    options.strict = true;
    options.accounting = Accounting::sum;
    options.cost.known = [](const Configuration& x) { return valley(x).cost; };
    if (pool) {
      std::vector<double> rows;
      for (int i = 0; i < 400; ++i)
        rows.insert(rows.end(), {std::fmod(0.618034 * i, 1.0), std::fmod(0.754878 * i, 1.0)});
      options.candidates.pool = std::make_shared<const Pool>(space, rows, 400);
    }
    for (const Acquisition acquisition : {Acquisition::ei_cool, Acquisition::random}) {
      options.acquisition = acquisition;
      Optimizer optimizer(space, options);
      run(optimizer, valley, 4);
      EXPECT_LE(optimizer.spent(), 60.0);
      EXPECT_GT(optimizer.spent(), 57.0);
      EXPECT_EQ(optimizer.stop_reason(), StopReason::strict_budget);
    }
  }
}

TEST(OptimizerEdges, TargetAndMaximumEvaluationsStop) {
  Options options = small_options(1000);
  options.target = 0.05;
  Optimizer to_target(valley_space(), options);
  run(to_target, valley);
  EXPECT_EQ(to_target.stop_reason(), StopReason::target);
  EXPECT_LE(to_target.best()->objective, 0.05);
  options.target.reset();
  options.max_evaluations = 7;
  Optimizer seven(valley_space(), options);
  EXPECT_EQ(run(seven, valley, 4).size(), 7U);
  EXPECT_EQ(seven.stop_reason(), StopReason::evaluations);
}

}  // namespace
}  // namespace carbo
