#include <gtest/gtest.h>

#include <vector>

#include <carbo/carbo.hpp>

#include "support/toy_problems.hpp"

// Rounds where costs are summed: no larger than what is known, so that little is paid for what nobody knew.
namespace carbo {
namespace {

using namespace test;

Options added_up(double budget) {
  Options options = small_options(budget);
  options.accounting = Accounting::sum;
  options.initial_design = InitialDesign::cost_effective;
  options.design.warm_start = 3;
  options.batch_size = 16;
  return options;
}

/// Sizes of the first so many rounds, everything told in between.
std::vector<std::size_t> round_sizes(const Options& options, std::size_t rounds) {
  Optimizer optimizer(valley_space(), options);
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < rounds; ++i) {
    const std::vector<Suggestion> round = optimizer.ask();
    found.push_back(round.size());
    for (const Suggestion& one : round) optimizer.tell(one.id, valley(one.configuration));
  }
  return found;
}

using RoundSizes = std::vector<std::size_t>;

TEST(TotalRounds, AreNoLargerThanWhatIsKnown) {
  EXPECT_EQ(round_sizes(added_up(1e4), 5), (RoundSizes{3, 3, 6, 12, 16}));
  Options odd = added_up(1e4);
  odd.batch_size = 5;
  EXPECT_EQ(round_sizes(odd, 4), (RoundSizes{3, 3, 5, 5}));
  Options euros = added_up(1e4);
  euros.accounting = Accounting::automatic;
  euros.cost.unit = "EUR";
  EXPECT_EQ(round_sizes(euros, 2), (RoundSizes{3, 3}));
}

TEST(TotalRounds, EndWithTheLastEvaluationAllowed) {
  Options few = added_up(1e4);
  few.max_evaluations = 14;
  EXPECT_EQ(round_sizes(few, 4), (RoundSizes{3, 3, 6, 2}));
}

TEST(TotalRounds, AreFullWhereNothingIsGainedByWaiting) {
  Options clock = added_up(1e4);
  clock.accounting = Accounting::longest;
  EXPECT_EQ(round_sizes(clock, 2), (RoundSizes{16, 16})) << "an idle worker's time is paid for";
  Options random = added_up(1e4);
  random.acquisition = Acquisition::random;
  random.initial_design = InitialDesign::uniform;
  EXPECT_EQ(round_sizes(random, 2), (RoundSizes{16, 16})) << "it learns nothing";
  Options asynchronous = added_up(1e4);
  asynchronous.execution = Execution::asynchronous;
  EXPECT_EQ(round_sizes(asynchronous, 1), (RoundSizes{16})) << "whoever is free gets the next point at once";
}

TEST(TotalRounds, HaveAllThatTheCallerOrTheDesignWants) {
  Options drawn = added_up(1e4);
  drawn.design.warm_start = 16;
  EXPECT_EQ(round_sizes(drawn, 2), (RoundSizes{16, 16}));
  Options given = added_up(1e4);
  given.initial_design = InitialDesign::points;
  given.design.warm_start.reset();
  for (int i = 0; i < 7; ++i)
    given.design.points.push_back(valley_space().configuration({{"x", 0.1 * i}, {"y", 1 - 0.1 * i}}));
  EXPECT_EQ(round_sizes(given, 3), (RoundSizes{7, 7, 14}));
  Optimizer hunches(valley_space(), added_up(1e4));
  for (int i = 0; i < 9; ++i) hunches.enqueue(valley_space().configuration({{"x", 0.1 * i}, {"y", 1 - 0.1 * i}}));
  const std::vector<Suggestion> all = hunches.ask();
  ASSERT_EQ(all.size(), 9U);
  for (const Suggestion& one : all) EXPECT_TRUE(one.receipt.enqueued);
}

TEST(TotalRounds, CountWhatWasTold) {
  Optimizer optimizer(valley_space(), added_up(1e4));
  const std::vector<Suggestion> first = optimizer.ask();
  EXPECT_EQ(optimizer.ask().size(), 3U) << "what runs is not known";
  for (const Suggestion& one : first) optimizer.tell(one.id, valley(one.configuration));
  EXPECT_EQ(optimizer.ask().size(), 3U);
  Optimizer experienced(valley_space(), added_up(1e4));
  for (int i = 0; i < 10; ++i) {
    const Configuration seen = valley_space().configuration({{"x", 0.1 * i}, {"y", 0.05 * i}});
    experienced.tell(seen, valley(seen), Origin::prior);
  }
  EXPECT_EQ(experienced.ask().size(), 10U) << "an earlier run's are known";
}

}  // namespace
}  // namespace carbo
