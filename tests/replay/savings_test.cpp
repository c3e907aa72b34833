#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <carbo/error.hpp>

#include "replay/curves.hpp"
#include "replay/methods.hpp"
#include "replay/replay_support.hpp"
#include "replay/summary.hpp"
#include "support/expect_error.hpp"
#include "support/not_finite.hpp"

namespace carbo::replay {
namespace {

using carbo::test::infinity;

TEST(ReplaySavings, AheadCountsFromWhereTheRivalsEndIsReached) {
  // Budget in ten steps. The rival ends at 2; ours is at 2 or below from point 4 on: 60 % saved.
  const std::vector<double> rival = {9, 9, 8, 7, 6, 5, 4, 4, 3, 2, 2};
  const std::vector<double> ours = {9, 8, 6, 3, 2, 2, 1, 1, 1, 1, 1};
  EXPECT_DOUBLE_EQ(savings(ours, rival), 0.6);
  // The other way round: the rival's rival passes 2 at point 4, so the loss has the same size.
  EXPECT_DOUBLE_EQ(savings(rival, ours), -0.6);
}

TEST(ReplaySavings, CurvesThatEndEqualAreComparedByWhenTheyGotThere) {
  const std::vector<double> curve = {5, 4, 3, 2, 1};
  EXPECT_EQ(savings(curve, curve), 0);
  const std::vector<double> early = {5, 1, 1, 1, 1};
  EXPECT_DOUBLE_EQ(savings(early, curve), 0.75);
  EXPECT_DOUBLE_EQ(savings(curve, early), -0.75);
  EXPECT_EQ(savings(early, early), 0);
}

TEST(ReplaySavings, OverShootingTheTargetBetweenPointsCountsAtTheLaterPoint) {
  EXPECT_DOUBLE_EQ(savings(std::vector<double>{9, 9, 1}, std::vector<double>{9, 5, 5}), 0.0);
  EXPECT_DOUBLE_EQ(savings(std::vector<double>{9, 1, 1}, std::vector<double>{9, 9, 5}), 0.5);
}

TEST(ReplaySavings, NothingFinishedIsNotReached) {
  EXPECT_DOUBLE_EQ(savings(std::vector<double>{infinity, infinity, 3}, std::vector<double>{infinity, 5, 5}), 0.0);
  EXPECT_DOUBLE_EQ(savings(std::vector<double>{infinity, 3, 3}, std::vector<double>(3, infinity)), 0.5);
  EXPECT_DOUBLE_EQ(savings(std::vector<double>(3, infinity), std::vector<double>(3, infinity)), 0.0);
  EXPECT_THROW(savings(std::vector<double>{1, 1}, std::vector<double>{1, 1, 1}), std::invalid_argument);
}

TEST(ReplaySavings, TheNextBestEndsLowestAndGotThereFirst) {
  EXPECT_EQ(best_final({{9, 3, 3}, {9, 9, 2}, {9, 4, 4}}), 1u);
  EXPECT_EQ(best_final({{9, 9, 2}, {9, 2, 2}}), 1u);
  EXPECT_EQ(best_final({{9, 2, 2}, {9, 2, 2}}), 0u);
}

TEST(ReplaySavings, EstimateUsesMediansOverSeeds) {
  // Medians: ours {9, 1, 1}, first rival {9, 7, 5}, second rival {9, 9, 6}.
  const Traces ours = {{9, 1, 1}, {9, 0, 0}, {9, 8, 8}};
  const Traces first = {{9, 7, 5}, {9, 7, 5}, {9, 7, 5}};
  const Traces second = {{9, 9, 6}, {9, 9, 0}, {9, 9, 9}};
  const SavingsEstimate estimate = estimate_savings(ours, {second, first});
  EXPECT_EQ(estimate.rival, 1u);
  EXPECT_DOUBLE_EQ(estimate.share, 0.5);
  EXPECT_LE(estimate.low, estimate.share);
  EXPECT_GE(estimate.high, estimate.share);
  // A resample of three that holds the third row twice has the median 8 and loses half the budget: 7 of 27 do.
  EXPECT_DOUBLE_EQ(estimate.low, -0.5);
  EXPECT_DOUBLE_EQ(estimate.high, 0.5);
}

TEST(ReplaySavings, NetSavingsAreAMeanWhoseRangeCoversProblemsAndSeeds) {
  // One problem saves half of the budget with every seed, one loses half.
  const Traces low = {{9, 1, 1}, {9, 1, 1}, {9, 1, 1}};
  const Traces high = {{9, 9, 5}, {9, 9, 5}, {9, 9, 5}};
  const std::vector<double> drawn = resampled_net_savings({{&low, &high}, {&high, &low}});
  ASSERT_EQ(drawn.size(), 200u);
  // Two problems drawn with replacement: both the first, one each, or both the second, with shares 1/4, 1/2, 1/4.
  int gains = 0, even = 0, losses = 0;
  for (const double share : drawn) {
    gains += share == 0.5 ? 1 : 0;
    even += share == 0.0 ? 1 : 0;
    losses += share == -0.5 ? 1 : 0;
  }
  EXPECT_EQ(gains + even + losses, 200);
  EXPECT_NEAR(gains, 50, 25);  // four standard deviations of a binomial count
  EXPECT_NEAR(losses, 50, 25);
  EXPECT_THROW(resampled_net_savings({}), std::invalid_argument);
}

TEST(ReplaySavings, OfAllPairsAreThoseOfEachPairAlone) {
  Summary summary;
  for (int m = 0; m < 3; ++m) {
    MethodSummary& method = summary.methods.emplace_back();
    for (int seed = 0; seed < 5; ++seed) {
      std::vector<double>& trace = method.traces.emplace_back();
      for (int i = 0; i <= 20; ++i) trace.push_back(1 + (20 - i) * (m + 1) / 7 + (seed * 3 + m) % 4);
    }
    method.middle = quantile_curve(method.traces, 0.5);
  }
  const std::vector<PairSavings> pairs = pairwise_savings(summary);
  ASSERT_EQ(pairs.size(), 6u);
  for (const PairSavings& pair : pairs) {
    EXPECT_NE(pair.ours, pair.rival);
    const MethodSummary &ours = summary.methods[pair.ours], &rival = summary.methods[pair.rival];
    const SavingsEstimate alone = estimate_savings(ours.traces, {rival.traces});
    EXPECT_EQ(pair.share, alone.share);
    EXPECT_EQ(pair.low, alone.low);
    EXPECT_EQ(pair.high, alone.high);
    const NetSavings net = net_savings({{&ours, &rival}});
    EXPECT_EQ(pair.low, net.low);
    EXPECT_EQ(pair.high, net.high);
  }
}

TEST(ReplayMethods, AreFoundByNameInTheOrderThatWasAskedFor) {
  const std::vector<Method> chosen = methods_named({"random", "default", "gittins"});
  ASSERT_EQ(chosen.size(), 3u);
  EXPECT_EQ(chosen[0].name, "random");
  EXPECT_EQ(chosen[1].name, "default");
  EXPECT_EQ(chosen[2].name, "gittins");
  std::set<std::string> names;
  for (const Method& method : known_methods()) {
    EXPECT_TRUE(names.insert(method.name).second) << method.name;
    EXPECT_FALSE(method.title.empty() || method.why.empty()) << method.name;
  }
  expect_error<InvalidOptions>([] { methods_named({"eipux"}); }, {"'eipux' among default, ", "eipu, ", "gittins"});
  expect_error<InvalidOptions>([] { methods_named({"ei", "random", "ei"}); }, {"'ei' is named twice"});
}

TEST(ReplayTrace, OnlyWhatFinishedCounts) {
  const RunRecord run = hand_made_run();
  EXPECT_EQ(incumbent_regret_at(run, 3.9), infinity);
  EXPECT_EQ(incumbent_regret_at(run, 4.0), 1.0);
  EXPECT_EQ(incumbent_regret_at(run, 10.0), 0.75);
  EXPECT_EQ(incumbent_regret_at(run, 11.0), 0.01);
  EXPECT_EQ(evaluations_within(run, 10.0), 2u);
  const RunRecord* pointer = &run;
  const Traces traces = sample_traces(std::span(&pointer, 1));
  ASSERT_EQ(traces.front().size(), grid_steps + 1);
  EXPECT_EQ(traces.front()[399], infinity);
  EXPECT_EQ(traces.front()[400], 1.0);
  EXPECT_EQ(traces.front()[500], 0.75);
  EXPECT_EQ(traces.front()[1000], 0.75);
}

}  // namespace
}  // namespace carbo::replay
