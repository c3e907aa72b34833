#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "replay/methods.hpp"
#include "replay/replay_support.hpp"
#include "replay/schedule.hpp"
#include "replay/table.hpp"
#include "support/expect_error.hpp"
#include "support/not_finite.hpp"

namespace carbo::replay {
namespace {

using carbo::test::infinity;

const TableColumns columns{.objective = "error", .cost = "seconds", .status = "status"};

Space small_space() {
  return Space{integer("depth", 1, 8), real("share", 0.1, 1.0), categorical("kind", {"flat", "round"})};
}

class ReplayTable : public ReplayFolder {
 protected:
  static constexpr const char* header = "row,depth,share,kind,error,seconds,status,note\n";
  static constexpr const char* good = "0,1,0.5,round,0.25,2,ok,\n";

  Table read(const std::string& rows) const { return read_table(file_with(header + rows), small_space(), columns); }
  void refused(const std::string& rows, const std::vector<std::string>& parts) const {
    expect_error<std::runtime_error>([&] { read(rows); }, parts);
  }
};

TEST_F(ReplayTable, ReadsColumnsByName) {
  const Table table = read(std::string(good) + "1,3,0.75,flat,,0.5,failed,\n2,4,1,flat,0.125,1,warned,so so\n");
  ASSERT_EQ(table.rows(), 3u);
  EXPECT_EQ(table.numbers, (std::vector<double>{1, 0.5, 1, 3, 0.75, 0, 4, 1, 0}));
  EXPECT_EQ(table.objective, (std::vector<double>{0.25, infinity, 0.125}));
  EXPECT_EQ(table.cost, (std::vector<double>{2, 0.5, 1}));
  EXPECT_DOUBLE_EQ(table.mean_cost(), 3.5 / 3);
  EXPECT_EQ(table.lowest_objective(), 0.125);
  EXPECT_EQ(std::vector<double>(table.row(1).begin(), table.row(1).end()), (std::vector<double>{3, 0.75, 0}));
}

TEST_F(ReplayTable, NamesFileLineAndColumnOfWhatIsWrong) {
  const auto with = [&](const std::string& row) { return good + row + "\n"; };
  refused(with("1,3,,flat,0.1,1,ok,"),
          {"table.csv:3: column 'share': the value is missing; give it, or leave the row out"});
  refused(with("1,3,0.2,flat,,1,ok,"), {":3: column 'error': the value is missing"});
  refused(with("1,3,0.2,flat,0.1,,ok,"), {":3: column 'seconds': the value is missing"});
  refused(with("1,three,0.2,flat,0.1,1,ok,"), {":3: column 'depth': 'three' is not a finite number"});
  refused(with("1,3,0.2,flat,nan,1,ok,"), {":3: column 'error': the value is missing"});
  refused(with("1,3,0.2,flat,inf,1,ok,"), {":3: column 'error': 'inf' is not a finite number"});
  refused(with("1,3,0.2,oval,0.1,1,ok,"), {":3: column 'kind': 'oval' is no choice"});
  refused(with("1,3,0.2,flat,0.1,0,ok,"), {":3: column 'seconds': a cost of 0 is not above 0"});
  refused(with("1,3,0.2,flat,0.1,-1,ok,"), {"a cost of -1 is not above 0"});
  refused(with("1,3,0.2,flat,,0,failed,"), {"a cost of 0 is not above 0"});
  refused(with("1,9,0.2,flat,0.1,1,ok,"), {":3: ", "depth"});
  refused(with("1,3.5,0.2,flat,0.1,1,ok,"), {":3: ", "depth"});
  refused(with("1,1,0.5,round,0.3,1,ok,"), {":3 has the configuration of line 2; measure a configuration once"});
  refused(with("1,3,0.2,flat,0.1,1,ok"), {"table.csv:3: 7 fields where the header has 8"});
}

TEST_F(ReplayTable, RefusesWhatNoReplayCanBeMadeOf) {
  refused("", {"0 rows; a replay chooses between at least two"});
  refused(good, {"1 row; a replay chooses between at least two"});
  refused("0,1,0.5,round,,2,failed,\n1,2,0.5,round,,2,failed,\n", {"all rows failed"});
  const auto file = file_with("depth,share,error,seconds,status\n1,0.5,0.1,1,ok\n");
  expect_error<std::runtime_error>([&] { read_table(file, small_space(), columns); },
                                   {":1: no column is called 'kind'; there are depth,share,error,seconds,status"});
  expect_error<std::runtime_error>([&] { read_table(path / "none.csv", small_space(), columns); },
                                   {"none.csv cannot be read"});
  expect_error<std::runtime_error>([&] { read_table(file_with(""), small_space(), columns); }, {"is empty"});
}

TEST_F(ReplayTable, TakesMeansOrTheFirstOfWhatWasMeasuredAgain) {
  const std::string header = "depth,share,kind,error,seconds\n";
  const auto file =
      file_with(header + "1,0.5,flat,4,1\n2,0.5,flat,,8\n1,0.5,flat,2,3\n2,0.5,flat,,2\n1,0.5,flat,NA,2\n" +
                "3,0.5,flat,7,5\n");
  TableColumns how{.objective = "error", .cost = "seconds", .missing_fails = true};
  expect_error<InvalidObservation>([&] { read_table(file, small_space(), how); },
                                   {":4 has the configuration of line 2"});
  how.repeats = Repeats::first;
  const Table first = read_table(file, small_space(), how);
  EXPECT_EQ(first.objective, (std::vector<double>{4, infinity, 7}));
  EXPECT_EQ(first.cost, (std::vector<double>{1, 8, 5}));
  EXPECT_EQ(first.repeated, 3u);
  how.repeats = Repeats::mean;
  const Table mean = read_table(file, small_space(), how);
  EXPECT_EQ(mean.objective, (std::vector<double>{3, infinity, 7})) << "of those that did not fail";
  EXPECT_EQ(mean.cost, (std::vector<double>{2, 5, 5}));
  EXPECT_EQ(mean.failures(), 1u);
}

TEST_F(ReplayTable, MaximisesPricesAllTheSameAndLeavesOutWhatIsIncomplete) {
  const auto file =
      file_with("depth,share,kind,error\n1,0.5,flat,4\n2,,flat,5\n3,0.5,NA,6\n4,0.5,round,\n5,nan,flat,9\n");
  TableColumns how{
      .objective = "error", .cost = "", .missing_fails = true, .leave_out = true, .goal = Goal::maximize};
  const Table table = read_table(file, small_space(), how);
  EXPECT_EQ(table.objective, (std::vector<double>{-4, infinity}));
  EXPECT_EQ(table.cost, (std::vector<double>{1, 1}));
  EXPECT_EQ(table.left_out, 3u);
  how.leave_out = false;
  expect_error<InvalidObservation>([&] { read_table(file, small_space(), how); },
                                   {":3: column 'share': the value is missing"});
}

TEST_F(ReplayTable, ARunSeesTheTablesOwnNumbers) {
  std::string rows;
  for (int i = 0; i < 40; ++i) {
    const int depth = i % 8 + 1;
    const double share = 0.1 + 0.02 * i;
    const bool failed = i % 10 == 3;
    rows += std::to_string(i) + "," + std::to_string(depth) + "," + std::to_string(share) + ",flat," +
            (failed ? "" : std::to_string(std::abs(share - 0.5) + 0.01 * depth)) + "," + std::to_string(depth) + "," +
            (failed ? "failed" : "ok") + ",\n";
  }
  const Table table = read(rows);
  const Problem problem = table_problem("small", "Small", std::make_shared<const Table>(table), 0.25);
  EXPECT_EQ(problem.most_evaluations, 10u);
  EXPECT_EQ(problem.candidates(), 40u);
  EXPECT_EQ(problem.optimum, table.lowest_objective());
  for (const Method& method : paper_methods()) {
    const RunRecord run = run_once(problem, method, key_of(problem, method, 2, 30, 1));
    double clock = 0, longest = 0, lowest = infinity;
    ASSERT_LE(run.steps.size(), 10u);
    for (std::size_t i = 0; i < run.steps.size(); ++i) {
      const Step& step = run.steps[i];
      ASSERT_TRUE(step.row.has_value());
      EXPECT_EQ(step.cost, table.cost[*step.row]);
      EXPECT_EQ(step.objective, table.objective[*step.row]);
      lowest = std::min(lowest, step.objective);
      EXPECT_EQ(step.incumbent_regret, lowest == infinity ? infinity : lowest - table.lowest_objective());
      EXPECT_DOUBLE_EQ(step.finished, clock + step.cost);
      longest = std::max(longest, step.cost);
      if (i % 2 == 1) clock += std::exchange(longest, 0.0);
    }
  }
}

TEST_F(ReplayTable, OfTheWholeSpaceHasTheOutcomeOfTheNearestRow) {
  const auto table = std::make_shared<const Table>(
      read(std::string(good) + "1,3,0.75,flat,0.5,0.5,ok,\n2,8,1,flat,0.125,1,ok,\n3,5,1,flat,0.25,4,ok,\n"));
  const Problem problem = continuous_problem("small", "Small", table, 1.0);
  EXPECT_FALSE(problem.pool);
  EXPECT_EQ(problem.most_evaluations, 4u);
  EXPECT_EQ(problem.optimum, 0.125);
  const auto outcome = [&](const std::vector<double>& numbers) {
    return problem.evaluate(
        Suggestion{.id = 1, .configuration = problem.space.configuration(numbers), .pool_index = {}, .receipt = {}},
        1);
  };
  EXPECT_EQ(outcome({8, 0.9, 0}).objective, 0.125);
  EXPECT_EQ(outcome({2, 0.6, 1}).cost, 2);
  EXPECT_EQ(outcome({2, 0.6, 0}).cost, 0.5);
  for (const Method& method : paper_methods()) {
    const RunRecord run = run_once(problem, method, key_of(problem, method, 1, 100, 1));
    EXPECT_EQ(run.steps.size(), 4u);
    for (const Step& step : run.steps) EXPECT_FALSE(step.row.has_value());
  }
}

/// Costs are the same for all rows of a depth, so that they are soon known and short rows are queued behind each
/// other.
TEST_F(ReplayTable, QueuedRowsFinishBehindEachOther) {
  std::string rows;
  for (int i = 0; i < 160; ++i) {
    const int depth = i % 8 + 1;
    const double share = 0.1 + 0.005 * i;
    rows += std::to_string(i) + "," + std::to_string(depth) + "," + std::to_string(share) + ",flat," +
            std::to_string(std::abs(share - 0.5) + 0.01 * (9 - depth)) + "," + std::to_string(depth) + ",ok,\n";
  }
  const Table table = read(rows);
  const Problem problem = table_problem("small", "Small", std::make_shared<const Table>(table), 0.75);
  const Method method{"fill", "Fill", [](Options& options, const Problem&) { options.batches = Batches::fill; }};
  const RunRecord run = run_once(problem, method, key_of(problem, method, 3, 40, 1));
  EXPECT_LE(run.steps.size(), problem.most_evaluations);
  // The makespan is at least the mean load, and at most what one worker alone would take.
  double sum = 0, last = 0;
  for (const Step& step : run.steps) {
    sum += step.cost;
    EXPECT_GE(step.finished, last) << "in the order in which they finish";
    last = step.finished;
  }
  EXPECT_GE(run.spent, sum / 3 - 1e-9);
  EXPECT_LT(run.spent, sum);
  EXPECT_NEAR(run.spent, last, 1e-9) << "the run ends with its last worker";
  // Replayed by hand, round by round.
  Options options;
  options.batches = Batches::fill;
  options.budget = 40;
  options.batch_size = 3;
  options.seed = 1;
  options.accounting = Accounting::longest;
  options.candidates.pool = problem.pool;
  options.backend.threads = 1;
  Optimizer optimizer(problem.space, options);
  std::multiset<double> finished, replayed;
  std::size_t behind = 0;
  while (finished.size() < run.steps.size()) {
    const double clock = optimizer.spent();
    const auto round = optimizer.ask();
    for (const Suggestion& suggestion : round) {
      double end = clock;
      for (const Suggestion& other : round)
        if (other.slot == suggestion.slot && other.order <= suggestion.order) end += table.cost[*other.pool_index];
      finished.insert(end);
      behind += suggestion.order > 0 ? 1 : 0;
    }
    for (const Suggestion& s : round)
      optimizer.tell(s.id, {table.objective[*s.pool_index], table.cost[*s.pool_index]});
  }
  for (const Step& step : run.steps) replayed.insert(step.finished);
  EXPECT_EQ(replayed, finished) << "costs are whole numbers, so sums are exact";
  EXPECT_GT(behind, 3u);
}

}  // namespace
}  // namespace carbo::replay
