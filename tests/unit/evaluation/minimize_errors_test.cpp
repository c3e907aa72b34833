#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include <carbo/carbo.hpp>

#include "support/expect_error.hpp"
#include "support/toy_problems.hpp"

// Runs of `minimize` that end early because the caller has something to change: the result says what.
namespace carbo {
namespace {

using namespace test;

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Returns when `all` evaluations have called it: one that has not begun when another ends the run is taken back.
void begin_together(std::atomic<std::size_t>& begun, std::size_t all) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  ++begun;
  while (begun < all && std::chrono::steady_clock::now() < limit)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST(MinimizeErrors, AnObjectiveWithoutALogarithmEndsTheRun) {
  for (const std::size_t batch : {1U, 3U}) {
    Options options = small_options(200);
    options.transform = Transform::log;
    options.batch_size = batch;
    std::atomic<std::size_t> begun = 0;
    const Result result = minimize(valley_space(), options, [&](const Configuration& x) {
      ++begun;
      return Evaluation{valley(x).objective - 0.05, valley(x).cost};
    });
    EXPECT_EQ(result.stop_reason, StopReason::error);
    EXPECT_TRUE(contains(result.error, "no logarithm") && contains(result.error, "rank")) << result.error;
    EXPECT_LT(result.spent, 200);
    EXPECT_EQ(result.observations.size(), begun) << "what ran beside it is kept";
    std::size_t failures = 0;
    for (const Observation& seen : result.observations) {
      const double objective = valley(seen.configuration).objective - 0.05;
      EXPECT_EQ(seen.status == ObservationStatus::failed, !(objective > 0));
      EXPECT_DOUBLE_EQ(seen.cost, valley(seen.configuration).cost);
      if (seen.status != ObservationStatus::failed) continue;
      ++failures;
      EXPECT_TRUE(contains(seen.reason, "-0.0")) << "the value is not lost: " << seen.reason;
    }
    EXPECT_GE(failures, 1U);
    EXPECT_LE(failures, batch) << "no batch begins after it";
  }
}

TEST(MinimizeErrors, AMistakeInTheObjectiveEndsTheRunAtOnce) {
  for (const std::size_t batch : {1U, 3U}) {
    Options options = small_options(1e6);
    options.batch_size = batch;
    std::atomic<std::size_t> begun = 0;
    const Result result = minimize(valley_space(), options, [&](const Configuration& x) {
      begin_together(begun, batch);
      return Evaluation{x.real("learning_rat"), 1.0};
    });
    EXPECT_EQ(result.stop_reason, StopReason::error);
    EXPECT_TRUE(contains(result.error, "'learning_rat'") && contains(result.error, "'x', 'y'")) << result.error;
    EXPECT_EQ(result.observations.size(), batch) << "the batch that ran is kept, and no other begins";
    for (const Observation& seen : result.observations) EXPECT_EQ(seen.status, ObservationStatus::failed);
  }
}

TEST(MinimizeErrors, WhatRunsBesideAMistakeIsAskedToStop) {
  Options options = small_options(1e6);
  options.batch_size = 2;
  std::atomic<std::size_t> begun = 0;
  std::atomic<bool> stopped = false;
  const Result result =
      minimize(valley_space(), options, [&](const Configuration& x, const EvaluationContext& context) {
        begin_together(begun, 2);
        if (context.suggestion_id() == 0) return Evaluation{x.real("no such name"), 1.0};
        for (int i = 0; i < 5000 && !context.stop_requested(); ++i)
          std::this_thread::sleep_for(std::chrono::milliseconds(2));
        stopped = context.stop_requested();
        return valley(x);
      });
  EXPECT_EQ(result.stop_reason, StopReason::error);
  EXPECT_TRUE(stopped);
  EXPECT_EQ(result.observations.size(), 2U);
}

TEST(MinimizeErrors, AStudyThatEndedByFailuresGoesOnOnceTheyAreMended) {
  Options options = small_options(60);
  options.failures.max_consecutive = 5;
  Hooks hooks;
  const Result broken = minimize(
      valley_space(), options, [](const Configuration&) -> Evaluation { throw EvaluationFailed(0.1, "disk full"); });
  EXPECT_EQ(broken.stop_reason, StopReason::failures);
  hooks.prior = broken.observations;
  const Result mended = minimize(valley_space(), options, valley, hooks);
  EXPECT_EQ(mended.stop_reason, StopReason::budget);
  EXPECT_TRUE(mended.error.empty());
}

TEST(MinimizeErrors, TheOrderOfTellingDoesNotDecideWhetherARunGoesOn) {
  for (const bool success_first : {true, false}) {
    Options options = small_options(1e9);
    options.failures.max_consecutive = 3;
    Optimizer optimizer(valley_space(), options);
    const auto batch = optimizer.ask(4);
    const auto succeed = [&] { optimizer.tell(batch[0].id, valley(batch[0].configuration)); };
    if (success_first) succeed();
    for (std::size_t i = 1; i < 4; ++i) optimizer.fail(batch[i].id, 1.0, "no luck");
    if (!success_first) succeed();
    EXPECT_EQ(optimizer.stop_reason(), StopReason::failures) << success_first;
  }
}

TEST(MinimizeErrors, TooManyFailuresLeaveTheLastReason) {
  Options options = small_options(1e9);
  options.failures.max_consecutive = 7;
  int calls = 0;
  const Result result = minimize(valley_space(), options, [&](const Configuration&) -> Evaluation {
    throw std::runtime_error("crash " + std::to_string(++calls));
  });
  EXPECT_EQ(result.stop_reason, StopReason::failures);
  EXPECT_EQ(result.error, "crash 7");
}

TEST(MinimizeErrors, FailuresEndAnAskTellRun) {
  Options options = small_options(1e9);
  options.failures.max_consecutive = 6;
  Optimizer optimizer(valley_space(), options);
  const auto fail_one = [&](const Suggestion& s) { optimizer.fail(s.id, 1.0, "no luck"); };
  for (int i = 0; i < 5; ++i) fail_one(optimizer.ask(1).at(0));
  const Suggestion good = optimizer.ask(1).at(0);
  optimizer.tell(good.id, valley(good.configuration));
  for (int i = 0; i < 5; ++i) fail_one(optimizer.ask(1).at(0));
  optimizer.fail(valley_space().configuration({{"x", 0.5}, {"y", 0.5}}), 1.0, "another study's");
  EXPECT_FALSE(optimizer.done()) << "a success between them, and prior data, do not count";
  const auto last = optimizer.ask(2);
  fail_one(last.at(0));
  EXPECT_EQ(optimizer.stop_reason(), StopReason::failures);
  EXPECT_TRUE(optimizer.ask(1).empty());
  optimizer.tell(last.at(1).id, valley(last[1].configuration));
  EXPECT_FALSE(optimizer.done()) << "what was still running succeeded";
}

TEST(MinimizeErrors, MoreThanMayRunAtOnceIsRefused) {
  Optimizer optimizer(valley_space(), small_options(1e9));
  const std::string most = std::to_string(Optimizer::most_running);
  expect_error<InvalidOptions>([&] { optimizer.ask(1000000); }, {"ask(1000000)", most});
  EXPECT_EQ(optimizer.ask(Optimizer::most_running - 1).size(), Optimizer::most_running - 1);
  expect_error<InvalidOptions>([&] { optimizer.ask(2); }, {"ask(2)", "4095 suggestions running", most});
  EXPECT_EQ(optimizer.ask(1).size(), 1U);
  expect_error<InvalidOptions>([&] { optimizer.ask(static_cast<std::size_t>(-1)); }, {most});
  optimizer.withdraw(optimizer.pending().front());
  EXPECT_EQ(optimizer.pending().size(), Optimizer::most_running - 1);
  Options limited = small_options(1e9);
  limited.max_evaluations = 10;
  EXPECT_EQ(Optimizer(valley_space(), limited).ask(100000).size(), 10U) << "the limit comes first";
  limited.max_evaluations.reset();
  limited.candidates.pool = grid_pool(valley_space(), 2);
  EXPECT_EQ(Optimizer(valley_space(), limited).ask(100000).size(), 4U) << "what there is";
  Options options = small_options(10);
  options.batch_size = Optimizer::most_running + 1;
  expect_error<InvalidOptions>([&] { Optimizer(valley_space(), options); }, {"batch_size is 4097", most});
}

}  // namespace
}  // namespace carbo
