#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <carbo/carbo.hpp>

#include "support/expect_error.hpp"
#include "support/toy_problems.hpp"

// Prior data whose cost nobody wrote down: they teach the objective alone.
namespace carbo {
namespace {

using namespace test;

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

Configuration point(int i) {
  return valley_space().configuration({{"x", std::fmod(0.618034 * i, 1.0)}, {"y", std::fmod(0.754878 * i, 1.0)}});
}

TEST(UntoldCost, TeachesTheObjectiveAndNotTheCost) {
  Optimizer optimizer(valley_space(), small_options(100));
  for (int i = 0; i < 40; ++i) optimizer.tell_prior(point(i), valley(point(i)).objective);
  EXPECT_EQ(optimizer.spent(), 0.0);
  EXPECT_TRUE(std::isnan(optimizer.observations()[0].cost));
  EXPECT_EQ(optimizer.observations()[0].origin, Origin::prior);
  EXPECT_TRUE(optimizer.best());
  for (int i = 0; i < 3; ++i) {
    const Suggestion s = optimizer.ask(1).at(0);
    EXPECT_EQ(s.receipt.phase, Phase::warm_start) << "the cost model is still to be taught";
    EXPECT_EQ(s.receipt.predicted_cost.has_value(), i > 0);
    ASSERT_TRUE(s.receipt.predicted_objective);
    EXPECT_NEAR(*s.receipt.predicted_objective, valley(s.configuration).objective, 0.1);
    optimizer.tell(s.id, valley(s.configuration));
  }
  const Suggestion s = optimizer.ask(1).at(0);
  EXPECT_NE(s.receipt.phase, Phase::warm_start);
  run(optimizer, valley);
  EXPECT_EQ(optimizer.stop_reason(), StopReason::budget);
}

TEST(UntoldCost, OrderAndCopiesDoNotMatter) {
  const auto suggest = [](bool backwards) {
    Optimizer optimizer(valley_space(), small_options(100));
    for (int j = 0; j < 12; ++j) {
      const int i = backwards ? 11 - j : j;
      // Copies of one point, with the cost and without it.
      if (i % 2 == 0)
        optimizer.tell_prior(point(i % 4), 1.0);
      else
        optimizer.tell(point(i % 4 - 1), {1.0, 2.0});
    }
    for (int i = 20; i < 26; ++i) optimizer.tell(point(i), valley(point(i)));
    return optimizer.ask(1).at(0).configuration;
  };
  EXPECT_EQ(suggest(false), suggest(true));
}

TEST(UntoldCost, OnlyPriorDataMayLackIt) {
  Optimizer optimizer(valley_space(), small_options(100));
  Observation seen{std::nullopt, point(1), ObservationStatus::succeeded, Origin::prior, 1.0, unknown, ""};
  optimizer.tell(seen);
  seen.status = ObservationStatus::failed;
  optimizer.tell(seen);
  seen.status = ObservationStatus::timed_out;
  expect_error<InvalidObservation>([&] { optimizer.tell(seen); }, {"cost", "nan"});
  seen.status = ObservationStatus::succeeded;
  seen.origin = Origin::this_run;
  expect_error<InvalidObservation>([&] { optimizer.tell(seen); }, {"the cost is nan", "above 0"});
  expect_error<InvalidObservation>([&] { optimizer.tell(point(1), {.objective = 1.0}); },
                                   {"the cost is 0", "objective alone"});
  expect_error<InvalidObservation>([&] { optimizer.tell_prior(point(1), unknown); }, {"the objective is nan"});
  const Suggestion s = optimizer.ask(1).at(0);
  expect_error<InvalidObservation>([&] { optimizer.tell(s.id, {1.0, unknown}); }, {"suggestion 0", "cost"});
  EXPECT_EQ(optimizer.observations().size(), 2U);
}

TEST(UntoldCost, HooksTellIt) {
  Hooks hooks;
  for (int i = 0; i < 8; ++i) {
    hooks.prior.push_back({std::nullopt, point(i), ObservationStatus::succeeded, Origin::prior,
                           valley(point(i)).objective, unknown, ""});
  }
  const Result result = minimize(valley_space(), small_options(40), valley, hooks);
  EXPECT_EQ(result.stop_reason, StopReason::budget);
  EXPECT_EQ(result.observations.size(), 8 + result.suggestions.size());
  EXPECT_TRUE(std::isfinite(result.spent));
}

}  // namespace
}  // namespace carbo
