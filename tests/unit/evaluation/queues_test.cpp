#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include <carbo/carbo.hpp>

#include "support/sanitized.hpp"
#include "support/toy_problems.hpp"

// Workers that have several evaluations of a round one behind the other.
namespace carbo {
namespace {

using namespace test;
using namespace std::chrono_literals;

Options filled(double budget, std::size_t workers, Batches batches = Batches::fill) {
  Options options = small_options(budget);
  options.batches = batches;
  options.batch_size = workers;
  return options;
}

std::size_t queued(const Result& result) {
  return static_cast<std::size_t>(
      std::ranges::count_if(result.suggestions, [](const Suggestion& s) { return s.order > 0; }));
}

TEST(Queues, GiveTheSequenceOfAskAndTell) {
  for (const Batches batches : {Batches::fill, Batches::top_up}) {
    for (const std::size_t workers : {1U, 2U, 5U}) {
      if (sanitized && workers == 2) continue;
      const Options options = filled(sanitized ? 40 : 60, workers, batches);
      const Result result = minimize(valley_space(), options, valley);
      Optimizer optimizer(valley_space(), options);
      Visits visited;
      for (const Suggestion& s : result.suggestions)
        visited.emplace_back(s.configuration.numbers().begin(), s.configuration.numbers().end());
      EXPECT_EQ(visited, run(optimizer, valley, workers));
      EXPECT_EQ(result.spent, optimizer.spent());
      EXPECT_EQ(result.stop_reason, StopReason::budget);
      EXPECT_EQ(result.observations.size(), result.suggestions.size());
      EXPECT_EQ(queued(result) > 0, workers > 1);
    }
  }
}

/// When evaluations began and ended, by id, in the order in which it happened.
struct Diary {
  std::mutex mutex;
  std::vector<std::uint64_t> began, ended;
  std::size_t running = 0, most = 0;

  void begin(std::uint64_t id) {
    const std::lock_guard lock(mutex);
    began.push_back(id);
    most = std::max(most, ++running);
  }
  void end(std::uint64_t id) {
    const std::lock_guard lock(mutex);
    ended.push_back(id);
    --running;
  }
};

TEST(Queues, RunInOrderOnWorkersOfTheirOwn) {
  Diary diary;
  std::mutex mutex;
  std::map<std::uint64_t, std::set<std::uint64_t>> over_before;  ///< what had ended when each began
  const Result result =
      minimize(valley_space(), filled(120, 3), [&](const Configuration& x, const EvaluationContext& context) {
        const std::uint64_t id = context.suggestion_id();
        diary.begin(id);
        {
          const std::scoped_lock lock(mutex, diary.mutex);
          over_before[id] = {diary.ended.begin(), diary.ended.end()};
        }
        std::this_thread::sleep_for(1ms);
        diary.end(id);
        return valley(x);
      });
  ASSERT_GT(queued(result), 3U);
  EXPECT_EQ(diary.most, 3U) << "never more at once than there are workers";
  std::map<std::pair<double, std::size_t>, std::vector<std::uint64_t>> slots;  // by what was spent when asked
  for (const Suggestion& s : result.suggestions) {
    auto& slot = slots[{s.receipt.spent, s.slot}];
    EXPECT_EQ(slot.size(), s.order);
    for (const std::uint64_t before : slot) EXPECT_TRUE(over_before[s.id].contains(before));
    slot.push_back(s.id);
  }
}

TEST(Queues, AFailureDoesNotLoseWhatIsBehindIt) {
  Options options = filled(60, 3);
  options.evaluation.timeout_factor = 1.5;
  std::atomic<std::size_t> calls{0};
  const Result result =
      minimize(valley_space(), options, [&](const Configuration& x, const EvaluationContext& context) -> Evaluation {
        ++calls;
        if (context.suggestion_id() % 4 == 1) throw std::runtime_error("the node was lost");
        if (context.suggestion_id() % 4 == 3)
          throw EvaluationFailed(std::min(context.timeout(), 5.0), "too slow", true);
        return valley(x);
      });
  EXPECT_GT(queued(result), 3U);
  EXPECT_EQ(result.stop_reason, StopReason::budget);
  EXPECT_EQ(result.observations.size(), result.suggestions.size());
  EXPECT_EQ(calls, result.suggestions.size());
  const auto timed_out = [](const Observation& seen) { return seen.status == ObservationStatus::timed_out; };
  EXPECT_GT(std::ranges::count_if(result.observations, timed_out), 2);
}

TEST(Queues, AreGivenBackWhereTheRunIsCancelled) {
  for (const bool by_callback : {true, false}) {
    std::stop_source stop;
    std::size_t asked = 0, most_running = 0;
    std::atomic<std::size_t> calls{0};
    Hooks hooks;
    hooks.stop = stop.get_token();
    hooks.progress = [&](const Progress& now) {
      most_running = std::max(most_running, now.running);
      const bool in_search = now.phase == Phase::search && now.spent > 10;
      asked += in_search && now.last == nullptr;
      if (asked < 2 || now.last == nullptr) return;
      if (by_callback) throw std::runtime_error("enough");
      stop.request_stop();
    };
    const Result result = minimize(
        valley_space(), filled(1000, 2),
        [&](const Configuration& x) {
          ++calls;
          return valley(x);
        },
        hooks);
    EXPECT_EQ(result.stop_reason, by_callback ? StopReason::error : StopReason::cancelled);
    EXPECT_EQ(result.observations.size(), calls) << "all that ran is kept";
    EXPECT_LE(most_running, 2U);
    EXPECT_LT(result.spent, 500.0);
  }
}

TEST(Queues, EndWithAMistakeOfTheObjective) {
  std::atomic<int> calls{0};
  const Result result = minimize(valley_space(), filled(100, 2), [&](const Configuration& x) {
    if (++calls == 20) return Evaluation{x.real("z"), 1.0};
    return valley(x);
  });
  EXPECT_EQ(result.stop_reason, StopReason::error);
  EXPECT_NE(result.error.find("z"), std::string::npos);
  EXPECT_GE(result.observations.size(), 20U);
}

/// Evaluations take three times as long as they are said to: a queue ends where its worker's share of the budget
/// does.
TEST(Queues, EndWithAStrictBudget) {
  Options options = filled(30, 3, Batches::top_up);
  options.strict = true;
  options.cost.known = [](const Configuration& x) { return valley(x).cost / 3; };
  std::mutex mutex;
  std::map<std::uint64_t, double> timeouts;
  const Result result =
      minimize(valley_space(), options, [&](const Configuration& x, const EvaluationContext& context) {
        const std::lock_guard lock(mutex);
        timeouts[context.suggestion_id()] = context.timeout();
        return valley(x);
      });
  ASSERT_GT(queued(result), 2U);
  std::map<std::pair<double, std::size_t>, double> before;  // what a worker had spent of the round
  std::size_t given_back = 0;
  for (const Suggestion& s : result.suggestions) {
    double& used = before[{s.receipt.spent, s.slot}];
    const double left = options.budget - s.receipt.spent - used;
    if (left <= 0) {
      EXPECT_FALSE(timeouts.contains(s.id));
      ++given_back;
      continue;
    }
    ASSERT_TRUE(timeouts.contains(s.id));
    EXPECT_NEAR(timeouts[s.id], left, 1e-9);
    used += valley(s.configuration).cost;
  }
  EXPECT_EQ(result.observations.size() + given_back, result.suggestions.size());
}

}  // namespace
}  // namespace carbo
