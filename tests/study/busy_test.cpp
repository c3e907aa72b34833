// The closed loop on a study that others hold for longer than it is ready to wait.

#include <carbo/error.hpp>
#include <carbo/study.hpp>
#include <carbo/to_string.hpp>

#include <sqlite3.h>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <thread>

#include "study/host.hpp"
#include "support/expect_error.hpp"
#include "support/temporary_folder.hpp"
#include "support/toy_problems.hpp"

namespace carbo {
namespace {

using std::chrono::milliseconds;
using test::small_options;
using test::TemporaryFolder;
using test::valley;
using test::valley_space;

/// A write transaction of somebody else's.
class ForeignTransaction {
 public:
  explicit ForeignTransaction(const std::filesystem::path& file) {
    EXPECT_EQ(sqlite3_open(file.c_str(), &handle_), SQLITE_OK);
    sqlite3_busy_timeout(handle_, 10000);
    EXPECT_EQ(sqlite3_exec(handle_, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  }
  ~ForeignTransaction() { sqlite3_close(handle_); }
  ForeignTransaction(const ForeignTransaction&) = delete;
  ForeignTransaction& operator=(const ForeignTransaction&) = delete;

 private:
  sqlite3* handle_ = nullptr;
};

/// The turn to ask for suggestions of the first study of a file.
class ForeignAsk {
 public:
  explicit ForeignAsk(const std::filesystem::path& file)
      : locks_(file.string() + "-lock"), turn_(locks_, 2, milliseconds(10000), "asks") {}

 private:
  internal::LockFile locks_;
  internal::HeldByte turn_;
};

class StudyHeldByOthers : public ::testing::Test {
 protected:
  Study open(milliseconds busy_wait) {
    StudyOptions how;
    how.busy_wait = busy_wait;
    return Study::open(file, "s", valley_space(), options, how);
  }

  /// Holds something for a while beside the evaluations.
  template <class Lock>
  void hold(milliseconds time) {
    auto lock = std::make_unique<Lock>(file);
    holder = std::jthread([time, lock = std::move(lock)]() mutable {
      std::this_thread::sleep_for(time);
      lock.reset();
    });
  }

  TemporaryFolder folder;
  std::filesystem::path file = folder / "a.db";
  Options options = [] {
    Options two_workers = small_options(1000);
    two_workers.batch_size = 2;
    two_workers.max_evaluations = 8;
    two_workers.execution = Execution::asynchronous;
    return two_workers;
  }();
  std::jthread holder;
};

void expect_all_stored(const Study& study, const Result& result) {
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(result.stop_reason, StopReason::evaluations);
  EXPECT_EQ(result.observations.size(), 8u);
  ASSERT_EQ(study.trials().size(), 8u);
  for (const Trial& trial : study.trials()) {
    EXPECT_EQ(trial.state, TrialState::succeeded);
    EXPECT_EQ(trial.handed_out, 1u);
    EXPECT_EQ(trial.objective, valley(trial.configuration).objective);
  }
}

TEST_F(StudyHeldByOthers, ResultsWaitUntilTheyCanBeStored) {
  for (const Execution execution : {Execution::synchronous, Execution::asynchronous}) {
    options.execution = execution;
    file = folder / to_string(execution);
    Study study = open(milliseconds(10));
    const Result result = minimize(study, [&](const Configuration& point, const EvaluationContext& context) {
      if (context.suggestion_id() == 3) hold<ForeignTransaction>(milliseconds(150));
      return valley(point);
    });
    holder.join();
    expect_all_stored(study, result);
    ASSERT_EQ(result.warnings.size(), 1u);
    EXPECT_NE(result.warnings[0].find("longer than busy_wait"), std::string::npos);
    for (const Trial& trial : study.trials()) EXPECT_NE(trial.worker, "");
  }
}

TEST_F(StudyHeldByOthers, AnAskThatCannotBeMadeIsMadeLater) {
  options.execution = Execution::synchronous;
  Study study = open(milliseconds(10));
  const Result result = minimize(study, [&](const Configuration& point, const EvaluationContext& context) {
    if (context.suggestion_id() == 3) hold<ForeignAsk>(milliseconds(150));
    return valley(point);
  });
  expect_all_stored(study, result);
  EXPECT_EQ(result.warnings.size(), 1u);
}

TEST_F(StudyHeldByOthers, WhileItCannotAskItTakesInWhatEnds) {
  Study study = open(milliseconds(10));
  std::optional<ForeignAsk> asking;
  std::atomic<bool> released = false;
  const Result result = minimize(study, [&](const Configuration& point, const EvaluationContext& context) {
    if (context.suggestion_id() == 1) asking.emplace(file);
    if (context.suggestion_id() == 0) {
      // The other one's result is stored while this one runs and nobody can ask.
      Study other = Study::open(file);
      while (other.trial(1)->state != TrialState::succeeded) std::this_thread::sleep_for(milliseconds(2));
      std::this_thread::sleep_for(milliseconds(30));
      asking.reset();
      released = true;
      // It asks again before this one ends.
      while (other.trials().size() < 3) std::this_thread::sleep_for(milliseconds(2));
    }
    return valley(point);
  });
  EXPECT_TRUE(released);
  expect_all_stored(study, result);
}

TEST_F(StudyHeldByOthers, ToldToStopItWaitsNoLonger) {
  Study study = open(milliseconds(10));
  std::optional<ForeignTransaction> forever;
  std::stop_source stop;
  Hooks hooks;
  hooks.stop = stop.get_token();
  std::jthread second_signal;
  const Result result = minimize(
      study,
      [&](const Configuration& point) {
        static std::mutex mutex;
        const std::lock_guard lock(mutex);
        if (!forever) {
          forever.emplace(file);
          second_signal = std::jthread([&] {
            std::this_thread::sleep_for(milliseconds(60));
            stop.request_stop();
          });
        }
        return valley(point);
      },
      hooks);
  EXPECT_EQ(result.stop_reason, StopReason::error);
  EXPECT_NE(result.error.find("busy_wait"), std::string::npos) << result.error;
  forever.reset();
  EXPECT_EQ(study.summary().running, 2u);  // for the next run
}

TEST_F(StudyHeldByOthers, WhatRunsIsNotHandedOutAgainThoughItsLeaseEndedDuringAnAsk) {
  for (const bool charge : {false, true}) {
    file = folder / (charge ? "charge.db" : "hand_out.db");
    StudyOptions how;
    how.lease = milliseconds(60);
    how.lost = charge ? LostPoint::charge : LostPoint::hand_out;
    Study study = Study::open(file, "s", valley_space(), options, how);
    std::atomic<std::uint64_t> last = 0;
    std::array<std::atomic<int>, 8> calls{};
    const Result result = minimize(study, [&](const Configuration& point, const EvaluationContext& context) {
      const std::uint64_t id = context.suggestion_id();
      ++calls.at(id);
      last = std::max(last.load(), id);
      if (id == 1) hold<ForeignAsk>(milliseconds(200));
      // Runs until another one was suggested.
      for (int i = 0; id == 0 && last < 2 && i < 5000; ++i) std::this_thread::sleep_for(milliseconds(1));
      return valley(point);
    });
    holder.join();
    expect_all_stored(study, result);
    for (const auto& count : calls) EXPECT_EQ(count, 1);
  }
}

TEST_F(StudyHeldByOthers, AResultOfTheTurnInWhichTheTickThrowsIsKept) {
  Study study = open(milliseconds(10000));
  std::atomic<int> ended = 0;
  Hooks hooks;
  hooks.tick_seconds = 1e-3;
  hooks.progress = [&](const Progress&) {
    // Both have ended, and the tick is due, before the loop looks.
    while (ended < 2) std::this_thread::sleep_for(milliseconds(1));
    std::this_thread::sleep_for(milliseconds(20));
  };
  hooks.tick = [] { throw std::runtime_error("the display is gone"); };
  const Result result = minimize(
      study,
      [&](const Configuration& point) {
        ++ended;
        return valley(point);
      },
      hooks);
  EXPECT_EQ(result.error, "the display is gone");
  EXPECT_EQ(result.observations.size(), 2u);
  EXPECT_EQ(study.summary().succeeded, 2u);
}

TEST_F(StudyHeldByOthers, WhyThereAreNoWarningsIsSaid) {
  Study study = open(milliseconds(10000));
  const Result result = minimize(study, [&](const Configuration& point, const EvaluationContext& context) {
    if (context.suggestion_id() == 2) Study::remove(file, "s");
    return valley(point);
  });
  EXPECT_EQ(result.stop_reason, StopReason::error);
  ASSERT_EQ(result.warnings.size(), 1u);
  EXPECT_NE(result.warnings[0].find("was removed while it was open"), std::string::npos) << result.warnings[0];
}

}  // namespace
}  // namespace carbo
