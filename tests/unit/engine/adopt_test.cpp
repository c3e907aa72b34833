#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <carbo/carbo.hpp>

#include "support/expect_error.hpp"
#include "support/toy_problems.hpp"

// Points that others run: from `adopt` on they are as if this run had suggested them.
namespace carbo {
namespace {

using namespace test;

Configuration at(const Space& space, double x, double y) { return space.configuration(std::vector<double>{x, y}); }

Options summed(double budget) {
  Options options = small_options(budget);
  options.accounting = Accounting::sum;
  options.candidates.renew = false;
  return options;
}

/// A run that has searched for a while.
Optimizer searching(const Options& options) {
  Optimizer optimizer(valley_space(), options);
  for (int i = 0; i < 45; ++i) {
    const Suggestion next = optimizer.ask(1).at(0);
    optimizer.tell(next.id, valley(next.configuration));
  }
  EXPECT_EQ(optimizer.phase(), Phase::search);
  return optimizer;
}

TEST(Adopt, ComesToWhatASuggestionOfTheSamePointComesTo) {
  const Options options = summed(4000);
  Optimizer asked = searching(options), adopted = searching(options);
  const Suggestion own = asked.ask(1).at(0);
  EXPECT_EQ(adopted.adopt(own.configuration), own.id);
  EXPECT_EQ(adopted.pending(), asked.pending());
  const Suggestion expected = asked.ask(1).at(0), found = adopted.ask(1).at(0);
  EXPECT_EQ(found.id, expected.id);
  EXPECT_TRUE(found.configuration == expected.configuration);
  EXPECT_EQ(found.receipt.log_score, expected.receipt.log_score);
  EXPECT_EQ(found.receipt.alpha, expected.receipt.alpha);
  EXPECT_EQ(found.receipt.committed, expected.receipt.committed);
  EXPECT_GT(found.receipt.committed, 0);
  for (Optimizer* const one : {&asked, &adopted}) {
    one->tell(own.id, valley(own.configuration));
    one->tell(found.id, valley(found.configuration));
  }
  EXPECT_EQ(adopted.spent(), asked.spent());
  EXPECT_TRUE(adopted.ask(1).at(0).configuration == asked.ask(1).at(0).configuration);
}

TEST(Adopt, IsAnObservationOfThisRunOnceItIsTold) {
  Optimizer optimizer(valley_space(), summed(50));
  const Configuration point = at(optimizer.space(), 0.25, 0.75);
  const std::uint64_t id = optimizer.adopt(point);
  EXPECT_EQ(optimizer.spent(), 0);
  optimizer.tell(id, {1.5, 3.0});
  EXPECT_EQ(optimizer.spent(), 3.0);
  const Observation& seen = optimizer.observations().front();
  EXPECT_EQ(seen.id, id);
  EXPECT_EQ(seen.origin, Origin::this_run);
  EXPECT_TRUE(seen.configuration == point);
  expect_error<UnknownSuggestion>([&] { optimizer.tell(id, {1.5, 3.0}); }, {"already has a result"});
  EXPECT_GT(optimizer.ask(1).at(0).id, id);
}

TEST(Adopt, CountsTowardsTheWarmStartAndTheEvaluations) {
  Options options = summed(50);
  options.max_evaluations = 7;
  Optimizer optimizer(valley_space(), options);
  for (const double x : {0.1, 0.3, 0.5, 0.7}) optimizer.adopt(at(optimizer.space(), x, x));
  const std::vector<Suggestion> rest = optimizer.ask(10);
  EXPECT_EQ(rest.size(), 3u);
  for (const Suggestion& one : rest) {
    for (const double x : {0.1, 0.3, 0.5, 0.7}) EXPECT_NE(one.configuration.real("x"), x);
  }
  optimizer.adopt(at(optimizer.space(), 0.9, 0.9));
  EXPECT_EQ(optimizer.pending().size(), 8u) << "what others run is a fact, whatever the limit";
  EXPECT_TRUE(optimizer.ask(1).empty());
  for (const std::uint64_t id : optimizer.pending()) optimizer.tell(id, {1.0 + static_cast<double>(id), 1.0});
  EXPECT_EQ(optimizer.stop_reason(), StopReason::evaluations);
  optimizer.tell(optimizer.adopt(at(optimizer.space(), 0.2, 0.9)), {0.5, 2.0});
  EXPECT_EQ(optimizer.observations().size(), 9u);
  EXPECT_EQ(optimizer.best()->objective, 0.5);
}

TEST(Adopt, MayBeWithdrawnOrFail) {
  Optimizer optimizer(valley_space(), summed(50));
  const Configuration point = at(optimizer.space(), 0.5, 0.5);
  optimizer.withdraw(optimizer.adopt(point));
  EXPECT_TRUE(optimizer.pending().empty());
  EXPECT_EQ(optimizer.spent(), 0);
  const std::uint64_t id = optimizer.adopt(point);
  EXPECT_EQ(id, 1u);
  optimizer.fail(id, 2.5, "lost");
  EXPECT_EQ(optimizer.spent(), 2.5);
  EXPECT_EQ(optimizer.observations().front().status, ObservationStatus::failed);
}

TEST(Adopt, TakesDuplicatesOfAllKindsAndPointsBeyondConstraints) {
  Space space = valley_space();
  space.constrain([](const Configuration& x) { return x.real("x") < 0.6; }, "x below 0.6");
  Optimizer optimizer(space, summed(50));
  const std::uint64_t first = optimizer.adopt(at(space, 0.5, 0.5)), second = optimizer.adopt(at(space, 0.5, 0.5));
  EXPECT_NE(first, second);
  optimizer.tell(first, {1, 1});
  const std::uint64_t third = optimizer.adopt(at(space, 0.5, 0.5)), beyond = optimizer.adopt(at(space, 0.9, 0.5));
  for (const std::uint64_t id : {second, third, beyond}) optimizer.tell(id, {2, 1});
  EXPECT_EQ(optimizer.observations().size(), 4u);
}

TEST(Adopt, IsARowOfThePool) {
  const Space space = valley_space();
  Options options = summed(60);
  options.candidates.pool = grid_pool(space, 4);
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1} << 22}) {
    options.backend.memory_bytes = bytes;
    Optimizer optimizer(space, options);
    expect_error<InvalidConfiguration>([&] { optimizer.adopt(at(space, 0.5, 0.5)); },
                                       {"x=0.5 y=0.5", "not in the pool", "row of the pool"});
    EXPECT_TRUE(optimizer.pending().empty());
    const auto row = options.candidates.pool->row(5);
    const std::uint64_t adopted = optimizer.adopt(space.configuration(row));
    std::vector<std::size_t> rows;
    while (true) {
      const auto next = optimizer.ask(4);
      if (next.empty()) break;
      for (const Suggestion& one : next) {
        rows.push_back(one.pool_index.value());
        optimizer.tell(one.id, {valley(one.configuration).objective, 0.1});
      }
    }
    std::ranges::sort(rows);
    EXPECT_EQ(rows.size(), 15u);
    EXPECT_FALSE(std::ranges::binary_search(rows, 5u));
    optimizer.tell(adopted, {0.0, 0.1});
    EXPECT_TRUE(optimizer.ask(1).empty());
    EXPECT_EQ(optimizer.stop_reason(), StopReason::exhausted);
  }
}

