#include <gtest/gtest.h>

#include <fstream>
#include <stdexcept>
#include <stop_token>
#include <string>

#include "replay/csv.hpp"
#include "replay/progress.hpp"
#include "replay/replay_support.hpp"
#include "replay/schedule.hpp"
#include "replay/store.hpp"
#include "support/not_finite.hpp"

namespace carbo::replay {
namespace {

using carbo::test::infinity;
using ReplayCsv = ReplayFolder;
using ReplayStore = ReplayFolder;
using ReplaySchedule = ReplayFolder;

TEST_F(ReplayCsv, RoundTripsAndLeavesOutALineThatWasCutOff) {
  const CsvRow header = {"a", "b"};
  const auto file = path / "t.csv";
  EXPECT_TRUE(read_csv(file, header).empty());
  replace_file(file, csv_text(header, {{"1", ""}, {"x y", exact(0.1)}}));
  std::ofstream(file, std::ios::app) << "3,cut";
  const auto rows = read_csv(file, header);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0], (CsvRow{"1", ""}));
  EXPECT_EQ(to_double(rows[1][1]), 0.1);
  EXPECT_EQ(to_double(exact(infinity)), infinity);
  EXPECT_THROW(read_csv(file, {"a", "c"}), std::runtime_error);
  EXPECT_EQ(csv_line({"a,b", "c \"d\""}), "\"a,b\",\"c \"\"d\"\"\"");
  EXPECT_THROW(to_double("1.5x"), std::runtime_error);
  std::ofstream(file, std::ios::app) << ",too wide\n";
  EXPECT_THROW(read_csv(file, header), std::runtime_error);
}

TEST_F(ReplayStore, KeepsFinishedRunsAndDropsWhatWasCutOff) {
  const RunRecord run = hand_made_run();
  {
    RunStore store(path);
    store.add(run);
    EXPECT_TRUE(store.contains(run.key));
  }
  const std::string complete = text_of(path / "traces.csv");
  std::ofstream(path / "traces.csv", std::ios::app) << "p,m,4,1,64,10,1,search,1,2,2,3,1,\np,m,4,1,6";
  RunStore again(path);
  EXPECT_EQ(text_of(path / "traces.csv"), complete);
  ASSERT_EQ(again.size(), 1u);
  const RunRecord& kept = again.runs().begin()->second;
  EXPECT_EQ(kept.key, run.key);
  EXPECT_EQ(kept.spent, 11);
  ASSERT_EQ(kept.steps.size(), 3u);
  EXPECT_EQ(kept.steps[2].phase, carbo::Phase::search);
  EXPECT_EQ(kept.steps[2].alpha, 0.5);
  EXPECT_EQ(kept.steps[1].finished, 5);
  EXPECT_EQ(kept.steps[0].row, 7u);
  EXPECT_EQ(kept.steps[1].row, std::nullopt);
  EXPECT_EQ(kept.steps[2].row, 0u);
  EXPECT_EQ(kept.steps[1].incumbent_regret, 0.75);
  RunKey other = run.key;
  other.candidates = 65;
  EXPECT_FALSE(again.contains(other));
}

TEST_F(ReplayStore, ARunWhoseTraceIsShortIsNotFinished) {
  {
    RunStore store(path);
    store.add(hand_made_run());
  }
  std::string traces = text_of(path / "traces.csv");
  traces.erase(traces.rfind("p,m"));
  std::ofstream(path / "traces.csv", std::ios::trunc) << traces;
  EXPECT_EQ(RunStore(path).size(), 0u);
}

TEST_F(ReplayStore, WhatIsWholeIsNotWrittenAgain) {
  {
    RunStore store(path);
    store.add(hand_made_run());
  }
  const auto before = std::filesystem::last_write_time(path / "traces.csv");
  EXPECT_EQ(RunStore(path).size(), 1u);
  EXPECT_EQ(std::filesystem::last_write_time(path / "traces.csv"), before);
}

TEST_F(ReplayStore, AFailureIsKeptAsOne) {
  RunRecord run = hand_made_run();
  run.steps[0].objective = run.steps[0].regret = run.steps[0].incumbent_regret = infinity;
  { RunStore(path).add(run); }
  const RunStore again(path);
  const RunRecord& kept = again.runs().begin()->second;
  EXPECT_EQ(kept.steps[0].objective, infinity);
  EXPECT_EQ(kept.steps[0].incumbent_regret, infinity);
  EXPECT_EQ(kept.steps[1].incumbent_regret, 0.75);
}

/// One real parameter; the cost is 1, the value the parameter.
Problem line_problem() {
  Problem problem{.name = "line", .title = "Line", .space = Space{real("x", 0, 1)}};
  problem.drawn = 16;
  problem.mean_cost = 1;
  problem.evaluate = [](const Suggestion& suggestion, std::uint64_t) {
    const double x = suggestion.configuration.real("x");
    return Outcome{.objective = x, .value = x, .cost = 1};
  };
  return problem;
}

Method random_search(const std::string& name) {
  return {.name = name, .title = name, .configure = [](Options& options, const Problem&) {
            options.acquisition = Acquisition::random;
            options.initial_design = InitialDesign::uniform;
          }};
}

