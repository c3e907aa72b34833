#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/replay/laboratory.hpp"
#include "bench/support/words.hpp"
#include "replay/methods.hpp"
#include "replay/replay_support.hpp"
#include "replay/table.hpp"
#include "support/expect_error.hpp"

namespace carbo::replay {
namespace {

/// A line with a price that rises along it; `rows` of it as a table, or drawn freely.
Problem priced_line(bool as_table) {
  const Space space{real("x", 0, 1)};
  const auto value = [](double x) { return (x - 0.3) * (x - 0.3); };
  const auto price = [](double x) { return 0.5 + 3 * x; };
  if (as_table) {
    Table table{.space = space};
    for (int i = 0; i < 120; ++i) {
      const double x = i / 120.0;
      table.numbers.push_back(x);
      table.objective.push_back(value(x));
      table.cost.push_back(price(x));
    }
    return table_problem("table", "Table", std::make_shared<const Table>(table), 0.25);
  }
  Problem problem{.name = "line", .title = "Line", .space = space};
  problem.drawn = 64;
  problem.evaluate = [=](const Suggestion& suggestion, std::uint64_t) {
    const double x = suggestion.configuration.numbers()[0];
    return Outcome{.objective = value(x), .value = value(x), .cost = price(x)};
  };
  return problem;
}

void expect_same(const RunRecord& cut, const RunRecord& made) {
  EXPECT_EQ(cut.key, made.key);
  EXPECT_DOUBLE_EQ(cut.spent, made.spent);
  ASSERT_EQ(cut.steps.size(), made.steps.size());
  for (std::size_t i = 0; i < cut.steps.size(); ++i) {
    EXPECT_EQ(cut.steps[i].objective, made.steps[i].objective) << i;
    EXPECT_EQ(cut.steps[i].finished, made.steps[i].finished) << i;
    EXPECT_EQ(cut.steps[i].incumbent_regret, made.steps[i].incumbent_regret) << i;
    EXPECT_EQ(cut.steps[i].row, made.steps[i].row) << i;
  }
}

TEST(ReplayCut, OfAMethodThatIgnoresTheBudgetIsTheRunWithTheSmallerBudget) {
  std::size_t seen = 0;
  for (const Method& method : paper_methods()) {
    if (!method.ignores_budget) continue;
    ++seen;
    for (const bool as_table : {false, true})
      for (const std::size_t batch : {1, 3}) {
        SCOPED_TRACE(method.name + (as_table ? ", table" : ", line") + ", batch " + std::to_string(batch));
        const Problem problem = priced_line(as_table);
        const RunRecord whole = run_once(problem, method, key_of(problem, method, batch, 30, 5));
        for (const double budget : {0.1, 7.0, 15.0, 29.9, 30.0})
          expect_same(cut_run(whole, budget), run_once(problem, method, key_of(problem, method, batch, budget, 5)));
      }
  }
  EXPECT_EQ(seen, 3u);
}

TEST(ReplayCut, MethodsThatLookAtTheBudgetDoNotClaimToIgnoreIt) {
  for (const Method& method : paper_methods())
    EXPECT_EQ(method.ignores_budget, method.name == "random" || method.name == "ei" || method.name == "eipu")
        << method.name;
}

TEST(ReplayCut, ALargerBudgetIsRefused) {
  expect_error<std::invalid_argument>([] { cut_run(hand_made_run(), 10.5); }, {"budget of 10 cannot be cut at 10.5"});
}

TEST(ReplayCut, KeepsTheEvaluationThatPassesTheBudget) {
  // Evaluations that finish at 4, 5 and 11: the second begins before 4.5, the third does not.
  const RunRecord cut = cut_run(hand_made_run(), 4.5);
  ASSERT_EQ(cut.steps.size(), 2u);
  EXPECT_EQ(cut.spent, 5);
  EXPECT_EQ(cut.key.budget, 4.5);
  EXPECT_EQ(cut_run(hand_made_run(), 4).steps.size(), 1u);
}

using ReplayCutSchedule = ReplayFolder;

TEST_F(ReplayCutSchedule, OneRunServesAllBudgets) {
  Problem problem = priced_line(false);
  int calls = 0;
  problem.evaluate = [inner = problem.evaluate, &calls](const Suggestion& suggestion, std::uint64_t seed) {
    ++calls;
    return inner(suggestion, seed);
  };
  const std::vector<Method> random = bench::named(paper_methods(), {"random"});
  const auto cells = [&](const std::vector<double>& budgets) {
    std::vector<Cell> result;
    for (const double budget : budgets)
      result.push_back({.problem = &problem, .batch = 1, .budget = budget, .seeds = 2});
    return result;
  };
  RunStore store(path);
  EXPECT_EQ(make_runs(jobs_of(cells({5, 20, 10}), random), store, {.threads = 1}), 0u);
  EXPECT_EQ(store.size(), 6u);
  std::size_t evaluations = 0;
  for (const auto& [key, run] : store.runs())
    if (key.budget == 20) evaluations += run.steps.size();
  EXPECT_EQ(static_cast<std::size_t>(calls), evaluations);
  // A smaller budget comes from what is stored, a larger one is run.
  EXPECT_EQ(make_runs(jobs_of(cells({2}), random), store, {.threads = 1}), 0u);
  EXPECT_EQ(static_cast<std::size_t>(calls), evaluations);
  EXPECT_EQ(make_runs(jobs_of(cells({21}), random), store, {.threads = 1}), 0u);
  EXPECT_GT(static_cast<std::size_t>(calls), 2 * evaluations - 1);
  EXPECT_EQ(store.size(), 10u);
  // And all of it is on disk.
  const RunStore again(path);
  EXPECT_EQ(again.size(), 10u);
  for (const auto& [key, run] : again.runs()) expect_same(run, run_once(problem, random.front(), key));
}

TEST_F(ReplayCutSchedule, RoundsThatFillTheWorkersAreNeverCut) {
  Problem problem = priced_line(false);
  std::size_t calls = 0;
  problem.evaluate = [inner = problem.evaluate, &calls](const Suggestion& suggestion, std::uint64_t seed) {
    ++calls;
    return inner(suggestion, seed);
  };
  Method filled = bench::named(paper_methods(), {"eipu"}).front();
  filled.name = "filled";
  filled.configure = [inner = filled.configure](Options& options, const Problem& of) {
    inner(options, of);
    options.batches = Batches::fill;
  };
  ASSERT_TRUE(filled.ignores_budget);
  RunStore store(path);
  std::vector<Cell> cells;
  for (const double budget : {10.0, 20.0})
    cells.push_back({.problem = &problem, .batch = 3, .budget = budget, .seeds = 1});
  const std::vector<Method> methods{filled};
  EXPECT_EQ(make_runs(jobs_of(cells, methods), store, {.threads = 1}), 0u);
  ASSERT_EQ(store.size(), 2u);
  const std::size_t made = calls;
  std::size_t evaluations = 0;
  for (const auto& [key, run] : store.runs()) {
    expect_same(run, run_once(problem, filled, key));
    evaluations += run.steps.size();
  }
  EXPECT_EQ(made, evaluations) << "each was made";
}

TEST_F(ReplayCutSchedule, CutsOfARunThatFailedAreCountedToo) {
  Problem problem = priced_line(false);
  problem.evaluate = [](const Suggestion&, std::uint64_t) -> Outcome { throw std::runtime_error("out of order"); };
  const std::vector<Method> random = bench::named(paper_methods(), {"random"});
  RunStore store(path);
  testing::internal::CaptureStderr();
  EXPECT_EQ(make_runs(jobs_of({{.problem = &problem, .batch = 1, .budget = 2, .seeds = 1},
                               {.problem = &problem, .batch = 1, .budget = 4, .seeds = 1}},
                              random),
                      store, {.threads = 1}),
            2u);
  testing::internal::GetCapturedStderr();
  EXPECT_EQ(store.size(), 0u);
}

TEST(ReplayAccounting, ASumChargesOneEvaluationAfterTheOther) {
  const Problem problem = priced_line(false);
  Method method = bench::named(paper_methods(), {"random"}).front();
  method.accounting = Accounting::sum;
  const RunRecord run = run_once(problem, method, key_of(problem, method, 4, 20, 1));
  ASSERT_EQ(run.steps.size() % 4, 0u);
  double sum = 0;
  for (const Step& step : run.steps) {
    sum += step.cost;
    EXPECT_NEAR(step.finished, sum, 1e-12 * sum);
  }
  EXPECT_NEAR(run.spent, sum, 1e-12 * sum);
  EXPECT_GE(run.spent, 20);
}

using ReplayLaboratory = ReplayFolder;

TEST_F(ReplayLaboratory, SummarisesWhatItMadeAndRefusesWhatFailed) {
  Problem problem = priced_line(false);
  const std::vector<Method> random = bench::named(paper_methods(), {"random"});
  Laboratory laboratory(path, {.threads = 1});
  const std::vector<Cell> cells = {{.problem = &problem, .batch = 1, .budget = 5, .seeds = 2}};
  testing::internal::CaptureStderr();
  const auto summaries = laboratory.make("Title", "runs", cells, random);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "Title\n");
  ASSERT_EQ(summaries.size(), 1u);
  EXPECT_EQ(summaries.front().methods.front().runs.size(), 2u);
  EXPECT_TRUE(std::filesystem::exists(path / "runs" / "runs.csv"));
  problem.evaluate = [](const Suggestion&, std::uint64_t) -> Outcome { throw std::runtime_error("out of order"); };
  testing::internal::CaptureStderr();
  expect_error<std::runtime_error>([&] { laboratory.make("Other", "other", cells, random); },
                                   {"Other: 2 runs failed"});
  testing::internal::GetCapturedStderr();
}

}  // namespace
}  // namespace carbo::replay
