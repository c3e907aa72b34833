#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <stop_token>
#include <thread>

#include <gtest/gtest.h>

#include <carbo/carbo.hpp>

namespace carbo {
namespace {

using std::chrono::milliseconds;

const Space& line() {
  static const Space made{real("x", 0, 1)};
  return made;
}

Options options(std::size_t workers, Execution execution = Execution::synchronous) {
  Options options{.budget = 1e6, .batch_size = workers, .execution = execution, .max_evaluations = 24};
  options.candidates.count = 256;
  options.cost.unit = "units";
  return options;
}

double square(const Configuration& x) { return (x.real("x") - 0.3) * (x.real("x") - 0.3); }

TEST(MinimizeHooks, DrainingLetsWhatRunsGoOnAndStartsNothing) {
  std::stop_source drain;
  std::atomic<int> begun = 0, told_to_stop = 0;
  Hooks hooks;
  hooks.drain = drain.get_token();
  const Result result = minimize(
      line(), options(2),
      [&](const Configuration& x, const EvaluationContext& context) -> Evaluation {
        ++begun;
        drain.request_stop();
        std::this_thread::sleep_for(milliseconds(30));
        told_to_stop += context.stop_requested();
        return {square(x), 1.0};
      },
      hooks);
  EXPECT_EQ(result.stop_reason, StopReason::cancelled);
  EXPECT_EQ(told_to_stop, 0);
  EXPECT_EQ(result.observations.size(), static_cast<std::size_t>(begun.load())) << "kept, and the others taken back";
  EXPECT_LE(begun, 2);
}

TEST(MinimizeHooks, StoppingBeforeAnythingBeginsEnds) {
  std::stop_source stop;
  stop.request_stop();
  Hooks hooks;
  hooks.stop = stop.get_token();
  const Result result = minimize(
      line(), options(4),
      [](const Configuration& x) {
        return Evaluation{square(x), 1.0};
      },
      hooks);
  EXPECT_EQ(result.stop_reason, StopReason::cancelled);
  EXPECT_TRUE(result.observations.empty());
}

TEST(MinimizeHooks, TicksWhileEvaluationsRun) {
  std::atomic<int> ticks = 0;
  std::atomic<bool> begun = false;
  const std::thread::id caller = std::this_thread::get_id();
  Hooks hooks;
  hooks.tick_seconds = 0.005;
  hooks.tick = [&] {
    ++ticks;
    EXPECT_EQ(std::this_thread::get_id(), caller);
  };
  Options few = options(1);
  few.max_evaluations = 2;
  // An evaluation lasts until two ticks have come, so that nothing depends on how busy the machine is.
  const auto slow = [&](const Configuration& x) {
    const int before = ticks;
    begun = true;
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (ticks < before + 2 && std::chrono::steady_clock::now() < limit)
      std::this_thread::sleep_for(milliseconds(1));
    EXPECT_GE(ticks, before + 2);
    return Evaluation{square(x), 1.0};
  };
  EXPECT_EQ(minimize(line(), few, slow, hooks).observations.size(), 2u);
  begun = false;
  hooks.tick = [&] {
    if (!begun) return;  // one that comes before the evaluation ends nothing that it could keep
    ticks += 2;
    throw std::runtime_error("seen enough");
  };
  const Result ended = minimize(line(), few, slow, hooks);
  EXPECT_EQ(ended.stop_reason, StopReason::error);
  EXPECT_EQ(ended.error, "seen enough");
  EXPECT_EQ(ended.observations.size(), 1u) << "what ran is kept";
}

TEST(MinimizeHooks, WorkersAreToldApart) {
  std::mutex mutex;
  std::set<std::size_t> running, seen;
  const Result result = minimize(line(), options(3, Execution::asynchronous),
                                 [&](const Configuration& x, const EvaluationContext& context) {
                                   {
                                     const std::lock_guard lock(mutex);
                                     EXPECT_TRUE(running.insert(context.worker()).second);
                                     seen.insert(context.worker());
                                   }
                                   std::this_thread::sleep_for(milliseconds(5));
                                   const std::lock_guard lock(mutex);
                                   running.erase(context.worker());
                                   return Evaluation{square(x), 1.0};
                                 });
  EXPECT_EQ(result.observations.size(), 24u);
  EXPECT_EQ(seen, (std::set<std::size_t>{0, 1, 2}));
}

TEST(MinimizeHooks, PreparedSuggestionsAreEvaluatedOnceAndNoneIsLeft) {
  std::mutex mutex;
  std::multiset<std::uint64_t> evaluated;
  Hooks hooks;
  hooks.prepare = true;
  const Result result = minimize(
      line(), options(4, Execution::asynchronous),
      [&](const Configuration& x, const EvaluationContext& context) {
        const std::lock_guard lock(mutex);
        evaluated.insert(context.suggestion_id());
        return Evaluation{square(x), 1.0};
      },
      hooks);
  EXPECT_EQ(result.stop_reason, StopReason::evaluations);
  EXPECT_EQ(result.observations.size(), 24u);
  EXPECT_EQ(std::set<std::uint64_t>(evaluated.begin(), evaluated.end()).size(), evaluated.size());
  EXPECT_EQ(evaluated.size(), 24u);
}

TEST(MinimizeHooks, WhatWasBrokenOffIsNotRecorded) {
  std::stop_source stop;
  Hooks hooks;
  hooks.stop = stop.get_token();
  const Result result = minimize(
      line(), options(2),
      [&](const Configuration& x, const EvaluationContext& context) -> Evaluation {
        if (context.suggestion_id() < 2) return {square(x), 1.0};
        stop.request_stop();
        throw EvaluationInterrupted();
      },
      hooks);
  EXPECT_EQ(result.stop_reason, StopReason::cancelled);
  EXPECT_EQ(result.observations.size(), 2u);
  EXPECT_EQ(result.spent, 2.0);
}

}  // namespace
}  // namespace carbo
