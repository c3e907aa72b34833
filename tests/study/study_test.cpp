#include <carbo/error.hpp>
#include <carbo/study.hpp>

#include "support/expect_error.hpp"
#include "support/mixed_space.hpp"
#include "support/temporary_folder.hpp"
#include "support/toy_problems.hpp"

namespace carbo {
namespace {

using test::small_options;
using test::TemporaryFolder;
using test::valley;
using test::valley_space;

/// Suggestions of an optimizer in memory, the oracle of a study's.
test::Visits visits_of_optimizer(const Space& space, const Options& options, std::size_t batch) {
  Optimizer optimizer(space, options);
  return test::run(optimizer, valley, batch);
}

std::vector<double> numbers_of(const Configuration& configuration) {
  return {configuration.numbers().begin(), configuration.numbers().end()};
}

TEST(Study, SuggestsWhatAnOptimizerInMemoryDoes) {
  const TemporaryFolder folder;
  const Options options = small_options(40);
  Study study = Study::open(folder / "a.db", "valley", valley_space(), options);
  test::Visits visited;
  while (!study.done()) {
    const auto batch = study.ask(2);
    for (const Suggestion& one : batch) visited.push_back(numbers_of(one.configuration));
    // Told in another order than suggested.
    for (auto one = batch.rbegin(); one != batch.rend(); ++one) study.tell(one->id, valley(one->configuration));
  }
  EXPECT_EQ(visited, visits_of_optimizer(valley_space(), options, 2));
  EXPECT_GT(visited.size(), 8u);
}

TEST(Study, ReopenedAfterEveryCallItSuggestsTheSame) {
  const TemporaryFolder folder;
  const Options options = small_options(40);
  const auto open = [&] { return Study::open(folder / "a.db", "valley", valley_space(), options); };
  test::Visits visited;
  while (!open().done()) {
    const auto batch = open().ask(2);
    if (batch.empty()) break;
    for (const Suggestion& one : batch) visited.push_back(numbers_of(one.configuration));
    for (const Suggestion& one : batch) open().tell(one.id, valley(one.configuration));
  }
  EXPECT_EQ(visited, visits_of_optimizer(valley_space(), options, 2));
}

TEST(Study, QuestionsChangeNoLaterSuggestion) {
  const TemporaryFolder folder;
  const Options options = small_options(40);
  Study study = Study::open(folder / "a.db", "valley", valley_space(), options);
  test::Visits visited;
  while (!study.done()) {
    const auto batch = study.ask(2);
    for (const Suggestion& one : batch) {
      visited.push_back(numbers_of(one.configuration));
      study.tell(one.id, valley(one.configuration));
      study.recommend();
    }
  }
  EXPECT_EQ(visited, visits_of_optimizer(valley_space(), options, 2));
}

TEST(Study, KeepsWhatItIsTold) {
  const TemporaryFolder folder;
  double clock = 1000;
  StudyOptions how;
  how.clock = [&] { return clock; };
  how.owner = "somebody";
  const Space space = mixed_space();
  Study study = Study::open(folder / "a.db", "mixed", space, small_options(1000), how);
  const auto suggestions = study.ask(4);
  ASSERT_EQ(suggestions.size(), 4u);
  clock = 1010;
  study.begin(suggestions[0].id, "gpu 1");
  study.report(suggestions[0].id, {1, {}, {{"loss", 2.5}, {"accuracy", 0.5}}});
  study.report(suggestions[0].id, {2, 1015.0, {{"loss", 1.5}}});
  clock = 1020;
  study.tell(suggestions[0].id, {0.125, 3}, {{{"accuracy", 0.75}}, {}, {}});
  study.fail(suggestions[1].id, 2, "out of 'memory'\n", false, {{}, 1001.0, 1003.0});
  study.fail(suggestions[2].id, 5, "too slow", true);
  study.withdraw(suggestions[3].id);
  Observation prior{{}, suggestions[3].configuration, ObservationStatus::succeeded, Origin::prior, -7, 1, ""};
  study.tell(prior);
  study.tell_prior(suggestions[3].configuration, -6);

  const Study reader = Study::open(folder / "a.db");
  const std::vector<Trial> trials = reader.trials();
  ASSERT_EQ(trials.size(), 6u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(trials[i].number, i);
    EXPECT_EQ(trials[i].id, suggestions[i].id);
    EXPECT_EQ(numbers_of(trials[i].configuration), numbers_of(suggestions[i].configuration));
    EXPECT_EQ(trials[i].owner, "somebody");
    EXPECT_EQ(trials[i].batch, 0u);
    EXPECT_EQ(trials[i].slot, suggestions[i].slot);
    EXPECT_EQ(trials[i].phase, Phase::warm_start);
    EXPECT_FALSE(trials[i].lease_end);
  }
  EXPECT_EQ(trials[0].state, TrialState::succeeded);
  EXPECT_EQ(trials[0].objective, 0.125);
  EXPECT_EQ(trials[0].cost, 3);
  EXPECT_EQ(trials[0].started, 1010);
  EXPECT_EQ(trials[0].ended, 1020);
  EXPECT_EQ(trials[0].worker, "gpu 1");
  EXPECT_EQ(trials[0].metrics, (std::map<std::string, double>{{"accuracy", 0.75}}));
  EXPECT_EQ(trials[1].state, TrialState::failed);
  EXPECT_EQ(trials[1].reason, "out of 'memory'\n");
  EXPECT_EQ(trials[1].started, 1001);
  EXPECT_EQ(trials[1].ended, 1003);
  EXPECT_FALSE(trials[1].objective);
  EXPECT_EQ(trials[2].state, TrialState::timed_out);
  EXPECT_EQ(trials[3].state, TrialState::withdrawn);
  EXPECT_EQ(trials[4].origin, Origin::prior);
  EXPECT_FALSE(trials[4].id);
  EXPECT_FALSE(trials[5].cost);
  const auto reports = reader.reports(suggestions[0].id);
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_EQ(reports[0].values, (std::map<std::string, double>{{"loss", 2.5}, {"accuracy", 0.5}}));
  EXPECT_EQ(reports[0].time, 1010);
  EXPECT_EQ(reports[1].step, 2);
  ASSERT_TRUE(reader.receipt(suggestions[2].id));
  EXPECT_EQ(reader.receipt(suggestions[2].id)->backend, suggestions[2].receipt.backend);

  const StudySummary summary = reader.summary();
  EXPECT_EQ(summary.name, "mixed");
  EXPECT_EQ(summary.created, 1000);
  EXPECT_EQ(summary.changed, 1020);
  EXPECT_EQ(summary.succeeded, 1u);
  EXPECT_EQ(summary.failed, 1u);
  EXPECT_EQ(summary.timed_out, 1u);
  EXPECT_EQ(summary.withdrawn, 1u);
  EXPECT_EQ(summary.prior, 2u);
  EXPECT_EQ(summary.running, 0u);
  ASSERT_TRUE(summary.best);
  EXPECT_EQ(summary.best->objective, -7);
}

TEST(Study, SpendsAndEndsAsTheOptimizerDoes) {
  const TemporaryFolder folder;
  int file = 0;
  for (const Accounting accounting : {Accounting::sum, Accounting::longest}) {
    for (const Execution execution : {Execution::synchronous, Execution::asynchronous}) {
      Options options = small_options(30);
      options.batch_size = 3;
      options.accounting = accounting;
      options.execution = execution;
      options.max_evaluations = 14;
      Optimizer optimizer(valley_space(), options);
      Study study = Study::open(folder / (std::to_string(file++) + ".db"), "s", valley_space(), options);
      while (!study.done()) {
        const auto batch = study.ask(execution == Execution::synchronous ? 3 : 1);
        const auto expected = optimizer.ask(execution == Execution::synchronous ? 3 : 1);
        ASSERT_EQ(batch.size(), expected.size());
        for (const Suggestion& one : batch) {
          if (one.id % 4 == 3) {
            study.fail(one.id, 1.5, "no");
            optimizer.fail(one.id, 1.5, "no");
          } else {
            study.tell(one.id, valley(one.configuration));
            optimizer.tell(one.id, valley(one.configuration));
          }
          EXPECT_NEAR(study.spent(), optimizer.spent(), 1e-12 * optimizer.spent());
          EXPECT_EQ(study.stop_reason(), optimizer.stop_reason());
        }
      }
    }
  }
}

TEST(Study, PointsOfTheCallersOwn) {
  const TemporaryFolder folder;
  Study study = Study::open(folder / "a.db", "valley", valley_space(), small_options(1000));
  const auto point = [&](double x) { return study.space().configuration({{"x", x}, {"y", 0.5}}); };
  study.enqueue(point(0.25));
  study.enqueue(point(0.5));
  study.enqueue(point(0.25));
  EXPECT_EQ(study.enqueued().size(), 3u);
  EXPECT_TRUE(study.dequeue(point(0.25)));
  EXPECT_FALSE(study.dequeue(point(0.75)));
  EXPECT_EQ(study.summary().enqueued, 2u);
  const std::uint64_t adopted = study.adopt(point(0.125));
  Study other = Study::open(folder / "a.db");
  const auto batch = other.ask(3);
  ASSERT_EQ(batch.size(), 3u);
  EXPECT_EQ(batch[0].configuration.real("x"), 0.5);
  EXPECT_EQ(batch[1].configuration.real("x"), 0.25);
  EXPECT_EQ(batch[0].id, adopted + 1);
  EXPECT_TRUE(study.enqueued().empty());
  study.tell(adopted, {1, 2});
  EXPECT_EQ(study.trial(adopted)->state, TrialState::succeeded);
  EXPECT_EQ(study.ask(1).front().id, adopted + 4);
  EXPECT_EQ(study.pending_suggestions().size(), 4u);
}

TEST(Study, RefusesWhatIsWrongAndStoresNothing) {
  const TemporaryFolder folder;
  Study study = Study::open(folder / "a.db", "valley", valley_space(), small_options(1000));
  const Suggestion one = study.ask(1).front();
  expect_error<InvalidObservation>([&] { study.tell(one.id, {NAN, 1}); }, {"suggestion 0", "nan"});
  expect_error<InvalidObservation>([&] { study.tell(one.id, {1, 0}); }, {"cost is 0"});
  expect_error<InvalidObservation>([&] { study.fail(one.id, -1, "no"); }, {"-1"});
  expect_error<UnknownSuggestion>([&] { study.tell(7, {1, 1}); }, {"suggestion 7", "never given out"});
  expect_error<InvalidConfiguration>([&] { study.adopt(mixed_space().decode(std::vector<double>(9, 0.5))); },
                                     {"other parameters"});
  EXPECT_EQ(study.trials().size(), 1u);
  study.tell(one.id, {1, 1});
  expect_error<UnknownSuggestion>([&] { study.tell(one.id, {2, 1}); }, {"suggestion 0", "succeeded"});
  EXPECT_EQ(study.trials().front().objective, 1);
  expect_error<InvalidOptions>([&] { Study::open(folder / "b.db", "", valley_space(), small_options(1)); }, {"name"});
  expect_error<InvalidOptions>([&] { Study::open(folder / "b.db", "x", valley_space(), small_options(-1)); },
                               {"budget"});
  EXPECT_FALSE(std::filesystem::exists(folder / "b.db"));
}

TEST(Study, SeveralInOneFile) {
  const TemporaryFolder folder;
  Study first = Study::open(folder / "a.db", "First", valley_space(), small_options(10));
  Study second = Study::open(folder / "a.db", "first", mixed_space(), small_options(20));
  first.tell(first.ask(1).front().id, {1, 2});
  second.ask(2);
  second.set_attribute("file", "text with\nlines");
  const auto all = Study::list(folder / "a.db");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].name, "First");
  EXPECT_EQ(all[0].succeeded, 1u);
  EXPECT_EQ(all[1].running, 2u);
  EXPECT_EQ(all[1].budget, 20);
  EXPECT_EQ(Study::open(folder / "a.db", "first").attribute("file"), "text with\nlines");
  EXPECT_FALSE(first.attribute("file"));
  expect_error<UnknownStudy>([&] { Study::open(folder / "a.db"); }, {"'First', 'first'"});
  expect_error<UnknownStudy>([&] { Study::open(folder / "a.db", "third"); },
                             {"no study 'third'", "'First', 'first'"});
  Study::remove(folder / "a.db", "First");
  EXPECT_EQ(Study::list(folder / "a.db").size(), 1u);
  expect_error<StorageError>([&] { first.ask(1); }, {"removed"});
  EXPECT_EQ(second.ask(1).size(), 1u);
}

}  // namespace
}  // namespace carbo
