#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

#include <carbo/carbo.hpp>

#include "support/expect_error.hpp"
#include "support/not_finite.hpp"
#include "support/sanitized.hpp"
#include "support/toy_problems.hpp"

// evaluation.timeout: seen by whoever evaluates, and learned as "at least that".
namespace carbo {
namespace {

using namespace test;

using carbo::test::infinity;

TEST(Timeout, SuggestionsCarryTheSmallerOfBoth) {
  Options options = small_options(200);
  options.evaluation.timeout = 9.0;
  options.evaluation.timeout_factor = 3.0;
  Optimizer optimizer(valley_space(), options);
  std::size_t by_cost = 0, by_factor = 0;
  while (!optimizer.done()) {
    const Suggestion s = optimizer.ask(1).at(0);
    ASSERT_TRUE(s.timeout);
    const double predicted = s.receipt.predicted_cost ? 3.0 * *s.receipt.predicted_cost : infinity;
    EXPECT_EQ(*s.timeout, std::min(9.0, predicted));
    ++(predicted < 9.0 ? by_factor : by_cost);
    optimizer.tell(s.id, valley(s.configuration));
  }
  EXPECT_GT(by_cost, 0U);
  EXPECT_GT(by_factor, 0U);
  EXPECT_FALSE(Optimizer(valley_space(), small_options(10)).ask(1).at(0).timeout);
}

/// What a model that was told the run's observations, cut-offs or not, predicts at a hand's breadth from the first
/// cut-off.
double predicted_beside_a_cut_off(const Result& run, bool with_cut_offs) {
  const auto cut_off = [](const Observation& seen) { return seen.status == ObservationStatus::timed_out; };
  const auto first = std::ranges::find_if(run.observations, cut_off);
  Options options = small_options(1e6);
  options.cost.model = CostModelKind::log_gp;
  options.initial_design = InitialDesign::points;
  const double x = first->configuration.real("x"), y = first->configuration.real("y");
  options.design.points = {valley_space().configuration({{"x", x}, {"y", y > 0.5 ? y - 0.01 : y + 0.01}})};
  Optimizer optimizer(valley_space(), options);
  for (Observation seen : run.observations) {
    seen.origin = Origin::prior;
    if (with_cut_offs || !cut_off(seen)) optimizer.tell(seen);
  }
  return *optimizer.ask(1).at(0).receipt.predicted_cost;
}

/// Beyond x = 0.5 an evaluation would cost a million budgets. The objective counts euros, and stops where it is told
/// to.
TEST(Timeout, CutsOffWhatWouldSpendManyBudgetsAndTeachesTheCost) {
  for (const bool strict : {false, true}) {
    if (sanitized && strict) continue;
    Options options = small_options(100);
    options.cost.unit = "EUR";
    options.strict = strict;
    options.evaluation.timeout = 5.0;
    const auto price = [](const Configuration& x) { return x.real("x") > 0.5 ? 1e8 : 1.0; };
    const Result result =
        minimize(valley_space(), options, [&](const Configuration& x, const EvaluationContext& context) {
          EXPECT_EQ(context.seconds_left(), infinity) << "euros are not time";
          if (price(x) > context.timeout()) throw EvaluationFailed(context.timeout(), "too dear");
          return Evaluation{valley(x).objective, price(x)};
        });
    std::size_t cut_off = 0;
    for (const Observation& seen : result.observations) {
      EXPECT_LE(seen.cost, 5.0);
      EXPECT_EQ(seen.status == ObservationStatus::timed_out, price(seen.configuration) > 5.0);
      cut_off += seen.status == ObservationStatus::timed_out;
    }
    EXPECT_GT(cut_off, 0U);
    EXPECT_LE(result.spent, strict ? 100.0 : 105.0);
    EXPECT_GT(predicted_beside_a_cut_off(result, true), 2.5) << "at least 5 was learned";
    EXPECT_LT(predicted_beside_a_cut_off(result, false), 1.5);
  }
}

TEST(Timeout, AStrictBudgetIsSeenInItsUnit) {
  Options options = small_options(50);
  options.cost.unit = "kWh";
  options.strict = true;
  options.batch_size = 2;
  const Result result =
      minimize(valley_space(), options, [](const Configuration& x, const EvaluationContext& context) {
        EXPECT_LE(context.timeout(), 25.0);
        const double cost = 10 * valley(x).cost;
        if (cost > context.timeout()) throw EvaluationFailed(context.timeout(), "no more", true);
        return Evaluation{valley(x).objective, cost};
      });
  EXPECT_LE(result.spent, 50.0 + 1e-9);
}

/// One evaluation is slow and cheap, all others use up whatever they are given: together they stay inside the budget.
TEST(Timeout, AStrictSumIsKeptWhereEvaluationsOverlap) {
  Options options = small_options(100);
  options.cost.unit = "EUR";
  options.strict = true;
  options.batch_size = 2;
  options.execution = Execution::asynchronous;
  std::atomic<int> others = 0;
  const Result result =
      minimize(valley_space(), options, [&](const Configuration& x, const EvaluationContext& context) {
        EXPECT_GT(context.timeout(), 0);
        const double objective = valley(x).objective;
        if (context.suggestion_id() == 0) return Evaluation{objective, 1.0};
        if (context.suggestion_id() == 1) {
          for (int i = 0; i < 500 && others < 1; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(2));
          return Evaluation{objective, context.timeout()};
        }
        ++others;
        return Evaluation{objective, context.timeout()};
      });
  EXPECT_LE(result.spent, 100 * (1 + 1e-9));
  EXPECT_GT(result.spent, 99);
}

TEST(Timeout, ACrashWhoseCostNobodyKnowsIsNoCutOff) {
  for (const bool throws : {true, false}) {
    Options options = small_options(1e4);
    options.cost.unit = "EUR";
    options.evaluation.timeout = 2.0;
    options.max_evaluations = 25;
    int calls = 0;
    const Result result = minimize(valley_space(), options, [&](const Configuration& x) {
      if (++calls <= 5) return valley(x);
      if (throws) throw std::runtime_error("crash");
      return Evaluation{std::nan(""), std::nan("")};
    });
    ASSERT_EQ(result.observations.size(), 25U);
    for (std::size_t i = 5; i < 25; ++i) EXPECT_EQ(result.observations[i].status, ObservationStatus::failed);
  }
}

TEST(Timeout, CutOffsAreNotFailuresInARow) {
  Options options = small_options(20);
  options.cost.unit = "EUR";
  options.evaluation.timeout = 1.01;
  options.failures.max_consecutive = 5;
  const Result result =
      minimize(valley_space(), options, [](const Configuration& x, const EvaluationContext& context) {
        if (valley(x).cost > context.timeout()) throw EvaluationFailed(context.timeout(), "cut", true);
        return valley(x);
      });
  EXPECT_EQ(result.stop_reason, StopReason::budget);
}

TEST(Timeout, AFailureWithAnImpossibleCostSaysSo) {
  Options options = small_options(100);
  options.max_evaluations = 3;
  const Result result = minimize(valley_space(), options, [](const Configuration&) -> Evaluation {
    throw EvaluationFailed(-3.0, "diverged", true);
  });
  for (const Observation& seen : result.observations) {
    EXPECT_NE(seen.reason.find("diverged (EvaluationFailed has a cost of -3"), std::string::npos) << seen.reason;
  }
}

TEST(Timeout, InTimeTheObjectiveIsAskedToStop) {
  Options options = small_options(1e3);
  options.max_evaluations = 2;
  options.cost.unit = "ms";
  options.evaluation.timeout = 30.0;
  const Result result =
      minimize(valley_space(), options, [](const Configuration&, const EvaluationContext& context) -> Evaluation {
        const auto start = std::chrono::steady_clock::now();
        const auto elapsed = [&] {
          return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
        };
        EXPECT_LE(context.seconds_left(), 0.030);
        while (!context.stop_requested() && elapsed() < 2e4)
          std::this_thread::sleep_for(std::chrono::milliseconds(2));
        throw std::runtime_error("stopped");  // nothing said of its cost: it took what it took
      });
  ASSERT_EQ(result.observations.size(), 2U);
  for (const Observation& seen : result.observations) {
    EXPECT_EQ(seen.status, ObservationStatus::timed_out);
    EXPECT_GE(seen.cost, 30.0);
    EXPECT_LT(seen.cost, 1e4);
  }
}

TEST(Timeout, AnEvaluationThatEndsLateAllTheSameIsKept) {
  Options options = small_options(60);
  options.evaluation.timeout = 2.0;
  const Result result = minimize(valley_space(), options, valley);
  for (const Observation& seen : result.observations) EXPECT_EQ(seen.status, ObservationStatus::succeeded);
}

TEST(Timeout, SettingsOutOfRangeAreNamed) {
  for (const double wrong : {0.0, -1.0, infinity, std::numeric_limits<double>::quiet_NaN()}) {
    Options options = small_options(10);
    options.evaluation.timeout = wrong;
    expect_error<InvalidOptions>([&] { Optimizer(valley_space(), options); }, {"evaluation.timeout is", "above 0"});
    options.evaluation = {};
    options.evaluation.timeout_factor = wrong == 0 ? 1.0 : wrong;
    expect_error<InvalidOptions>([&] { Optimizer(valley_space(), options); },
                                 {"evaluation.timeout_factor is", "above 1"});
  }
}

}  // namespace
}  // namespace carbo
