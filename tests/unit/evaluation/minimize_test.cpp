#include <carbo/minimize.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <thread>

#include <carbo/carbo.hpp>

#include "support/sanitized.hpp"
#include "support/toy_problems.hpp"

namespace carbo {
namespace {

using namespace test;
using namespace std::chrono_literals;

Visits suggested(const Result& result) {
  Visits numbers;
  for (const Suggestion& s : result.suggestions) {
    numbers.emplace_back(s.configuration.numbers().begin(), s.configuration.numbers().end());
  }
  return numbers;
}

TEST(Minimize, GivesTheSequenceOfAskAndTell) {
  for (const std::size_t batch : {1U, 4U}) {
    Options options = small_options(sanitized ? 40 : 120);
    options.batch_size = batch;
    const Result result = minimize(valley_space(), options, valley);
    Optimizer optimizer(valley_space(), options);
    EXPECT_EQ(suggested(result), run(optimizer, valley, batch));
    EXPECT_EQ(result.spent, optimizer.spent());
    EXPECT_EQ(result.stop_reason, StopReason::budget);
    EXPECT_EQ(result.accounting, Accounting::longest);
    EXPECT_EQ(result.observations.size(), result.suggestions.size());
    ASSERT_TRUE(result.best);
    EXPECT_EQ(result.best->objective, optimizer.best()->objective);
  }
}

TEST(Minimize, MaximizeReportsTheCallersSign) {
  const Result result = maximize(valley_space(), small_options(80), [](const Configuration& x) {
    return Evaluation{3.0 - valley(x).objective, valley(x).cost};
  });
  ASSERT_TRUE(result.best);
  EXPECT_GT(result.best->objective, 2.9);
}

TEST(Minimize, EvaluatesABatchInParallel) {
  Options options = small_options(40);
  options.batch_size = 3;
  std::atomic<int> running{0};
  std::atomic<int> most{0};
  minimize(valley_space(), options, [&](const Configuration& x) {
    const int now = ++running;
    int seen = most;
    while (seen < now && !most.compare_exchange_weak(seen, now)) {
    }
    std::this_thread::sleep_for(5ms);
    --running;
    return valley(x);
  });
  EXPECT_EQ(most, 3);
}

TEST(Minimize, AsynchronousRefillsAFreeWorkerAtOnce) {
  Options options = small_options(60);
  options.batch_size = 3;
  options.execution = Execution::asynchronous;
  std::size_t most_running = 0;
  std::size_t suggestions_while_running = 0;
  Hooks hooks;
  hooks.progress = [&](const Progress& p) {
    most_running = std::max(most_running, p.running);
    if (p.last == nullptr && p.running > 1 && p.evaluations > 0) ++suggestions_while_running;
  };
  const Result result = minimize(
      valley_space(), options,
      [](const Configuration& x) {
        const Evaluation evaluation = valley(x);
        std::this_thread::sleep_for(std::chrono::duration<double>(evaluation.cost * 1e-3));
        return evaluation;
      },
      hooks);
  EXPECT_EQ(most_running, 3U);
  EXPECT_GT(suggestions_while_running, 5U);
  EXPECT_EQ(result.stop_reason, StopReason::budget);
  EXPECT_EQ(result.observations.size(), result.suggestions.size()) << "what still ran at the end is kept";
  double sum = 0;
  for (const Observation& seen : result.observations) sum += seen.cost;
  EXPECT_GE(result.spent, sum / 3 - 1e-9) << "the makespan is at least the average load";
  EXPECT_LE(result.spent, sum);
  bool committed = false;
  for (const Suggestion& s : result.suggestions) committed = committed || s.receipt.committed > 0;
  EXPECT_TRUE(committed);
}

TEST(Minimize, ThrowingAndNonFiniteEvaluationsAreKeptAsFailures) {
  Options options = small_options(80);
  options.cost.unit = "USD";
  std::atomic<int> calls{0};
  const Result result = minimize(valley_space(), options, [&](const Configuration& x) -> Evaluation {
    switch (calls++) {
      case 1:
        throw std::runtime_error("segmentation fault in the trainer");
      case 2:
        throw EvaluationFailed(2.5, "out of memory");
      case 3:
        throw 42;
      case 4:
        return {std::numeric_limits<double>::quiet_NaN(), 1.5};
      case 5:
        return {1.0, -3.0};
      case 6:
        throw EvaluationFailed(4.0, "over time", true);
      default:
        return valley(x);
    }
  });
  ASSERT_GT(result.observations.size(), 8U);
  const auto& seen = result.observations;
  EXPECT_EQ(seen[1].reason, "segmentation fault in the trainer");
  EXPECT_EQ(seen[1].status, ObservationStatus::failed);
  EXPECT_EQ(seen[2].cost, 2.5);
  EXPECT_NE(seen[3].reason.find("std::exception"), std::string::npos);
  EXPECT_EQ(seen[4].cost, 1.5);
  EXPECT_NE(seen[4].reason.find("nan"), std::string::npos);
  EXPECT_NE(seen[5].reason.find("-3"), std::string::npos);
  EXPECT_EQ(seen[6].status, ObservationStatus::timed_out);
  EXPECT_EQ(seen[6].cost, 4.0);
  EXPECT_EQ(result.stop_reason, StopReason::budget);
}

TEST(Minimize, StopsAfterTooManyFailuresInARow) {
  Options options = small_options(1e9);
  options.failures.max_consecutive = 13;
  const Result result = minimize(valley_space(), options,
                                 [](const Configuration&) -> Evaluation { throw std::runtime_error("always"); });
  EXPECT_EQ(result.stop_reason, StopReason::failures);
  EXPECT_EQ(result.observations.size(), 13U);
  EXPECT_FALSE(result.best);
}

TEST(Minimize, CancellationKeepsWhatRan) {
  std::stop_source stop;
  Options options = small_options(1e6);
  options.batch_size = 2;
  Hooks hooks;
  hooks.stop = stop.get_token();
  hooks.progress = [&](const Progress& p) {
    if (p.evaluations == 6) stop.request_stop();
  };
  const Result result = minimize(valley_space(), options, valley, hooks);
  EXPECT_EQ(result.stop_reason, StopReason::cancelled);
  EXPECT_EQ(result.observations.size(), result.suggestions.size());
  EXPECT_GE(result.observations.size(), 6U);
  EXPECT_LE(result.observations.size(), 8U);
}

TEST(Minimize, ARunningEvaluationSeesTheStop) {
  std::stop_source stop;
  Options options = small_options(1e6);
  Hooks hooks;
  hooks.stop = stop.get_token();
  std::atomic<int> calls{0};
  const Result result = minimize(
      valley_space(), options,
      [&](const Configuration& x, const EvaluationContext& context) -> Evaluation {
        if (++calls < 3) return valley(x);
        stop.request_stop();
        EXPECT_TRUE(context.stop_requested());
        throw EvaluationFailed(0.5, "stopped", true);
      },
      hooks);
  EXPECT_EQ(result.stop_reason, StopReason::cancelled);
  EXPECT_EQ(result.observations.size(), 3U);
}

TEST(Minimize, StrictWallClockStopsARunningEvaluationAtTheEndOfTheBudget) {
  Options options = small_options(0.15);
  options.accounting = Accounting::wall_clock;
  options.strict = true;
  options.max_evaluations = 1;
  const Result result =
      minimize(valley_space(), options, [](const Configuration&, const EvaluationContext& context) -> Evaluation {
        const auto start = std::chrono::steady_clock::now();
        const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start); };
        while (!context.stop_requested() && elapsed() < 20s) std::this_thread::sleep_for(2ms);
        throw EvaluationFailed(elapsed().count(), "budget over", true);
      });
  ASSERT_EQ(result.observations.size(), 1U);
  EXPECT_GE(result.observations[0].cost, 0.1);
  EXPECT_LT(result.observations[0].cost, 10.0) << "it was told to stop, not left to run";
}

