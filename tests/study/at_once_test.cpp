#include <carbo/error.hpp>
#include <carbo/study.hpp>

#include <barrier>
#include <thread>

#include "support/expect_error.hpp"
#include "support/temporary_folder.hpp"
#include "support/toy_problems.hpp"

namespace carbo {
namespace {

using test::small_options;
using test::TemporaryFolder;
using test::valley;
using test::valley_space;

Study opened(const TemporaryFolder& folder, std::chrono::milliseconds busy_wait = std::chrono::seconds(10)) {
  StudyOptions how;
  how.busy_wait = busy_wait;
  return Study::open(folder / "a.db", "s", valley_space(), small_options(1000), how);
}

Configuration point_of(const Study& study, double x) {
  const std::vector<double> numbers{x, 0.25};
  return study.space().configuration(numbers);
}

TEST(StudyAtOnce, AllIsWrittenAndNobodyElseWritesMeanwhile) {
  const TemporaryFolder folder;
  Study study = opened(folder);
  Study other = opened(folder, std::chrono::milliseconds(0));
  study.at_once([&] {
    study.tell_prior(point_of(study, 0.5), 2);
    study.enqueue(point_of(study, 0.125));
    study.set_attribute("told", "yes");
    EXPECT_EQ(study.summary().prior, 1u);  // what it wrote
    EXPECT_EQ(study.trials().size(), 1u);
    EXPECT_EQ(other.summary().prior, 0u);  // others do not see it yet
    expect_error<StudyBusy>([&] { other.tell_prior(point_of(other, 0.5), 3); }, {"busy_wait"});
  });
  EXPECT_EQ(other.attribute("told"), "yes");
  EXPECT_EQ(other.summary().prior, 1u);
  EXPECT_EQ(other.ask(1)[0].configuration, point_of(study, 0.125));
}

TEST(StudyAtOnce, WhatThrowsTakesAllBack) {
  const TemporaryFolder folder;
  Study study = opened(folder);
  Study oracle = Study::open(folder / "b.db", "s", valley_space(), small_options(1000));
  for (Study* const one : {&study, &oracle})
    for (const Suggestion& suggestion : one->ask(2)) one->tell(suggestion.id, valley(suggestion.configuration));
  EXPECT_THROW(study.at_once([&] {
    study.tell_prior(point_of(study, 0.5), -9);
    study.enqueue(point_of(study, 0.125));
    study.recommend();  // the optimizer knows both now
    throw std::runtime_error("enough");
  }),
               std::runtime_error);
  EXPECT_EQ(study.summary().prior, 0u);
  EXPECT_EQ(study.summary().enqueued, 0u);
  EXPECT_TRUE(study.enqueued().empty());
  EXPECT_EQ(study.ask(1)[0].configuration, oracle.ask(1)[0].configuration);
}

TEST(StudyAtOnce, APartThatFailsLeavesTheOthers) {
  const TemporaryFolder folder;
  Study study = opened(folder);
  study.at_once([&] {
    study.tell_prior(point_of(study, 0.5), 1);
    expect_error<UnknownSuggestion>([&] { study.tell(7, {1, 1}); }, {"never given out"});
    EXPECT_THROW(study.at_once([&] {
      study.tell_prior(point_of(study, 0.75), 2);
      throw std::runtime_error("only this");
    }),
                 std::runtime_error);
    study.tell_prior(point_of(study, 0.25), 3);
  });
  ASSERT_EQ(study.trials().size(), 2u);
  EXPECT_EQ(study.trials()[1].objective, 3);
  EXPECT_EQ(study.summary().prior, 2u);
}

TEST(StudyAtOnce, WhatWaitsForOthersIsRefused) {
  const TemporaryFolder folder;
  Study study = opened(folder);
  study.at_once([&] {
    expect_error<InvalidOptions>([&] { study.ask(1); }, {"at_once"});
    expect_error<InvalidOptions>([&] { study.prepare(1); }, {"at_once"});
    expect_error<InvalidOptions>([&] { study.adopt(point_of(study, 0.5)); }, {"at_once"});
    expect_error<InvalidOptions>([&] { study.dequeue(point_of(study, 0.5)); }, {"at_once"});
  });
  EXPECT_EQ(study.ask(1).size(), 1u);
}

TEST(StudyAtOnce, WhatIsToldWhereItIsNotThereIsThereOnce) {
  const TemporaryFolder folder;
  opened(folder);
  constexpr int holders = 4;
  std::barrier start(holders);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < holders; ++i)
      threads.emplace_back([&] {
        Study study = opened(folder);
        start.arrive_and_wait();
        study.at_once([&] {
          if (study.attribute("prior")) return;
          for (const double x : {0.25, 0.5, 0.75}) study.tell_prior(point_of(study, x), x);
          study.set_attribute("prior", "told");
        });
      });
  }
  EXPECT_EQ(Study::open(folder / "a.db").summary().prior, 3u);
}

}  // namespace
}  // namespace carbo
