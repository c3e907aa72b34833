#include <carbo/study.hpp>

#include <atomic>
#include <thread>

#include <carbo/error.hpp>

#include "support/expect_error.hpp"
#include "support/temporary_folder.hpp"
#include "support/toy_problems.hpp"

namespace carbo {
namespace {

using test::small_options;
using test::TemporaryFolder;
using test::valley;
using test::valley_space;

std::vector<std::vector<double>> visits(const Result& result) {
  std::vector<std::vector<double>> all;
  for (const Suggestion& one : result.suggestions)
    all.emplace_back(one.configuration.numbers().begin(), one.configuration.numbers().end());
  return all;
}

TEST(StudyMinimize, EndsWithTheResultOfARunInMemory) {
  const TemporaryFolder folder;
  Options options = small_options(60);
  options.batch_size = 3;
  const Objective objective = [](const Configuration& point) {
    if (point.real("x") > 0.95) throw EvaluationFailed(2.0, "too far");
    return valley(point);
  };
  const Result expected = minimize(valley_space(), options, objective);
  Study study = Study::open(folder / "a.db", "s", valley_space(), options);
  std::size_t reports = 0;
  Hooks hooks;
  hooks.progress = [&](const Progress& progress) {
    ++reports;
    EXPECT_LE(progress.running, 3u);
  };
  const Result result = minimize(study, objective, hooks);
  EXPECT_EQ(visits(result), visits(expected));
  EXPECT_EQ(result.stop_reason, expected.stop_reason);
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(result.observations.size(), expected.observations.size());
  EXPECT_NEAR(result.spent, expected.spent, 1e-9);
  ASSERT_TRUE(result.best);
  EXPECT_EQ(result.best->objective, expected.best->objective);
  EXPECT_EQ(result.warnings, expected.warnings);
  EXPECT_GT(reports, result.observations.size());
  EXPECT_EQ(study.summary().running, 0u);
  // Over already: nothing is evaluated.
  const Result again = minimize(study, objective);
  EXPECT_TRUE(again.suggestions.empty());
  EXPECT_EQ(again.observations.size(), result.observations.size());
}

TEST(StudyMinimize, EvaluatesFirstWhatItsOwnerLeftPending) {
  const TemporaryFolder folder;
  Options options = small_options(40);
  options.batch_size = 2;
  StudyOptions how;
  how.owner = "me";
  std::vector<Suggestion> left;
  {
    Study study = Study::open(folder / "a.db", "s", valley_space(), options, how);
    left = study.ask(2);
    study.tell(left[0].id, valley(left[0].configuration));
  }
  Study study = Study::open(folder / "a.db", "s", valley_space(), options, how);
  const Result result = minimize(study, valley);
  EXPECT_EQ(result.suggestions.front().id, left[1].id);
  const Result expected = minimize(valley_space(), options, valley);
  EXPECT_EQ(result.observations.size(), expected.observations.size());
  EXPECT_EQ(result.best->objective, expected.best->objective);
}

TEST(StudyMinimize, RenewsLeasesAndTakesAnotherOnesResult) {
  const TemporaryFolder folder;
  Options options = small_options(1000);
  options.max_evaluations = 2;
  StudyOptions how;
  how.owner = "slow";
  how.lease = std::chrono::milliseconds(300);
  Study study = Study::open(folder / "a.db", "s", valley_space(), options, how);
  const double begin = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  const Result result = minimize(study, [&](const Configuration& point, const EvaluationContext& context) {
    Study other = Study::open(folder / "a.db");
    if (context.suggestion_id() == 0) {
      // Runs on until the loop has renewed the lease of a point that would have been lost by then.
      while (*other.trial(0)->lease_end < begin + 0.7) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    } else {
      other.tell(context.suggestion_id(), {-3, 1});
    }
    return valley(point);
  });
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(result.observations.size(), 2u);
  EXPECT_EQ(result.best->objective, -3);
  EXPECT_EQ(study.trial(0)->handed_out, 1u);
}

TEST(StudyMinimize, RefusesWhatItCannotKeepApart) {
  const TemporaryFolder folder;
  Study study = Study::open(folder / "a.db", "s", valley_space(), small_options(10));
  Hooks hooks;
  hooks.prior.emplace_back();
  expect_error<InvalidOptions>([&] { minimize(study, valley, hooks); }, {"Hooks::prior", "tell prior data"});
  expect_error<InvalidOptions>([&] { minimize(study, Objective()); }, {"objective is empty"});
}

TEST(StudyMinimize, AFileThatVanishesEndsTheRunAndNotTheResult) {
  const TemporaryFolder folder;
  Study study = Study::open(folder / "a.db", "s", valley_space(), small_options(40));
  std::atomic<int> calls = 0;
  const Result result = minimize(study, [&](const Configuration& point) {
    if (++calls == 3) std::filesystem::remove(folder / "a.db");
    return valley(point);
  });
  EXPECT_EQ(result.stop_reason, StopReason::error);
  EXPECT_NE(result.error.find("deleted or moved"), std::string::npos) << result.error;
  EXPECT_EQ(result.suggestions.size(), 3u);
}

}  // namespace
}  // namespace carbo
