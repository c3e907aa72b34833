// Processes that hold one study, and die. CARBO_KILLS says how often (200 for the proof; a few by default); with
// CARBO_JOURNAL=rollback files are kept as on a network file system.

#include <algorithm>

#include <carbo/error.hpp>
#include <carbo/json.hpp>
#include <carbo/study.hpp>

#include <fstream>
#include <random>
#include <sstream>
#include <thread>

#include "study/child_process.hpp"
#include "study/host.hpp"
#include "support/temporary_folder.hpp"
#include "support/toy_problems.hpp"

namespace carbo {
namespace {

using test::ChildProcess;
using test::from_environment;
using test::small_options;
using test::TemporaryFolder;
using test::valley;
using test::valley_space;

void pause(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

StudyOptions quick_storage() {
  StudyOptions how;
  how.durability = Durability::normal;
  how.network = from_environment("CARBO_JOURNAL") == "rollback";
  return how;
}

Options options_of_run() {
  Options options = small_options(1000);
  options.batch_size = 2;
  options.max_evaluations = 24;
  return options;
}

Evaluation evaluated(const Configuration& point) {
  if (point.real("y") > 0.9) throw EvaluationFailed(0.5, "too high");
  return valley(point);
}

/// All that is stored of a study but times and who ran what.
std::vector<std::string> rows_of(const std::filesystem::path& file) {
  const Study study = Study::open(file, "s", quick_storage());
  std::vector<std::string> rows;
  for (const Trial& trial : study.trials()) {
    std::ostringstream row;
    row.precision(17);
    row << trial.number << ' ' << *trial.id << ' ' << to_string(trial.state) << ' ' << to_json(trial.configuration)
        << ' ' << trial.objective.value_or(-1) << ' ' << trial.cost.value_or(-1) << ' ' << trial.reason << ' '
        << *trial.batch << ' ' << *trial.slot << ' ' << to_string(*trial.phase) << ' ';
    Receipt receipt = *study.receipt(*trial.id);
    receipt.seconds = {};
    row << to_json(receipt);
    rows.push_back(row.str());
  }
  return rows;
}

bool has_begun(const std::filesystem::path& file) {
  try {
    return !Study::open(file, "s", quick_storage()).trials().empty();
  } catch (const Error&) {
    return false;  // there is no file yet, or no study in it
  }
}

TEST(StudyChild, DISABLED_Run) {
  const StudyOptions how = quick_storage();
  Study study = Study::open(from_environment("CARBO_STUDY_FILE"), "s", valley_space(), options_of_run(), how);
  const Result result = minimize(study, evaluated);
  EXPECT_EQ(result.stop_reason, StopReason::evaluations) << result.error;
}

TEST(StudyProcesses, KilledAtAnyMomentAStudyEndsWithTheRowsOfAnUndisturbedOne) {
  const TemporaryFolder folder;
  const auto child_on = [](const std::filesystem::path& file) {
    return std::make_unique<ChildProcess>("StudyChild.DISABLED_Run",
                                          std::map<std::string, std::string>{{"CARBO_STUDY_FILE", file.string()}});
  };
  const auto began = std::chrono::steady_clock::now();
  ASSERT_TRUE(child_on(folder / "undisturbed.db")->wait());
  const double whole = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  const auto expected = rows_of(folder / "undisturbed.db");
  ASSERT_EQ(expected.size(), 24u);

  const std::size_t wanted = test::times("CARBO_KILLS", 12);
  std::mt19937 dice(7);
  std::uniform_real_distribution<double> life(0, 0.5 * whole);
  std::size_t kills = 0;
  std::size_t halfway = 0;
  for (int round = 0; kills < wanted; ++round) {
    const auto file = folder / (std::to_string(round) + ".db");
    for (bool over = false; !over;) {
      const auto child = child_on(file);
      if (kills < wanted) {
        pause(life(dice));
        if (!child->ended()) {
          child->kill();
          ++kills;
          halfway += has_begun(file);
          continue;
        }
      }
      over = child->wait();
      ASSERT_TRUE(over) << "a run failed after " << kills << " kills";
    }
    EXPECT_EQ(rows_of(file), expected) << "after " << kills << " kills";
  }
  EXPECT_GT(halfway, 0u) << "every kill came before the first suggestion";
}

/// Asks and tells, and notes in a log what was acknowledged.
TEST(StudyChild, DISABLED_AskAndTell) {
  const StudyOptions how = quick_storage();
  Study study = Study::open(from_environment("CARBO_STUDY_FILE"), "", how);
  std::ofstream log(from_environment("CARBO_STUDY_LOG"), std::ios::app);
  log.precision(17);
  std::mt19937 dice(std::random_device{}());
  std::uniform_real_distribution<double> noise(0, 1);
  while (!study.done()) {
    const auto batch = study.ask(1);
    if (batch.empty()) pause(0.002);
    for (const Suggestion& one : batch) {
      pause(0.004 * noise(dice));
      const double objective = noise(dice);  // nobody else finds the same
      try {
        study.tell(one.id, {objective, 1});
      } catch (const UnknownSuggestion&) {
        continue;  // it took too long, and another told it
      }
      log << one.id << ' ' << objective << std::endl;
    }
  }
}

TEST(StudyProcesses, OfFourThatAskAndTellAndDieEveryAcknowledgedResultIsThereOnce) {
  const TemporaryFolder folder;
  const std::size_t wanted = test::times("CARBO_KILLS", 12);
  const auto file = folder / "a.db";
  {
    Options options = small_options(1e9);
    options.acquisition = Acquisition::random;
    options.execution = Execution::asynchronous;
    options.batch_size = 4;
    options.max_evaluations = 100 + 4 * wanted;
    Study::open(file, "s", valley_space(), options, quick_storage());
  }
  const auto start = [&](std::size_t worker) {
    return std::make_unique<ChildProcess>(
        "StudyChild.DISABLED_AskAndTell",
        std::map<std::string, std::string>{{"CARBO_STUDY_FILE", file.string()},
                                           {"CARBO_STUDY_LOG", (folder / std::to_string(worker)).string()}});
  };
  std::vector<std::unique_ptr<ChildProcess>> children;
  for (std::size_t i = 0; i < 4; ++i) children.push_back(start(i));
  std::mt19937 dice(11);
  for (std::size_t kills = 0; kills < wanted; ++kills) {
    pause(std::uniform_real_distribution<double>(0, 0.1)(dice));
    const std::size_t victim = dice() % 4;
    children[victim]->kill();
    children[victim] = start(victim);
  }
  for (const auto& child : children) EXPECT_TRUE(child->wait());

  const Study study = Study::open(file, "s", quick_storage());
  std::map<std::uint64_t, double> stored;
  std::size_t succeeded = 0;
  for (const Trial& trial : study.trials()) {
    ASSERT_TRUE(trial.id);
    EXPECT_TRUE(stored.emplace(*trial.id, trial.objective.value_or(-1)).second) << "id " << *trial.id << " twice";
    succeeded += trial.state == TrialState::succeeded;
  }
  EXPECT_EQ(succeeded, 100 + 4 * wanted);
  EXPECT_EQ(study.summary().succeeded, succeeded);
  std::set<std::uint64_t> acknowledged;
  for (std::size_t i = 0; i < 4; ++i) {
    std::ifstream log(folder / std::to_string(i));
    for (std::string line; std::getline(log, line);) {
      std::istringstream words(line);
      std::uint64_t id = 0;
      double objective = 0;
      if (!(words >> id >> objective) || log.eof()) continue;  // a last line that was cut
      EXPECT_TRUE(acknowledged.insert(id).second) << "id " << id << " was acknowledged twice";
      EXPECT_EQ(stored.at(id), objective) << id;
    }
  }
  EXPECT_GT(acknowledged.size(), 50u);
}

TEST(StudyProcesses, TwoAskersNeverGetTheSameAndATellNeedsNotWaitForAnAsk) {
  const TemporaryFolder folder;
  Options options = small_options(1e9);
  options.acquisition = Acquisition::random;
  options.execution = Execution::asynchronous;
  options.batch_size = 64;
  Study::open(folder / "a.db", "s", valley_space(), options);
  std::vector<std::vector<std::uint64_t>> ids(3);
  std::vector<std::thread> threads;
  for (auto& own : ids)
    threads.emplace_back([&folder, &own] {
      Study study = Study::open(folder / "a.db");
      for (int i = 0; i < 15; ++i) {
        const Suggestion one = study.ask(1).front();
        own.push_back(one.id);
        study.tell(one.id, valley(one.configuration));
      }
    });
  for (std::thread& thread : threads) thread.join();
  std::set<std::uint64_t> all;
  for (const auto& own : ids) all.insert(own.begin(), own.end());
  EXPECT_EQ(all.size(), 45u);
  EXPECT_EQ(*all.rbegin(), 44u);
  EXPECT_EQ(Study::open(folder / "a.db").summary().succeeded, 45u);
}

TEST(StudyProcesses, WhoIsDeadIsToldFromWhoIsNot) {
  const std::string own = internal::mark_of_this_process();
  ASSERT_FALSE(own.empty());
  EXPECT_FALSE(internal::certainly_dead(own));
  EXPECT_FALSE(internal::certainly_dead(""));
  EXPECT_FALSE(internal::certainly_dead("another machine 1 2"));
  EXPECT_TRUE(internal::certainly_dead(own + "1")) << "the number was given to another process since";
  const std::string without_start = own.substr(0, own.rfind(' '));
  const std::string space = without_start.substr(0, without_start.rfind(' '));
  EXPECT_TRUE(internal::certainly_dead(space + " 4194303 17"));
  EXPECT_FALSE(internal::certainly_dead(space));
}

/// A constraint that stands still in the middle of an `ask`: what another tells meanwhile is stored, and counts.
TEST(StudyProcesses, ATellInTheMiddleOfAnotherOnesAskIsStoredAtOnceAndTakenUpLater) {
  const TemporaryFolder folder;
  std::function<void()> meanwhile;
  Space space = valley_space();
  space.constrain(
      [&meanwhile](const Configuration&) {
        if (meanwhile) std::exchange(meanwhile, nullptr)();
        return true;
      },
      "pauses");
  const Options options = small_options(1000);
  Study asker = Study::open(folder / "a.db", "s", space, options);
  const auto first = asker.ask(2);
  Study teller = Study::open(folder / "a.db");
  bool told = false;
  meanwhile = [&] {
    teller.tell(first[0].id, valley(first[0].configuration));
    teller.tell(Observation{{}, first[1].configuration, ObservationStatus::succeeded, Origin::prior, 1, 1, ""});
    told = true;
  };
  const auto second = asker.ask(1);
  ASSERT_TRUE(told);
  EXPECT_EQ(second.front().id, 2u);
  EXPECT_EQ(asker.summary().succeeded, 1u);
  EXPECT_EQ(asker.summary().prior, 1u);
  Study fresh = Study::open(folder / "a.db", "s", space, options);
  EXPECT_EQ(fresh.save(), asker.save());
  const Optimizer restored =
      Optimizer::restore(fresh.save(), {.constraints = {{"pauses", [](const Configuration&) { return true; }}}});
  EXPECT_EQ(restored.observations().size(), 2u);
  EXPECT_EQ(restored.pending().size(), 2u);
}

}  // namespace
}  // namespace carbo