TEST(Adopt, IsChargedByEveryAccounting) {
  const auto spent = [](Accounting accounting, Execution execution) {
    Options options = small_options(100);
    options.accounting = accounting;
    options.execution = execution;
    options.batch_size = 2;
    Optimizer optimizer(valley_space(), options);
    const auto asked = optimizer.ask(2);
    const std::uint64_t adopted = optimizer.adopt(at(optimizer.space(), 0.5, 0.5));
    optimizer.tell(asked[0].id, {1, 2});
    optimizer.tell(asked[1].id, {1, 3});
    optimizer.tell(adopted, {1, 4});
    return optimizer.spent();
  };
  EXPECT_EQ(spent(Accounting::sum, Execution::synchronous), 9);
  EXPECT_EQ(spent(Accounting::longest, Execution::synchronous), 7) << "a batch of its own";
  EXPECT_EQ(spent(Accounting::longest, Execution::asynchronous), 6) << "after the first of the two workers";
}

TEST(Adopt, CommitsWhatStrictMaySpend) {
  Options options = summed(10);
  options.strict = true;
  options.cost.known = 4;
  Optimizer optimizer(valley_space(), options);
  const std::uint64_t first = optimizer.adopt(at(optimizer.space(), 0.1, 0.1));
  optimizer.adopt(at(optimizer.space(), 0.2, 0.1));
  EXPECT_TRUE(optimizer.ask(1).empty());
  EXPECT_EQ(optimizer.stop_reason(), StopReason::running);
  optimizer.withdraw(first);
  EXPECT_EQ(optimizer.ask(2).size(), 1u);
}

TEST(Adopt, RefusesWhatIsNotOfTheSpaceAndMoreThanMayRun) {
  Optimizer optimizer(valley_space(), summed(10));
  const Space other{real("x", 0, 1), real("z", 0, 1)};
  expect_error<InvalidConfiguration>([&] { optimizer.adopt(at(other, 0.5, 0.5)); }, {"other parameters"});
  const Space wider{real("x", 0, 3), real("y", 0, 1)};
  expect_error<InvalidConfiguration>([&] { optimizer.adopt(at(wider, 2.5, 0.5)); }, {"'x'", "2.5"});
  EXPECT_TRUE(optimizer.pending().empty());
  for (std::size_t i = 0; i < Optimizer::most_running; ++i) optimizer.adopt(at(optimizer.space(), 0.5, 0.5));
  expect_error<InvalidOptions>([&] { optimizer.adopt(at(optimizer.space(), 0.1, 0.5)); }, {"4096", "withdraw"});
  EXPECT_EQ(optimizer.pending().size(), Optimizer::most_running);
  optimizer.withdraw(17);
  EXPECT_EQ(optimizer.adopt(at(optimizer.space(), 0.1, 0.5)), Optimizer::most_running);
}

}  // namespace
}  // namespace carbo
