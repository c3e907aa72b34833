#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <carbo/carbo.hpp>

#include "support/expect_error.hpp"
#include "support/selector_oracle.hpp"
#include "support/toy_problems.hpp"

// When a search is worth no more than it costs, beside plain loops over every candidate.
namespace carbo {
namespace {

using namespace test;

constexpr int grid_side = 9;

oracle::Gp some_gp() { return {{0.4, 0.6}, 1.2, 1e-3, 0.1}; }
double price_tag(const Configuration& x) { return std::exp(2 * x.real("x") - x.real("y")); }

/// Objectives above 0, so that every transform takes them.
double objective_of(const Configuration& x) { return 1.5 + valley(x).objective; }

Options pool_options(Goal goal = Goal::minimize, Transform transform = Transform::none,
                     Incumbent incumbent = Incumbent::posterior_mean) {
  const oracle::Gp gp = some_gp();
  Options options = small_options(1e6);
  options.goal = goal;
  options.transform = transform;
  options.incumbent = incumbent;
  options.initial_design = InitialDesign::uniform;
  options.design.warm_start = 0;
  options.surrogate.fixed = Hyperparameters{gp.lengthscales, gp.signal, gp.noise, gp.mean};
  options.cost.known = price_tag;
  options.candidates.pool = grid_pool(valley_space(), grid_side);
  return options;
}

void teach(Optimizer& optimizer, std::size_t count = 12) {
  for (std::size_t i = 0; i < count; ++i) {
    const Configuration x = optimizer.space().configuration(std::vector<double>{
        std::fmod(0.11 + 0.618 * static_cast<double>(i), 1.0), std::fmod(0.05 + 0.37 * static_cast<double>(i), 1.0)});
    optimizer.tell(x, {objective_of(x), price_tag(x)});
  }
}

/// The lowest c / EI over the pool. EI is that of the standardised, transformed objective, times what a unit of it is
/// worth at the best value.
double break_even_of_plain_loops(const Optimizer& taught) {
  const Options& options = taught.options();
  const double sign = options.goal == Goal::maximize ? -1 : 1;
  const bool logarithms = options.transform == Transform::log;
  oracle::Points tried;
  std::vector<double> values, objectives;
  for (const Observation& one : taught.observations()) {
    tried.push_back({one.configuration.real("x"), one.configuration.real("y")});
    objectives.push_back(one.objective);
    values.push_back(sign * (logarithms ? std::log(one.objective) : one.objective));
  }
  const oracle::Standardised targets(values);
  const oracle::Regression regression(some_gp(), tried, targets.values);
  const auto best = std::min_element(targets.values.begin(), targets.values.end());
  const double best_objective = objectives[static_cast<std::size_t>(best - targets.values.begin())];
  const oracle::Real unit = targets.scale * (logarithms ? best_objective : 1.0);
  oracle::Real incumbent = *best;
  if (options.incumbent == Incumbent::posterior_mean) {
    incumbent = std::numeric_limits<double>::infinity();
    for (const auto& point : tried) incumbent = std::min<oracle::Real>(incumbent, regression.at(point).mean);
  }
  oracle::Real lowest = std::numeric_limits<double>::infinity();
  for (std::size_t row = 0; row < options.candidates.pool->size(); ++row) {
    const auto numbers = options.candidates.pool->row(row);
    const std::vector<double> at(numbers.begin(), numbers.end());
    const oracle::Real improvement = unit * std::exp(oracle::log_expected_improvement(regression.at(at), incumbent));
    const Configuration x = taught.space().configuration(at);
    lowest = std::min<oracle::Real>(lowest, price_tag(x) / improvement);
  }
  return static_cast<double>(lowest);
}

TEST(Stopping, ReceiptsTellTheLowestPriceAtWhichGoingOnPays) {
  for (const Goal goal : {Goal::minimize, Goal::maximize})
    for (const Transform transform : {Transform::none, Transform::log})
      for (const auto& [acquisition, incumbent] :
           std::vector<std::pair<Acquisition, Incumbent>>{{Acquisition::ei_cool, Incumbent::posterior_mean},
                                                          {Acquisition::ei_cool, Incumbent::lowest_observed},
                                                          {Acquisition::ei_per_cost, Incumbent::lowest_observed},
                                                          {Acquisition::ei, Incumbent::posterior_mean},
                                                          {Acquisition::gittins, Incumbent::posterior_mean},
                                                          {Acquisition::mes_cool, Incumbent::posterior_mean}}) {
        SCOPED_TRACE(std::string(to_string(goal)) + ' ' + to_string(transform) + ' ' + to_string(acquisition) + ' ' +
                     to_string(incumbent));
        Options options = pool_options(goal, transform, incumbent);
        options.acquisition = acquisition;
        Optimizer optimizer(valley_space(), options);
        teach(optimizer);
        const double expected = break_even_of_plain_loops(optimizer);
        for (const Suggestion& one : optimizer.ask(3)) {
          ASSERT_EQ(one.receipt.phase, Phase::search);
          ASSERT_TRUE(one.receipt.break_even_price);
          EXPECT_NEAR(*one.receipt.break_even_price / expected, 1.0, 1e-7);
          EXPECT_EQ(one.receipt.would_stop.has_value(), acquisition == Acquisition::gittins);
        }
      }
}

TEST(Stopping, StopsWhenAndOnlyWhenNoCandidateIsWorthItsCost) {
  for (const Goal goal : {Goal::minimize, Goal::maximize})
    for (const Transform transform : {Transform::none, Transform::log})
      for (const Acquisition acquisition : {Acquisition::ei_cool, Acquisition::gittins, Acquisition::mes_cool})
        for (const double share : {0.5, 0.999, 1.001, 2.0}) {
          SCOPED_TRACE(testing::Message() << to_string(goal) << ' ' << to_string(transform) << ' ' << share);
          Options options = pool_options(goal, transform);
          options.acquisition = acquisition;
          Optimizer taught(valley_space(), options);
          teach(taught);
          options.stopping.price = share * break_even_of_plain_loops(taught);
          Optimizer optimizer(valley_space(), options);
          teach(optimizer);
          EXPECT_EQ(optimizer.ask(2).empty(), share < 1);
          EXPECT_EQ(optimizer.stop_reason(), share < 1 ? StopReason::price : StopReason::running);
          EXPECT_EQ(optimizer.done(), share < 1);
          EXPECT_TRUE(optimizer.ask(2).empty() || share > 1);

          options.stopping.enforce = false;
          Optimizer told(valley_space(), options);
          teach(told);
          const std::vector<Suggestion> asked = told.ask(2);
          ASSERT_EQ(asked.size(), 2u);
          for (const Suggestion& one : asked) EXPECT_EQ(one.receipt.would_stop, share < 1);
          EXPECT_EQ(told.stop_reason(), StopReason::running);
        }
}

TEST(Stopping, ReportingChangesNoSuggestion) {
  for (const Acquisition acquisition : {Acquisition::ei_cool, Acquisition::mes_cool}) {
    Options options = small_options(60);
    options.acquisition = acquisition;
    const Visits plain = visits(options, 2);
    options.stopping = {.price = 1e-9, .enforce = false};
    EXPECT_EQ(visits(options, 2), plain);
    options.stopping = {.price = 1e15};
    EXPECT_EQ(visits(options, 2), plain);
  }
}

/// PBGI's rule with λ as it stands: no index is below the incumbent.
TEST(Stopping, WithoutAPriceTheGittinsIndexHasItsOwn) {
  for (const double lambda : {1e-6, 1e-2, 1e3}) {
    Options options = pool_options();
    options.acquisition = Acquisition::gittins;
    options.acquisition_parameters = {.lambda = lambda, .lambda_decay = 1};
    Optimizer optimizer(valley_space(), options);
    teach(optimizer);
    const double lowest = break_even_of_plain_loops(optimizer);
    const std::vector<Suggestion> asked = optimizer.ask(1);
    ASSERT_EQ(asked.size(), 1u);
    EXPECT_EQ(asked[0].receipt.would_stop, 1 / lambda < lowest) << lambda;
  }
}

TEST(Stopping, ANewFactLetsTheSearchGoOn) {
  Options options = pool_options();
  Optimizer taught(valley_space(), options);
  teach(taught, 6);
  options.stopping.price = 0.5 * break_even_of_plain_loops(taught);
  Optimizer optimizer(valley_space(), options);
  teach(optimizer, 6);
  EXPECT_TRUE(optimizer.ask(1).empty());
  EXPECT_EQ(optimizer.stop_reason(), StopReason::price);
  // One so much worse that all the others look promising: the spread, and with it improvement, grows.
  const Configuration bad = optimizer.space().configuration(std::vector<double>{0.99, 0.99});
  optimizer.tell(bad, {1e6, 1.0});
  EXPECT_EQ(optimizer.stop_reason(), StopReason::running);
  const std::vector<Suggestion> asked = optimizer.ask(1);
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_EQ(asked[0].receipt.would_stop, false);
}

TEST(Stopping, WhatRunsIsWaitedFor) {
  Options options = pool_options();
  Optimizer taught(valley_space(), options);
  teach(taught);
  const double lowest = break_even_of_plain_loops(taught);
  options.stopping.price = 1.0001 * lowest;
  options.execution = Execution::asynchronous;
  options.batch_size = 2;
  Optimizer optimizer(valley_space(), options);
  teach(optimizer);
  const std::vector<Suggestion> first = optimizer.ask(1);
  ASSERT_EQ(first.size(), 1u);
  // Without the only candidate that was worth it nothing is: not over, for what runs may change that.
  EXPECT_TRUE(optimizer.ask(1).empty());
  EXPECT_EQ(optimizer.stop_reason(), StopReason::running);
  optimizer.tell(first[0].id, {objective_of(first[0].configuration), price_tag(first[0].configuration)});
  const bool over = optimizer.ask(1).empty();
  EXPECT_EQ(optimizer.stop_reason(), over ? StopReason::price : StopReason::running);
}

TEST(Stopping, AStudyEndsByItAndGoesOnFromWhereItStopped) {
  Options options = small_options(400);
  options.initial_design = InitialDesign::paper;
  options.transform = Transform::none;
  options.stopping.price = 30;
  const Result result = minimize(valley_space(), options, valley);
  EXPECT_EQ(result.stop_reason, StopReason::price) << result.error;
  EXPECT_LT(result.spent, 400);
  EXPECT_GT(result.observations.size(), 8u);
  Hooks hooks;
  hooks.prior = result.observations;
  const Result again = minimize(valley_space(), options, valley, hooks);
  EXPECT_EQ(again.stop_reason, StopReason::price);
  EXPECT_LE(again.observations.size(), result.observations.size() + 3);
  options.stopping.price.reset();
  EXPECT_EQ(minimize(valley_space(), options, valley).stop_reason, StopReason::budget);
}

/// One value alone, ranked: what a unit of the model is worth is not known, so the rule has no say.
TEST(Stopping, SaysNothingWhereUnitsAreNotKnown) {
  Options options = pool_options(Goal::minimize, Transform::rank);
  options.stopping.price = 1e-300;
  Optimizer optimizer(valley_space(), options);
  optimizer.tell(optimizer.space().configuration(std::vector<double>{0.2, 0.3}), {1.0, 1.0});
  const std::vector<Suggestion> asked = optimizer.ask(1);
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_FALSE(asked[0].receipt.break_even_price || asked[0].receipt.would_stop);
  teach(optimizer);
  EXPECT_TRUE(optimizer.ask(1).empty());
}

TEST(Stopping, APriceThatMeansNothingIsRefused) {
  for (const double price : {0.0, -1.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
    Options options = small_options(10);
    options.stopping.price = price;
    expect_error<InvalidOptions>([&] { Optimizer(valley_space(), options); }, {"stopping.price is", "above 0"});
  }
  Options options = small_options(10);
  options.acquisition = Acquisition::random;
  options.stopping.price = 1;
  expect_error<InvalidOptions>([&] { Optimizer(valley_space(), options); }, {"stopping.price is 1", "random"});
}

}  // namespace
}  // namespace carbo