TEST(Minimize, AStrictSumIsSharedByTheEvaluationsThatRun) {
  Options options = small_options(0.4);
  options.accounting = Accounting::sum;
  options.strict = true;
  options.batch_size = 4;
  options.design.warm_start = 4;
  options.max_evaluations = 4;
  const Result result =
      minimize(valley_space(), options, [](const Configuration&, const EvaluationContext& context) -> Evaluation {
        const double left = context.seconds_left();
        EXPECT_LT(left, 0.11);
        throw EvaluationFailed(left, "budget over", true);
      });
  EXPECT_EQ(result.observations.size(), 4U);
  EXPECT_LE(result.spent, 0.4);
}

TEST(Minimize, WhateverThrowsKeepsEveryObservation) {
  const auto run_with = [](Hooks hooks, Space space) {
    Options options = small_options(1e3);
    options.batch_size = 2;
    std::atomic<std::size_t> begun = 0;
    const auto counted = [&](const Configuration& x) {
      ++begun;
      return valley(x);
    };
    const Result result = minimize(space, options, counted, hooks);
    EXPECT_EQ(result.stop_reason, StopReason::error);
    EXPECT_EQ(result.error, "not today");
    EXPECT_EQ(result.observations.size(), begun);
    EXPECT_GE(result.observations.size(), 6U);
  };
  Hooks throwing;
  throwing.progress = [](const Progress& p) {
    if (p.evaluations == 6) throw std::runtime_error("not today");
  };
  run_with(throwing, valley_space());
  Space space = valley_space();
  std::atomic<int> evaluated{0};
  space.constrain([&](const Configuration&) {
    if (evaluated >= 8) throw std::runtime_error("not today");
    return true;
  });
  Hooks counting;
  counting.progress = [&](const Progress& p) { evaluated = static_cast<int>(p.evaluations); };
  run_with(counting, space);
}

