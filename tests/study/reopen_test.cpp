#include <algorithm>
#include <atomic>
#include <cmath>
#include <set>
#include <thread>

#include <carbo/error.hpp>
#include <carbo/study.hpp>

#include "support/expect_error.hpp"
#include "support/temporary_folder.hpp"
#include "support/toy_problems.hpp"

namespace carbo {
namespace {

using test::small_options;
using test::TemporaryFolder;
using test::valley;
using test::valley_space;

Space a_space(double lower = 1e-4, double upper = 1.0, std::vector<std::string> kinds = {"a", "b"}) {
  return Space{real("lr", lower, upper).log(), categorical("kind", std::move(kinds)), discrete("width", {8, 16, 32}),
               ordinal("size", {"small", "large"})};
}

Evaluation outcome_of(const Configuration& point) {
  return {std::pow(std::log10(point.real("lr")) + 2, 2) + (point.category("kind") == "a" ? 0.5 : 0.0),
          1 + 0.1 * point.real("width")};
}

void advance(Study& study, std::size_t rounds) {
  for (std::size_t i = 0; i < rounds; ++i)
    for (const Suggestion& one : study.ask()) study.tell(one.id, outcome_of(one.configuration));
}

TEST(StudyReopen, RefusesWhatIsAnotherStudyAndNamesTheDifference) {
  const TemporaryFolder folder;
  const Options options = small_options(100);
  const auto open = [&](const Space& space, const Options& with) {
    return Study::open(folder / "a.db", "s", space, with);
  };
  {
    Study study = open(a_space(), options);
    advance(study, 3);
  }
  const auto refused = [&](const Space& space, const Options& with, const std::vector<std::string>& parts) {
    expect_error<IncompatibleStudy>([&] { open(space, with); }, parts);
  };
  refused(a_space(1e-3), options, {"parameter 'lr': lower 0.001, in the study 0.0001"});
  refused(a_space(1e-4, 0.5), options, {"parameter 'lr': upper 0.5, in the study 1"});
  refused(a_space(1e-4, 1, {"a", "c"}), options, {"parameter 'kind': categories a, c, in the study a, b"});
  refused(Space{integer("lr", 1, 2), categorical("kind", {"a", "b"}), discrete("width", {8, 16, 32}),
                ordinal("size", {"small", "large"})},
          options, {"parameter 'lr': kind integer, in the study real"});
  refused(Space{real("rate", 1e-4, 1).log()}, options,
          {"parameter 1 is 'rate', in the study 'lr'", "parameter 2 is none, in the study 'kind'"});
  refused(Space{real("lr", 1e-4, 1).log(), categorical("kind", {"a", "b"}), discrete("width", {8, 32}),
                ordinal("size", {"large", "small"})},
          options, {"'width': values 8, 32, in the study 8, 16, 32", "'size': categories large, small"});
  Space constrained = a_space();
  constrained.constrain([](const Configuration&) { return true; }, "anything goes");
  refused(constrained, options, {"constraints: anything goes, in the study none"});
  Options other = options;
  other.seed = 99;
  other.acquisition = Acquisition::random;
  other.cost.unit = "EUR";
  other.surrogate.restarts = 1 + options.surrogate.restarts;
  refused(a_space(), other,
          {"seed: 99, in the study 3", "acquisition: \"random\"", "cost.unit", "surrogate.restarts"});
  EXPECT_EQ(open(a_space(), options).trials().size(), 3u);
}

TEST(StudyReopen, GoesOnWithMoreBudgetWorkersAndTime) {
  const TemporaryFolder folder;
  Options options = small_options(12);
  options.batch_size = 1;
  {
    Study study = Study::open(folder / "a.db", "s", a_space(), options);
    while (!study.done()) advance(study, 1);
    study.ask();
  }
  options.budget = 30;
  options.batch_size = 2;
  options.max_evaluations = 100;
  options.target = -5.0;
  options.backend.threads = 1;
  Study study = Study::open(folder / "a.db", "s", a_space(), options);
  EXPECT_FALSE(study.done());
  const std::size_t before = study.trials().size();
  const double spent = study.spent();
  const auto batch = study.ask();
  ASSERT_EQ(batch.size(), 2u);
  EXPECT_EQ(batch.front().id, before);
  EXPECT_NEAR(study.spent(), spent, 1e-9);
  EXPECT_EQ(Study::list(folder / "a.db").front().budget, 30);
  EXPECT_EQ(Study::open(folder / "a.db").options().batch_size, 2u);
}

TEST(StudyReopen, WiderBoundsAndMoreCategoriesKeepEverythingAndWhatRuns) {
  const TemporaryFolder folder;
  const Options options = small_options(200);
  std::vector<Suggestion> pending;
  {
    Study study = Study::open(folder / "a.db", "s", a_space(), options);
    advance(study, 6);
    pending = study.ask(3);
    study.withdraw(pending[1].id);
    study.enqueue(pending[1].configuration);
  }
  const Space wider{real("lr", 1e-6, 10).log(), categorical("kind", {"new", "b", "a"}),
                    discrete("width", {4, 8, 16, 24, 32}), ordinal("size", {"tiny", "small", "large"})};
  Study study = Study::open(folder / "a.db", "s", wider, options);
  const auto trials = study.trials();
  ASSERT_EQ(trials.size(), 9u);
  for (const Trial& trial : trials) {
    if (trial.state == TrialState::succeeded) {
      EXPECT_EQ(*trial.objective, outcome_of(trial.configuration).objective);
    }
  }
  const auto next = study.ask(2);
  ASSERT_EQ(next.size(), 2u);
  EXPECT_EQ(next[0].id, 9u);
  EXPECT_TRUE(next[0].receipt.enqueued);
  EXPECT_EQ(next[0].configuration.category("kind"), pending[1].configuration.category("kind"));
  study.tell(pending[0].id, outcome_of(pending[0].configuration));
  study.tell(pending[2].id, outcome_of(pending[2].configuration));
  // Another process, which restores instead of making anew, goes on the same way.
  Study other = Study::open(folder / "a.db", "s", wider, options);
  EXPECT_EQ(other.save(), study.save());
  std::set<std::string> kinds;
  for (int i = 0; i < 12; ++i)
    for (const Suggestion& one : other.ask(2)) {
      kinds.insert(one.configuration.category("kind"));
      other.tell(one.id, outcome_of(one.configuration));
    }
  EXPECT_TRUE(kinds.contains("new"));
}

TEST(StudyReopen, CodeIsGivenBySpaceAndOptionsOrByName) {
  const TemporaryFolder folder;
  Space space = valley_space();
  space.constrain([](const Configuration& point) { return point.real("x") < 0.5; }, "left half");
  Options options = small_options(60);
  options.cost.features = {work("area", [](const Configuration& point) { return 1 + point.real("x"); })};
  const auto reopened = [&] { return Study::open(folder / "a.db", "s", space, options); };
  for (int i = 0; i < 5; ++i) {
    Study study = reopened();
    for (const Suggestion& one : study.ask(2)) {
      EXPECT_LT(one.configuration.real("x"), 0.5);
      study.tell(one.id, valley(one.configuration));
    }
  }
  Study reader = Study::open(folder / "a.db");
  EXPECT_EQ(reader.trials().size(), 10u);
  EXPECT_EQ(reader.summary().succeeded, 10u);
  expect_error<InvalidState>([&] { reader.ask(1); }, {"left half", "cost.features[0]", "StudyOptions::given"});
  StudyOptions how;
  how.given.constraints["left half"] = space.constraints().front();
  how.given.quantities.emplace("cost.features[0]", options.cost.features.front().value);
  Study named = Study::open(folder / "a.db", "s", how);
  expect_error<InvalidConfiguration>(
      [&] {
        named.enqueue(space.configuration({{"x", 0.75}, {"y", 0.5}}));
      },
      {"left half"});
  EXPECT_EQ(named.ask(2).size(), 2u);
}

TEST(StudyReopen, PoolsAreKeptOrRecognised) {
  const TemporaryFolder folder;
  const Space space = valley_space();
  std::vector<double> numbers;
  for (int i = 0; i < 40; ++i) numbers.insert(numbers.end(), {i / 40.0, (7 * i % 40) / 40.0});
  Options options = small_options(60);
  options.candidates.pool = std::make_shared<Pool>(space, numbers, 40);
  {
    Study study = Study::open(folder / "a.db", "s", space, options);
    expect_error<InvalidConfiguration>(
        [&] {
          study.adopt(space.configuration({{"x", 0.33}, {"y", 0.5}}));
        },
        {"not in the pool"});
    study.adopt(space.configuration(std::vector<double>{0.025, 0.175}));
    for (const Suggestion& one : study.ask(3)) study.tell(one.id, valley(one.configuration));
  }
  Study study = Study::open(folder / "a.db");
  ASSERT_TRUE(study.options().candidates.pool);
  const auto batch = study.ask(1);
  ASSERT_EQ(batch.size(), 1u);
  EXPECT_TRUE(batch.front().pool_index);
  numbers[5] = 0.999;
  options.candidates.pool = std::make_shared<Pool>(space, numbers, 40);
  expect_error<IncompatibleStudy>([&] { Study::open(folder / "a.db", "s", space, options); }, {"candidates.pool"});
}

TEST(StudyReopen, WhoHasTheStudyOpenTakesUpWhatAnotherChanged) {
  const TemporaryFolder folder;
  Options options = small_options(1000);
  Study first = Study::open(folder / "a.db", "s", a_space(), options);
  advance(first, 2);
  options.budget = 2000;
  Study second = Study::open(folder / "a.db", "s", a_space(1e-4, 1, {"a", "b", "c"}), options);
  const Space& space = second.space();
  second.adopt(space.configuration({{"lr", 0.5}, {"kind", "c"}, {"width", 8.0}, {"size", "small"}}));
  EXPECT_EQ(first.trials().back().configuration.category("kind"), "c");
  EXPECT_EQ(first.options().budget, 2000);
  EXPECT_EQ(first.ask(1).front().id, 3u);
  EXPECT_EQ(second.ask(1).front().id, 4u);
  EXPECT_EQ(first.save(), second.save());
}

TEST(StudyReopen, WhyARunIsOverIsKept) {
  const TemporaryFolder folder;
  const Space space = valley_space();
  Options options = small_options(1000);
  options.candidates.pool = test::grid_pool(space, 2);
  Optimizer optimizer(space, options);
  Study study = Study::open(folder / "a.db", "s", space, options);
  for (int i = 0; i < 4; ++i) {
    const auto batch = study.ask(2);
    ASSERT_EQ(batch.size(), optimizer.ask(2).size());
    for (const Suggestion& one : batch) {
      study.tell(one.id, valley(one.configuration));
      optimizer.tell(one.id, valley(one.configuration));
    }
    EXPECT_EQ(study.stop_reason(), optimizer.stop_reason()) << i;
  }
  EXPECT_EQ(study.stop_reason(), StopReason::exhausted);
  EXPECT_EQ(Study::list(folder / "a.db").front().stop_reason, StopReason::exhausted);
  EXPECT_EQ(Study::open(folder / "a.db").stop_reason(), StopReason::exhausted);
}

TEST(StudyReopen, TheClockOfAWallClockBudgetGoesOnWhereItWas) {
  const TemporaryFolder folder;
  Options options = small_options(1e6);
  options.accounting = Accounting::wall_clock;
  double before = 0;
  for (int i = 0; i < 3; ++i) {
    Study study = Study::open(folder / "a.db", "s", a_space(), options);
    const Suggestion one = study.ask(1).front();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    study.tell(one.id, outcome_of(one.configuration));
    EXPECT_GE(study.spent(), before + 0.01);
    before = study.spent();
  }
  EXPECT_LT(before, 60);
}

TEST(StudyReopen, ManyMayCreateOneStudyAtTheSameTime) {
  for (int round = 0; round < 20; ++round) {
    const TemporaryFolder folder;
    std::vector<std::thread> threads;
    std::atomic<int> opened = 0;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        Study study = Study::open(folder / "a.db", "s", a_space(), small_options(100));
        opened += study.summary().name == "s";
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(opened, 4);
    EXPECT_EQ(Study::list(folder / "a.db").size(), 1u);
  }
}

TEST(StudyReopen, WhatIsMaximisedIsBestWhereItIsLargest) {
  const TemporaryFolder folder;
  Options options = small_options(1000);
  options.goal = Goal::maximize;
  options.target = 5.0;
  Study study = Study::open(folder / "a.db", "s", a_space(), options);
  const auto batch = study.ask(3);
  study.tell(batch[0].id, {1, 1});
  study.tell(batch[1].id, {4, 1});
  study.tell(batch[2].id, {4, 1});
  EXPECT_EQ(study.best()->id, batch[1].id);
  EXPECT_FALSE(study.done());
  study.tell(study.ask(1).front().id, {5, 1});
  EXPECT_EQ(study.stop_reason(), StopReason::target);
  EXPECT_TRUE(study.ask(1).empty());
}

}  // namespace
}  // namespace carbo
