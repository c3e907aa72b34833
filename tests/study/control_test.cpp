#include <carbo/study.hpp>

#include <atomic>
#include <limits>
#include <thread>

#include <carbo/error.hpp>

#include "support/expect_error.hpp"
#include "support/temporary_folder.hpp"
#include "support/toy_problems.hpp"

// What somebody changes of a study while others run it: a pause, and its limits.
namespace carbo {
namespace {

using test::small_options;
using test::TemporaryFolder;
using test::valley;
using test::valley_space;

void pause_briefly() { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }

/// Waits for what another thread does; false where it does not happen.
template <class Condition>
bool comes_true(const Condition& condition) {
  for (int i = 0; i < 15000; ++i, pause_briefly())
    if (condition()) return true;
  return false;
}

TEST(StudyControl, WhilePausedNothingIsSuggestedAndResultsAreTaken) {
  const TemporaryFolder folder;
  const Options options = small_options(40);
  double clock = 1000;
  StudyOptions how;
  how.owner = "me";
  how.lease = std::chrono::seconds(10);
  how.clock = [&] { return clock; };
  const auto open = [&] { return Study::open(folder / "a.db", "s", valley_space(), options, how); };
  Optimizer oracle(valley_space(), options);
  Study study = open();
  const auto batch = study.ask(2);
  const auto expected = oracle.ask(2);
  study.pause();
  clock = 1500;
  study.pause();  // it is already
  EXPECT_EQ(study.summary().paused, 1000);
  EXPECT_EQ(Study::list(folder / "a.db").front().paused, 1000);
  expect_error<StudyPaused>([&] { study.ask(1); }, {"'s'", "a.db", "paused", "carbo resume"});
  expect_error<StudyPaused>([&] { open().prepare(1); }, {"paused"});  // in another process, and lost points, too
  for (std::size_t i = 0; i < 2; ++i) {
    study.tell(batch[i].id, valley(batch[i].configuration));
    oracle.tell(expected[i].id, valley(expected[i].configuration));
  }
  EXPECT_EQ(study.summary().succeeded, 2u);
  EXPECT_FALSE(study.done());
  open().resume();
  EXPECT_FALSE(study.summary().paused);
  study.resume();
  const auto next = study.ask(2);
  const auto wanted = oracle.ask(2);
  ASSERT_EQ(next.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(next[i].configuration, wanted[i].configuration);
  expect_error<InvalidOptions>([&] { study.set_attribute("carbo.paused", "1"); }, {"carbo."});
}

TEST(StudyControl, APauseThatComesWhileSuggestionsAreMadeKeepsThemBack) {
  const TemporaryFolder folder;
  bool pausing = false;
  StudyOptions how;
  how.clock = [&] {
    if (std::exchange(pausing, false)) Study::open(folder / "a.db").pause();
    return 1000.0;
  };
  Study study = Study::open(folder / "a.db", "s", valley_space(), small_options(40), how);
  study.withdraw(study.ask(1).front().id);
  const std::string before = study.save();
  pausing = true;  // when they are made, and before they are stored
  expect_error<StudyPaused>([&] { study.prepare(1); }, {"paused"});
  EXPECT_FALSE(pausing);
  EXPECT_EQ(study.trials().size(), 1u);
  EXPECT_EQ(study.save(), before);
  study.resume();
  EXPECT_EQ(study.ask(1).front().id, 1u);
}

TEST(StudyControl, OtherLimitsKeepWhatWasLearnedAndEndTheStudyElsewhere) {
  const TemporaryFolder folder;
  Options options = small_options(20);
  options.strict = true;
  Study study = Study::open(folder / "a.db", "s", valley_space(), options);
  Study other = Study::open(folder / "a.db");
  while (!study.done()) {
    const auto batch = study.ask(1);
    for (const Suggestion& one : batch) study.tell(one.id, valley(one.configuration));
  }
  const auto learned = study.hyperparameters();
  const std::size_t trials = study.trials().size();
  const double spent = study.spent();
  other.change_limits({.budget = 40});
  EXPECT_EQ(other.options().budget, 40);
  EXPECT_FALSE(study.done());
  EXPECT_EQ(study.options().budget, 40);
  EXPECT_EQ(study.summary().budget, 40);
  EXPECT_EQ(study.spent(), spent);
  ASSERT_TRUE(learned.objective && study.hyperparameters().objective);
  EXPECT_EQ(study.hyperparameters().objective->hyperparameters.lengthscales,
            learned.objective->hyperparameters.lengthscales);
  const auto next = study.ask(1);
  ASSERT_EQ(next.size(), 1u);
  EXPECT_EQ(next.front().id, trials);
  EXPECT_NEAR(next.front().receipt.progress, spent / 40, 1e-9);
  EXPECT_EQ(study.save(), other.save());
  other.change_limits({.budget = {}, .max_evaluations = trials});
  EXPECT_EQ(study.stop_reason(), StopReason::evaluations);
  EXPECT_EQ(study.options().budget, 40);
  other.change_limits({.budget = {}, .max_evaluations = 1000});
  EXPECT_FALSE(study.done());
  for (const double wrong :
       {0.0, -1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
    expect_error<InvalidOptions>([&] { study.change_limits({.budget = wrong}); }, {"budget is", "above 0"});
  expect_error<InvalidOptions>([&] { study.change_limits({.budget = {}, .max_evaluations = 0}); },
                               {"max_evaluations"});
  EXPECT_EQ(study.summary().budget, 40);
}

TEST(StudyControl, WhoOpensItMayKeepTheLimitsOrGiveItsOwn) {
  const TemporaryFolder folder;
  Options options = small_options(20);
  Study study = Study::open(folder / "a.db", "s", valley_space(), options);
  study.change_limits({.budget = 50, .max_evaluations = 9});
  StudyOptions keeping;
  keeping.keep_limits = true;
  const Study kept = Study::open(folder / "a.db", "s", valley_space(), options, keeping);
  EXPECT_EQ(kept.options().budget, 50);
  EXPECT_EQ(kept.options().max_evaluations, 9u);
  EXPECT_EQ(study.summary().budget, 50);
  EXPECT_EQ(Study::open(folder / "b.db", "s", valley_space(), options, keeping).options().budget, 20);  // it is new
  EXPECT_EQ(Study::open(folder / "a.db", "s", valley_space(), options).options().budget, 20);
  EXPECT_EQ(study.summary().budget, 20);
  EXPECT_FALSE(study.options().max_evaluations);
}

TEST(StudyControl, AClockGoesOnWhereTheBudgetChanges) {
  const TemporaryFolder folder;
  Options options = small_options(1e6);
  options.accounting = Accounting::wall_clock;
  Study study = Study::open(folder / "a.db", "s", valley_space(), options);
  study.tell(study.ask(1).front().id, {1, 5000});  // what it says that it cost is not what the clock says
  study.ask(1);
  study.change_limits({.budget = 2e6});
  EXPECT_EQ(study.ask(1).size(), 1u);
  EXPECT_LT(study.spent(), 1000);
}

TEST(StudyControl, ALoopEndsWhatRunsAndWaitsUntilItIsResumed) {
  for (const Execution execution : {Execution::synchronous, Execution::asynchronous}) {
    const TemporaryFolder folder;
    Options options = small_options(1000);
    options.batch_size = 2;
    options.max_evaluations = 12;
    options.execution = execution;
    if (execution == Execution::synchronous) options.batches = Batches::fill;
    Study study = Study::open(folder / "a.db", "s", valley_space(), options);
    Study other = Study::open(folder / "a.db");
    std::atomic<int> begun = 0, seen = 0, still = 0;
    StudyHooks hooks;
    hooks.prepare = true;
    hooks.tick_seconds = 0.02;
    hooks.tick = [&] {
      const StudySummary now = study.summary();
      if (!now.paused || now.running + now.waiting > 0) return;
      // Nothing runs: from here on nothing begins.
      if (still == 0) seen = begun.load();
      EXPECT_EQ(begun, seen);
      if (++still == 10) Study::open(folder / "a.db").resume();
    };
    const Result result = minimize(
        study,
        [&](const Configuration& point, const EvaluationContext& context) {
          ++begun;
          if (context.suggestion_id() == 4) other.pause();
          return valley(point);
        },
        hooks);
    EXPECT_EQ(result.error, "");
    EXPECT_EQ(result.stop_reason, StopReason::evaluations);
    EXPECT_GE(still, 10);
    EXPECT_GE(begun, 12);
    EXPECT_LT(seen, begun);
    EXPECT_TRUE(result.warnings.empty() || result.warnings.front().find("busy_wait") == std::string::npos);
  }
}

TEST(StudyControl, ALoopThatWaitsCanBeStopped) {
  const TemporaryFolder folder;
  Study study = Study::open(folder / "a.db", "s", valley_space(), small_options(40));
  study.pause();
  std::stop_source drain;
  int ticks = 0;
  StudyHooks hooks;
  hooks.tick_seconds = 0.01;
  hooks.tick = [&] {
    if (++ticks == 3) drain.request_stop();
  };
  hooks.drain = drain.get_token();
  const Result result = minimize(
      study, [](const Configuration& point, const EvaluationContext&) { return valley(point); }, hooks);
  EXPECT_EQ(result.stop_reason, StopReason::cancelled);
  EXPECT_TRUE(result.observations.empty());
  EXPECT_TRUE(study.summary().paused);
}

TEST(StudyControl, ALoopTakesUpAnotherBudgetWhileAnEvaluationRuns) {
  const TemporaryFolder folder;
  Options options = small_options(1000);
  options.batch_size = 2;
  options.max_evaluations = 2;
  options.execution = Execution::asynchronous;
  Study study = Study::open(folder / "a.db", "s", valley_space(), options);
  std::atomic<int> begun = 0;
  bool taken_up = false;
  const Result result = minimize(study, [&](const Configuration& point, const EvaluationContext& context) {
    ++begun;
    if (context.suggestion_id() == 0) {
      Study other = Study::open(folder / "a.db");
      EXPECT_TRUE(comes_true([&] { return other.summary().succeeded == 1; }));
      other.change_limits({.budget = {}, .max_evaluations = 4});
      taken_up = comes_true([&] { return begun >= 4; });
    }
    return valley(point);
  });
  EXPECT_TRUE(taken_up);
  EXPECT_EQ(result.observations.size(), 4u);
}

}  // namespace
}  // namespace carbo
