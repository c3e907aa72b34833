#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include <carbo/carbo.hpp>

#include "support/expect_error.hpp"
#include "support/toy_problems.hpp"

// Points that the caller wants suggested next.
namespace carbo {
namespace {

using namespace test;

Configuration on_line(const Space& space, double x) { return space.configuration(std::vector<double>{x}); }
Space unit_line() { return Space{real("x", 0, 1)}; }

std::vector<double> waiting(const Optimizer& optimizer) {
  std::vector<double> found;
  for (const Configuration& one : optimizer.enqueued()) found.push_back(one.real("x"));
  return found;
}

Evaluation on_the_line(const Configuration& point) { return {std::pow(point.real("x") - 0.4, 2), 1.0}; }

TEST(Enqueue, ComesNextInEveryPhaseAndInOrder) {
  for (const InitialDesign design : {InitialDesign::cost_effective, InitialDesign::uniform}) {
    Options options = small_options(40);
    options.initial_design = design;
    Optimizer optimizer(unit_line(), options);
    std::vector<Phase> phases;
    for (int i = 0; i < 24; ++i) {
      const Phase phase = optimizer.phase();
      optimizer.enqueue(on_line(optimizer.space(), 0.01 * i));
      optimizer.enqueue(on_line(optimizer.space(), 0.01 * i + 0.5));
      const std::vector<Suggestion> next = optimizer.ask(i % 4 + 1);
      ASSERT_FALSE(next.empty());
      for (std::size_t j = 0; j < next.size(); ++j) {
        EXPECT_EQ(next[j].receipt.enqueued, j < 2) << i << ", " << j;
        if (j < 2) {
          EXPECT_EQ(next[j].configuration.real("x"), 0.01 * i + 0.5 * static_cast<double>(j));
          EXPECT_EQ(next[j].receipt.phase, phase);
          EXPECT_FALSE(next[j].receipt.log_score);
        }
        optimizer.tell(next[j].id, on_the_line(next[j].configuration));
      }
      if (next.size() == 1) {
        EXPECT_EQ(waiting(optimizer), std::vector<double>{0.01 * i + 0.5});
        EXPECT_TRUE(optimizer.dequeue(on_line(optimizer.space(), 0.01 * i + 0.5)));
      }
      EXPECT_TRUE(optimizer.enqueued().empty());
      phases.push_back(phase);
    }
    EXPECT_EQ(phases.front(), Phase::warm_start);
    EXPECT_EQ(phases.back(), Phase::search);
  }
}

TEST(Enqueue, IsFantasisedByTheRestOfItsBatch) {
  Options options = small_options(400);
  options.candidates.renew = false;
  const auto searching = [&] {
    Optimizer optimizer(valley_space(), options);
    for (int i = 0; i < 35; ++i) {
      const Suggestion next = optimizer.ask(1).at(0);
      optimizer.tell(next.id, valley(next.configuration));
    }
    return optimizer;
  };
  Optimizer asked = searching(), enqueued = searching();
  const std::vector<Suggestion> expected = asked.ask(2);
  enqueued.enqueue(expected[0].configuration);
  const std::vector<Suggestion> found = enqueued.ask(2);
  EXPECT_TRUE(found[0].receipt.enqueued);
  EXPECT_EQ(found[0].receipt.predicted_objective, expected[0].receipt.predicted_objective);
  EXPECT_EQ(found[0].receipt.predicted_cost, expected[0].receipt.predicted_cost);
  EXPECT_FALSE(found[1].receipt.enqueued);
  EXPECT_TRUE(found[1].configuration == expected[1].configuration);
  // What the round lasts is predicted for one point here, for all candidates there.
  EXPECT_NEAR(*found[1].receipt.log_score, *expected[1].receipt.log_score, 1e-9);
}

TEST(Enqueue, MayBeEvaluatedAgain) {
  Optimizer optimizer(unit_line(), small_options(40));
  const Configuration point = on_line(optimizer.space(), 0.3);
  for (int i = 0; i < 3; ++i) optimizer.enqueue(point);
  for (const Suggestion& one : optimizer.ask(3)) {
    EXPECT_TRUE(one.configuration == point);
    optimizer.tell(one.id, {1.0, 1.0});
  }
  EXPECT_EQ(optimizer.observations().size(), 3u);
}

TEST(Enqueue, IsARowOfThePool) {
  const Space space = valley_space();
  Options options = small_options(60);
  options.candidates.pool = grid_pool(space, 3);
  std::vector<double> costs(9, 0.5);
  costs[7] = 2;
  options.cost.known = Quantity::pool_column(costs);
  Optimizer optimizer(space, options);
  expect_error<InvalidConfiguration>(
      [&] {
        optimizer.enqueue(space.configuration(std::vector<double>{0.5, 0.5}));
      },
      {"not in the pool"});
  optimizer.enqueue(space.configuration(options.candidates.pool->row(7)));
  const Suggestion next = optimizer.ask(1).at(0);
  EXPECT_EQ(next.pool_index, 7u);
  EXPECT_EQ(next.receipt.predicted_cost, 2.0);
}

TEST(Enqueue, WaitsWhileStrictForbidsIt) {
  Options options = small_options(5);
  options.accounting = Accounting::sum;
  options.strict = true;
  options.cost.known = "1 + 9 * x";
  Optimizer optimizer(unit_line(), options);
  for (const double x : {1.0, 0.0, 0.9, 0.05}) optimizer.enqueue(on_line(optimizer.space(), x));
  const std::vector<Suggestion> next = optimizer.ask(3);
  ASSERT_EQ(next.size(), 3u);
  EXPECT_EQ(next[0].configuration.real("x"), 0.0);
  EXPECT_EQ(next[1].configuration.real("x"), 0.05);
  EXPECT_FALSE(next[2].receipt.enqueued);
  EXPECT_EQ(waiting(optimizer), (std::vector<double>{1.0, 0.9}));
  for (const Suggestion& one : next) optimizer.tell(one.id, {1.0, 1.6});
  EXPECT_TRUE(optimizer.ask(1).empty());
  EXPECT_EQ(optimizer.stop_reason(), StopReason::strict_budget);
  EXPECT_EQ(waiting(optimizer).size(), 2u);
}

TEST(Enqueue, KeepsToTheBudgetAndToTheEvaluations) {
  Options options = small_options(100);
  options.max_evaluations = 2;
  Optimizer optimizer(unit_line(), options);
  for (const double x : {0.1, 0.2, 0.3}) optimizer.enqueue(on_line(optimizer.space(), x));
  const std::vector<Suggestion> next = optimizer.ask(5);
  ASSERT_EQ(next.size(), 2u);
  for (const Suggestion& one : next) optimizer.tell(one.id, {1, 1});
  EXPECT_TRUE(optimizer.ask(1).empty());
  EXPECT_EQ(optimizer.stop_reason(), StopReason::evaluations);
  EXPECT_EQ(waiting(optimizer), std::vector<double>{0.3});
}

TEST(Enqueue, RevivesARunWhoseCandidatesAreUsedUp) {
  const Space space{integer("x", 0, 3)};
  Optimizer optimizer(space, small_options(100));
  EXPECT_EQ(run(
                optimizer,
                [](const Configuration& x) {
                  return Evaluation{x.real("x"), 1.0};
                },
                2)
                .size(),
            4u);
  EXPECT_EQ(optimizer.stop_reason(), StopReason::exhausted);
  optimizer.enqueue(on_line(space, 2));
  EXPECT_EQ(optimizer.stop_reason(), StopReason::running);
  const std::vector<Suggestion> next = optimizer.ask(3);
  ASSERT_EQ(next.size(), 1u);
  optimizer.tell(next[0].id, {2.0, 1.0});
  EXPECT_TRUE(optimizer.ask(1).empty());
  EXPECT_EQ(optimizer.stop_reason(), StopReason::exhausted);
}

TEST(Enqueue, TakesThePlaceOfTheSamePointOfADesign) {
  const Space space = unit_line();
  Options options = small_options(50);
  options.initial_design = InitialDesign::points;
  options.design.points = {on_line(space, 0.2), on_line(space, 0.6)};
  Optimizer optimizer(space, options);
  optimizer.enqueue(on_line(space, 0.6));
  const std::vector<Suggestion> next = optimizer.ask(2);
  ASSERT_EQ(next.size(), 2u);
  EXPECT_EQ(next[0].configuration.real("x"), 0.6);
  EXPECT_EQ(next[1].configuration.real("x"), 0.2);
  for (const Suggestion& one : next) optimizer.tell(one.id, on_the_line(one.configuration));
  const double third = optimizer.ask(1).at(0).configuration.real("x");
  EXPECT_NE(third, 0.6);
  EXPECT_NE(third, 0.2);
}

TEST(Enqueue, RefusesWhatMayNotBeSuggested) {
  Space space = unit_line();
  space.constrain([](const Configuration& x) { return x.real("x") < 0.5; }, "low x");
  Optimizer optimizer(space, small_options(10));
  expect_error<InvalidConfiguration>([&] { optimizer.enqueue(on_line(space, 0.7)); }, {"x=0.7", "'low x'"});
  const Space other{real("z", 0, 1)};
  expect_error<InvalidConfiguration>([&] { optimizer.enqueue(on_line(other, 0.1)); }, {"other parameters"});
  expect_error<InvalidConfiguration>([&] { optimizer.dequeue(on_line(other, 0.1)); }, {"other parameters"});
  EXPECT_TRUE(optimizer.enqueued().empty());
  EXPECT_FALSE(optimizer.dequeue(on_line(space, 0.1)));
}

}  // namespace
}  // namespace carbo