TEST(Minimize, NothingStartsAfterAStop) {
  std::stop_source stop;
  Options options = small_options(1e3);
  Hooks hooks;
  hooks.stop = stop.get_token();
  std::atomic<int> started{0};
  options.cost.known = [&](const Configuration& x) {
    if (started == 3) stop.request_stop();  // while the fourth point is being chosen
    return valley(x).cost;
  };
  const Result result = minimize(
      valley_space(), options,
      [&](const Configuration& x) {
        ++started;
        return valley(x);
      },
      hooks);
  EXPECT_EQ(started, 3);
  EXPECT_EQ(result.stop_reason, StopReason::cancelled);
}

TEST(Minimize, AnEmptyObjectiveIsRefused) {
  EXPECT_THROW(minimize(valley_space(), small_options(10), Objective{}), InvalidOptions);
  EXPECT_THROW(minimize(valley_space(), small_options(10), CancellableObjective{}), InvalidOptions);
}

TEST(Minimize, WallClockCountsTheEngineToo) {
  Options options = small_options(0.4);
  options.accounting = Accounting::wall_clock;
  const Result result = minimize(valley_space(), options, [](const Configuration& x) {
    return Evaluation{valley(x).objective, 1e-3};
  });
  EXPECT_EQ(result.stop_reason, StopReason::budget);
  double reported = 0;
  for (const Observation& seen : result.observations) reported += seen.cost;
  EXPECT_GE(result.spent, 0.4);
  EXPECT_LE(result.spent, result.elapsed_seconds + 1e-3);
  EXPECT_LT(reported, 0.4) << "most of the time was the engine's";
}

TEST(Minimize, PriorObservationsAreLearnedAndKept) {
  const Result earlier = minimize(valley_space(), small_options(60), valley);
  Hooks hooks;
  hooks.prior = earlier.observations;
  for (Observation& seen : hooks.prior) seen.origin = Origin::prior;
  const Result later = minimize(valley_space(), small_options(30, 9), valley, hooks);
  EXPECT_EQ(later.observations.size(), earlier.observations.size() + later.suggestions.size());
  EXPECT_EQ(later.observations.front().origin, Origin::prior);
  EXPECT_LE(later.best->objective, earlier.best->objective);
  double spent = 0;
  for (const Observation& seen : later.observations) spent += seen.origin == Origin::this_run ? seen.cost : 0.0;
  EXPECT_NEAR(later.spent, spent, 1e-9);
}

TEST(Minimize, ProgressHasWhatABarNeeds) {
  Options options = small_options(40);
  Hooks hooks;
  std::size_t finished = 0;
  double spent_before = 0;
  hooks.progress = [&](const Progress& p) {
    EXPECT_EQ(p.budget, 40.0);
    EXPECT_GE(p.spent, spent_before);
    spent_before = p.spent;
    if (p.last == nullptr) return;
    ++finished;
    EXPECT_EQ(p.evaluations, finished);
    EXPECT_EQ(p.running, 0U);
    ASSERT_TRUE(p.best_objective);
    EXPECT_LE(*p.best_objective, p.last->objective);
  };
  const Result result = minimize(valley_space(), options, valley, hooks);
  EXPECT_EQ(finished, result.observations.size());
}

TEST(Minimize, OptionErrorsAreThrownBeforeAnythingRuns) {
  bool called = false;
  Options options = small_options(-1);
  EXPECT_THROW(minimize(valley_space(), options,
                        [&](const Configuration& x) {
                          called = true;
                          return valley(x);
                        }),
               InvalidOptions);
  EXPECT_FALSE(called);
}

TEST(Minimize, AnErrorInTheRunKeepsEveryObservation) {
  Options options = small_options(1e3);
  std::atomic<int> calls{0};
  options.cost.known = [&](const Configuration& x) {
    return calls < 12 ? valley(x).cost : std::numeric_limits<double>::quiet_NaN();
  };
  const Result result = minimize(valley_space(), options, [&](const Configuration& x) {
    ++calls;
    return valley(x);
  });
  EXPECT_EQ(result.stop_reason, StopReason::error);
  EXPECT_FALSE(result.error.empty());
  EXPECT_EQ(result.observations.size(), 12U);
  EXPECT_TRUE(result.best);
}

}  // namespace
}  // namespace carbo