TEST_F(ReplaySchedule, MakesWhatIsMissingAndNothingTwice) {
  Problem problem = line_problem();
  int calls = 0;
  problem.evaluate = [inner = problem.evaluate, &calls](const Suggestion& s, std::uint64_t seed) {
    ++calls;
    return inner(s, seed);
  };
  const std::vector<Method> methods = {random_search("a"), random_search("b")};
  const std::vector<Cell> cells = {{.problem = &problem, .batch = 1, .budget = 4, .seeds = 3},
                                   {.problem = &problem, .batch = 2, .budget = 4, .seeds = 1}};
  const std::vector<Job> jobs = jobs_of(cells, methods);
  ASSERT_EQ(jobs.size(), 8u);
  EXPECT_EQ(jobs[0].key.seed, 1u);
  EXPECT_EQ(jobs.back().key.seed, 3u);
  {
    RunStore store(path);
    EXPECT_EQ(make_runs({jobs[0], jobs[3]}, store, {.threads = 1}), 0u);
    EXPECT_EQ(calls, 4 + 8);
  }
  RunStore store(path);
  EXPECT_EQ(make_runs(jobs, store, {.threads = 1}), 0u);
  EXPECT_EQ(store.size(), 8u);
  EXPECT_EQ(calls, 6 * 4 + 2 * 8);
}

TEST_F(ReplaySchedule, ARunThatThrowsIsCountedAndLeftOut) {
  Problem problem = line_problem();
  problem.evaluate = [](const Suggestion&, std::uint64_t seed) -> Outcome {
    if (seed == 2) throw std::runtime_error("out of order");
    return {.objective = 1, .value = 1, .cost = 1};
  };
  const std::vector<Method> methods = {random_search("a")};
  RunStore store(path);
  testing::internal::CaptureStderr();
  EXPECT_EQ(make_runs(jobs_of({{.problem = &problem, .batch = 1, .budget = 2, .seeds = 3}}, methods), store, {}), 1u);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("line, a, batch 1, seed 2 failed: out of order"),
            std::string::npos);
  EXPECT_EQ(store.size(), 2u);
}

TEST_F(ReplaySchedule, WhatIsStoppedIsLeftOutAndMadeTheNextTime) {
  Problem problem = line_problem();
  std::stop_source source;
  int calls = 0;
  problem.evaluate = [&, inner = problem.evaluate](const Suggestion& s, std::uint64_t seed) {
    if (++calls == 6) source.request_stop();  // the second run has made two evaluations of four
    return inner(s, seed);
  };
  const std::vector<Method> methods = {random_search("a")};
  const std::vector<Job> jobs = jobs_of({{.problem = &problem, .batch = 1, .budget = 4, .seeds = 3}}, methods);
  RunStore store(path);
  EXPECT_EQ(make_runs(jobs, store, {.threads = 1, .stop = source.get_token()}), 0u);
  EXPECT_EQ(calls, 6);
  ASSERT_EQ(store.size(), 1u);
  EXPECT_EQ(store.runs().begin()->first.seed, 1u);
  EXPECT_EQ(make_runs(jobs, store, {.threads = 1}), 0u);
  EXPECT_EQ(store.size(), 3u);
  EXPECT_EQ(calls, 6 + 8);
}

TEST(ReplayRun, EndsBeforeItPassesTheMostEvaluations) {
  Problem problem = line_problem();
  problem.most_evaluations = 7;
  const Method method = random_search("a");
  EXPECT_EQ(run_once(problem, method, key_of(problem, method, 3, 100, 1)).steps.size(), 6u);
  EXPECT_EQ(run_once(problem, method, key_of(problem, method, 1, 100, 1)).steps.size(), 7u);
  EXPECT_THROW(run_once(problem, method, key_of(problem, method, 8, 100, 1)), std::runtime_error);
}

TEST(ReplayRun, AFailureCostsAndIsNoIncumbent) {
  Problem problem = line_problem();
  problem.evaluate = [](const Suggestion& suggestion, std::uint64_t) {
    return Outcome{.objective = suggestion.id % 2 == 0 ? NAN : 3.0, .value = 3.0, .cost = 2};
  };
  problem.optimum = 1;
  const Method method = random_search("a");
  const RunRecord run = run_once(problem, method, key_of(problem, method, 1, 8, 1));
  ASSERT_EQ(run.steps.size(), 4u);
  EXPECT_EQ(run.spent, 8);
  int failures = 0;
  for (const Step& step : run.steps) failures += step.objective == infinity ? 1 : 0;
  EXPECT_EQ(failures, 2);
  EXPECT_EQ(run.steps.back().incumbent_regret, 2);
}

TEST(ReplayProgress, BarAndDurations) {
  EXPECT_EQ(bar(0, 4, 8), "[>       ] 0 %");
  EXPECT_EQ(bar(1, 4, 8), "[==>     ] 25 %");
  EXPECT_EQ(bar(4, 4, 8), "[========] 100 %");
  EXPECT_EQ(bar(0, 0, 4), "[====] 100 %");
  EXPECT_EQ(duration(59.9), "59 s");
  EXPECT_EQ(duration(60), "1 min");
  EXPECT_EQ(duration(3600 + 7 * 60 + 1), "1 h 07 min");
}

}  // namespace
}  // namespace carbo::replay
