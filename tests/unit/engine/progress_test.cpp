#include <gtest/gtest.h>

#include <cmath>

#include <carbo/carbo.hpp>

#include "design/initial_design.hpp"
#include "support/sanitized.hpp"
#include "support/toy_problems.hpp"

// Progress of a run that has two limits, a budget and a number of evaluations: the larger share counts.
namespace carbo {
namespace {

using namespace test;

Evaluation valley_at_one(const Configuration& x) { return {valley(x).objective, 1.0}; }

struct Step {
  Phase phase;
  double alpha;  ///< −1 where there is none
  double progress;
  std::vector<double> numbers;
};

std::vector<Step> steps_of(const Options& options, std::size_t batch = 1) {
  Optimizer optimizer(valley_space(), options);
  std::vector<Step> steps;
  while (!optimizer.done()) {
    for (const Suggestion& s : optimizer.ask(batch)) {
      const auto numbers = s.configuration.numbers();
      steps.push_back({s.receipt.phase, s.receipt.alpha.value_or(-1), s.receipt.progress,
                       std::vector<double>(numbers.begin(), numbers.end())});
      optimizer.tell(s.id, valley_at_one(s.configuration));
    }
  }
  return steps;
}

TEST(Progress, ALimitOfEvaluationsIsABudgetOfEqualCosts) {
  Options limited = cooled_options(1000);
  limited.max_evaluations = 40;
  const std::vector<Step> by_count = steps_of(limited);
  const std::vector<Step> by_budget = steps_of(cooled_options(40));
  ASSERT_EQ(by_count.size(), 40U);
  ASSERT_EQ(by_budget.size(), 40U);
  for (std::size_t i = 0; i < by_count.size(); ++i) {
    EXPECT_EQ(by_count[i].phase, by_budget[i].phase) << i;
    EXPECT_NEAR(by_count[i].alpha, by_budget[i].alpha, 1e-12) << i;
    EXPECT_NEAR(by_count[i].progress, static_cast<double>(i) / 40, 1e-15) << i;
    EXPECT_EQ(by_count[i].numbers, by_budget[i].numbers) << i;
  }
  EXPECT_EQ(by_count[5].phase, Phase::search) << "an eighth of 40 evaluations";
  EXPECT_NEAR(by_count[22].alpha, 18.0 / 35, 1e-12);
}

TEST(Progress, TheLimitThatIsNearerDecides) {
  Options options = cooled_options(sanitized ? 15 : 50);
  options.max_evaluations = 1000;
  const std::vector<Step> far_count = steps_of(options);
  options.max_evaluations.reset();
  const std::vector<Step> none = steps_of(options);
  ASSERT_EQ(far_count.size(), none.size());
  for (std::size_t i = 0; i < none.size(); ++i) EXPECT_EQ(far_count[i].alpha, none[i].alpha) << i;
}

TEST(Progress, WhatRunsCountsAsEvaluated) {
  Options options = cooled_options(1e6);
  options.max_evaluations = 32;
  options.execution = Execution::asynchronous;
  options.batch_size = 4;
  Optimizer optimizer(valley_space(), options);
  for (const Suggestion& s : optimizer.ask(8)) optimizer.tell(s.id, valley_at_one(s.configuration));
  const auto anchor = optimizer.ask(1);  // τ_init: 8 of 32
  ASSERT_EQ(anchor.at(0).receipt.phase, Phase::search);
  EXPECT_NEAR(*anchor.at(0).receipt.alpha, 1.0, 1e-12);
  const auto next = optimizer.ask(2);
  EXPECT_NEAR(*next.at(0).receipt.alpha, (32.0 - 9) / (32 - 8), 1e-12);
  EXPECT_NEAR(*optimizer.ask(1).at(0).receipt.alpha, (32.0 - 11) / (32 - 8), 1e-12);
}

TEST(Progress, UsedIsTheLargerShareInTheUnitOfTheBudget) {
  Options options;
  options.budget = 80;
  const internal::InitialDesignPlan budget_alone(options);
  EXPECT_EQ(budget_alone.used({9, 0, 7, 0.5, 1000}), 7.5);
  options.max_evaluations = 20;
  const internal::InitialDesignPlan both(options);
  EXPECT_EQ(both.used({9, 0, 7, 0.5, 5}), 20.0);
  EXPECT_EQ(both.used({9, 0, 30, 0.5, 5}), 30.5);
  EXPECT_FALSE(both.over({5, 0, 1, 0, 2}));
  EXPECT_TRUE(both.over({5, 0, 1, 0, 3})) << "3 of 20 is more than an eighth";
}

}  // namespace
}  // namespace carbo
