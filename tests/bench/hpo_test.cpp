#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/hpo/budgets.hpp"
#include "bench/hpo/command_line.hpp"
#include "bench/hpo/experiments.hpp"
#include "bench/hpo/paper.hpp"
#include "bench/hpo/problems.hpp"
#include "bench/support/words.hpp"
#include "replay/replay_support.hpp"
#include "replay/statistics.hpp"
#include "support/expect_error.hpp"

namespace carbo::hpo {
namespace {

const std::filesystem::path spaces_file = std::filesystem::path(CARBO_HPO_FOLDER) / "spaces.json";

TEST(HpoPaper, HasTwentyRowsAndItsOwnMeans) {
  ASSERT_EQ(paper_rows().size(), 20u);
  std::array<double, 4> sums{};
  std::array<std::size_t, 4> best{};
  for (const PaperRow& row : paper_rows())
    for (std::size_t b = 0; b < 4; ++b) {
      sums[b] += row.savings[b];
      best[b] += row.savings[b] >= 0 ? 1 : 0;
    }
  // The means that are printed; of the first two, with the signs of DT w2a turned.
  EXPECT_NEAR((sums[0] + 2 * 0.18) / 20, paper_net_savings[0], 5.1e-4);
  EXPECT_NEAR((sums[1] + 2 * 0.41) / 20, paper_net_savings[1], 5.1e-4);
  EXPECT_NEAR(sums[2] / 20, paper_net_savings[2], 5.1e-4);
  EXPECT_NEAR(sums[3] / 20, paper_net_savings[3], 5.1e-4);
  EXPECT_EQ(best, paper_best_counts);
  EXPECT_EQ(paper_row("svm_w2a").carbo[2].evaluations, 1034);
  EXPECT_EQ(paper_row("mlp_a2a").savings[0], -0.09);
  EXPECT_THROW(paper_row("mlp_a3a"), std::invalid_argument);
}

TEST(HpoSpaces, AreThoseOfThePaper) {
  const std::vector<Learner> learners = read_learners(spaces_file);
  const std::map<std::string, std::size_t> parameters = {{"knn", 5}, {"mlp", 11}, {"svm", 6}, {"dt", 3}, {"rf", 3}};
  ASSERT_EQ(learners.size(), 5u);
  std::set<std::string> names;
  for (const Learner& learner : learners) {
    EXPECT_EQ(learner.space.parameters().size(), parameters.at(learner.name)) << learner.name;
    for (const DataSet& data : data_sets()) EXPECT_NO_THROW(paper_row(learner.name + "_" + data.name));
    names.insert(learner.name);
  }
  EXPECT_EQ(names.size(), 5u);
  const auto& knn = learners[0].space.parameters();
  EXPECT_EQ(knn[0].scale(), Scale::log);
  EXPECT_EQ(knn[0].lower(), 1e-6);
  EXPECT_EQ(knn[2].kind(), ParameterKind::integer);
  EXPECT_EQ(knn[2].upper(), 256);
  EXPECT_EQ(knn[4].labels().size(), 7u);
}

class HpoFiles : public replay::ReplayFolder {
 protected:
  std::filesystem::path spaces(const std::string& text) const {
    std::ofstream(path / "spaces.json", std::ios::trunc) << text;
    return path / "spaces.json";
  }
};

TEST_F(HpoFiles, ASpaceThatIsNoneIsRefused) {
  const auto refused = [&](const std::string& text, const std::vector<std::string>& parts) {
    expect_error<std::runtime_error>([&] { read_learners(spaces(text)); }, parts);
  };
  refused("{", {"spaces.json: ", "parse error"});
  refused(R"({"a": {"title": "A"}})", {"spaces.json: ", "parameters"});
  refused(R"({"a": {"title": "A", "parameters": [{"name": "x", "type": "complex"}]}})",
          {"learner a, parameter 1: 'complex' is no type"});
  refused(R"({"a": {"title": "A", "parameters": [{"name": "x", "type": "real", "low": 0}]}})",
          {"learner a, parameter 1: ", "high"});
  refused(R"({"a": {"title": "A", "parameters": [{"name": "x", "type": "real", "low": 2, "high": 1}]}})", {"x"});
  expect_error<std::runtime_error>([&] { read_learners(path / "none.json"); }, {"none.json cannot be read"});
}

TEST_F(HpoFiles, AMissingTableIsNamed) {
  expect_error<std::runtime_error>([&] { measured_problems(path, spaces_file); }, {"knn_a1a.csv cannot be read"});
}

TEST(HpoTables, AreLongEnoughAndHoldWhatTheyShould) {
  const auto problems = measured_problems(std::filesystem::path(CARBO_HPO_FOLDER) / "data", spaces_file);
  ASSERT_EQ(problems.size(), 20u);
  for (const MeasuredProblem& measured : problems) {
    const replay::Table& table = *measured.table;
    EXPECT_GE(table.rows(), table.mean_cost() < 0.05 ? 5000u : 1500u) << measured.name();
    EXPECT_EQ(measured.problem.most_evaluations, table.rows() / 4) << measured.name();
    for (const double error : table.objective)
      EXPECT_TRUE((error >= 0 && error <= 1) || error == INFINITY) << measured.name();
    EXPECT_LT(replay::quantile(table.cost, 1), 60) << measured.name();
    EXPECT_GT(measured.cost_spread, 0.01) << measured.name();
    EXPECT_LT(measured.cost_spread, 0.5) << measured.name();
    // Costs of every problem differ several times: otherwise nothing could be saved.
    EXPECT_GT(replay::quantile(table.cost, 0.95) / replay::quantile(table.cost, 0.05), 1.5) << measured.name();
  }
}

/// A table of `rows` configurations of one parameter; row i costs i + 1.
MeasuredProblem line_table(const std::string& name, std::size_t rows) {
  const Space space{real("x", 0, 1)};
  replay::Table table{.space = space};
  for (std::size_t i = 0; i < rows; ++i) {
    const double x = static_cast<double>(i) / static_cast<double>(rows);
    table.numbers.push_back(x);
    table.objective.push_back((x - 0.3) * (x - 0.3));
    table.cost.push_back(static_cast<double>(i + 1));
  }
  const auto shared = std::make_shared<const replay::Table>(std::move(table));
  return {.learner = {"dt", "DT", space},
          .data = {"a1a", "a1a"},
          .table = shared,
          .problem = replay::table_problem(name, name, shared, most_of_a_table)};
}

TEST(HpoProblems, AreChosenByNameAndAnUnknownOneIsRefused) {
  const std::vector<MeasuredProblem> problems = {line_table("mlp_a1a", 4), line_table("dt_w2a", 4)};
  const auto chosen = bench::named(problems, {"dt_w2a"});
  ASSERT_EQ(chosen.size(), 1u);
  EXPECT_EQ(chosen[0].name(), "dt_w2a");
  expect_error<std::invalid_argument>(
      [&] {
        bench::named(problems, {"dt_w2a", "dt_w9a"});
      },
      {"there is no 'dt_w9a' among mlp_a1a, dt_w2a"});
}

using HpoBudgets = replay::ReplayFolder;

TEST_F(HpoBudgets, AreWhatEiSpendsOnThePapersEvaluations) {
  EXPECT_EQ(paper_sequence("rf_splice"), 10u);  // 31 in batches of three
  EXPECT_EQ(paper_sequence("dt_w2a"), 26u);     // 77
  const std::vector<MeasuredProblem> problems = {line_table("rf_splice", 60)};
  const auto budgets = pilot_budgets(problems, path, {.threads = 1});
  ASSERT_EQ(budgets.size(), 1u);
  const replay::RunStore store(path);
  ASSERT_EQ(store.size(), 11u);
  std::vector<double> spent;
  for (const auto& [key, run] : store.runs()) {
    EXPECT_EQ(run.steps.size(), 10u);
    EXPECT_GT(key.seed, 100000u);
    double sum = 0;
    for (const replay::Step& step : run.steps) sum += step.cost;
    spent.push_back(sum);
  }
  EXPECT_NEAR(budgets.at("rf_splice"), replay::median(spent), 0.005 * replay::median(spent));
  EXPECT_EQ(pilot_budgets(problems, path, {.threads = 1}), budgets);
}

TEST(HpoExperiments, MakeTheCellsOfThePaper) {
  const std::vector<MeasuredProblem> problems = {line_table("mlp_a1a", 40), line_table("dt_w2a", 40)};
  const std::map<std::string, double> budgets = {{"mlp_a1a", 10.0}, {"dt_w2a", 20.0}};
  const Seeds seeds{.many = 5, .few = 2};

  const Experiment tables = tables_experiment(problems, budgets, seeds);
  ASSERT_EQ(tables.cells.size(), 8u);
  for (std::size_t c = 0; c < 8; ++c) {
    EXPECT_EQ(tables.cells[c].batch, batch_sizes[c / 2]);
    EXPECT_EQ(tables.cells[c].budget, c % 2 == 0 ? 10.0 : 20.0);
    EXPECT_EQ(tables.cells[c].seeds, c < 4 ? 5u : 2u);
  }
  EXPECT_EQ(tables.methods.size(), 4u);

  const Experiment scaling = scaling_experiment(problems, budgets, seeds);
  ASSERT_EQ(scaling.cells.size(), 10u);
  for (const replay::Cell& cell : scaling.cells)
    EXPECT_DOUBLE_EQ(cell.budget * static_cast<double>(cell.batch), 4 * budgets.at(cell.problem->name));
  EXPECT_EQ(scaling.cells[0].seeds, 5u);
  EXPECT_EQ(scaling.cells[1].seeds, 2u);

  const Experiment share = share_experiment(problems, budgets, seeds);
  ASSERT_EQ(share.methods.size(), 6u);
  Options options;
  share.methods[5].configure(options, problems[0].problem);
  EXPECT_EQ(share.methods[5].name, "carbo_6_of_8");
  EXPECT_EQ(options.design.budget_share, 0.75);
  EXPECT_EQ(options.initial_design, InitialDesign::paper);

  const Experiment draws = draws_experiment(problems, budgets, seeds);
  ASSERT_EQ(draws.methods.size(), 5u);
  EXPECT_EQ(draws.methods[4].name, "carbo_2_draws");
  EXPECT_EQ(draws.store, tables.store);
  draws.methods[4].configure(options, problems[0].problem);
  EXPECT_EQ(options.design.warm_start, 2u);

  EXPECT_EQ(ablation_experiment(problems, budgets, seeds).methods.size(), 5u);
  const auto differences = difference_experiments(problems, budgets, seeds);
  std::map<std::string, const Experiment*> by_name;
  std::set<std::string> stores;
  for (const Experiment& experiment : differences) {
    by_name[experiment.name] = &experiment;
    stores.insert(experiment.store);
    ASSERT_EQ(experiment.cells.size(), 2u);
    EXPECT_EQ(experiment.cells[0].problem->name, "mlp_a1a");
    EXPECT_EQ(experiment.cells[0].seeds, 5u);
    EXPECT_EQ(experiment.cells[1].seeds, 2u);
    EXPECT_EQ(experiment.methods.size(), 4u);
  }
  EXPECT_EQ(by_name.size(), 8u);
  EXPECT_EQ(stores.size(), 6u);  // budgets are part of a run's key, everything else has runs of its own
  EXPECT_EQ(by_name.at("reference")->cells[0].budget, 10.0);
  EXPECT_EQ(by_name.at("half")->cells[0].budget, 5.0);
  EXPECT_EQ(by_name.at("double")->cells[0].budget, 20.0);
  for (const char* name : {"likelihood", "gpyopt"}) {
    Options changed;
    by_name.at(name)->methods[1].configure(changed, problems[0].problem);
    EXPECT_EQ(changed.surrogate.estimation, Estimation::maximum_likelihood);
    EXPECT_EQ(changed.cost.surrogate.estimation, Estimation::maximum_likelihood);
    EXPECT_EQ(changed.acquisition, Acquisition::ei);
    EXPECT_EQ(changed.incumbent == Incumbent::posterior_mean, std::string(name) == "gpyopt");
  }
  EXPECT_FALSE(by_name.at("continuous")->cells[0].problem->pool);
  EXPECT_TRUE(by_name.at("noise")->cells[0].problem->pool);
}

/// A suggestion of a row of the line table.
Suggestion row_suggestion(const MeasuredProblem& measured, std::size_t row) {
  return {.id = 1,
          .configuration = measured.learner.space.configuration(measured.table->row(row)),
          .pool_index = row,
          .receipt = {}};
}

TEST(HpoExperiments, DisturbedCostsSpreadAsTheyShouldAndErrorsStay) {
  const MeasuredProblem measured = line_table("dt_w2a", 4);
  const replay::Problem disturbed = disturbed_problem(measured.problem, 0.2);
  double sum = 0, squares = 0, costs = 0;
  constexpr int seeds = 4000;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Suggestion suggestion = row_suggestion(measured, 2);
    const replay::Outcome outcome = disturbed.evaluate(suggestion, seed);
    EXPECT_EQ(outcome.objective, measured.table->objective[2]);
    EXPECT_EQ(outcome.cost, disturbed.evaluate(suggestion, seed).cost);
    const double ratio = std::log(outcome.cost / measured.table->cost[2]);
    sum += ratio;
    squares += ratio * ratio;
    costs += outcome.cost;
  }
  const double mean = sum / seeds;
  EXPECT_NEAR(mean, -0.02, 0.015);  // four standard errors, and more
  EXPECT_NEAR(std::sqrt(squares / seeds - mean * mean), 0.2, 0.01);
  EXPECT_NEAR(costs / seeds, measured.table->cost[2], 0.05);
  EXPECT_NE(disturbed.evaluate(row_suggestion(measured, 0), 1).cost / measured.table->cost[0],
            disturbed.evaluate(row_suggestion(measured, 1), 1).cost / measured.table->cost[1]);
  EXPECT_EQ(disturbed_problem(measured.problem, 0).evaluate(row_suggestion(measured, 1), 7).cost, 2);
}

TEST_F(HpoFiles, TheSpreadOfRepeatedCostsIsThatOfOneMeasurement) {
  const MeasuredProblem measured = line_table("dt_w2a", 3);
  const std::string header = "row,table_row,pass,error,seconds,status,note\n";
  const auto spread = [&](const std::string& rows) {
    return repeated_cost_spread(file_with(header + rows), *measured.table);
  };
  // Costs are 1, 2 and 3: ratios of 2, 1/2 and 1, whose logarithms' median in size is ln 2.
  EXPECT_NEAR(spread("0,0,2,0.1,2,ok,\n1,1,2,0.1,1,ok,\n2,2,2,0.1,3,ok,\n"), std::log(2.0) / 0.674490 / 1.414214,
              1e-5);
  const auto refused = [&](const std::string& rows, const std::vector<std::string>& parts) {
    expect_error<std::runtime_error>([&] { spread(rows); }, parts);
  };
  refused("", {"table.csv: no row was measured again"});
  refused("0,3,2,0.1,2,ok,\n", {"line 2 is no measurement of the table's 3 rows"});
  refused("0,-1,2,0.1,2,ok,\n", {"line 2"});
  refused("0,1,2,0.1,0,ok,\n", {"line 2"});
  refused("0,1,2,0.1,,ok,\n", {"''"});
  expect_error<std::runtime_error>([&] { repeated_cost_spread(file_with("a,b\n1,2\n"), *measured.table); },
                                   {"its columns are not row,table_row,pass"});
  expect_error<std::runtime_error>([&] { repeated_cost_spread(path / "none.csv", *measured.table); },
                                   {"none.csv cannot be read"});
}

TEST(HpoCommandLine, ParsesAndNamesWhatIsWrong) {
  const CommandLine command = parse_command_line({"--experiments", "tables,live", "--problems", "knn_a1a", "--seeds",
                                                  "3", "--few-seeds", "2", "--sets", "folder", "--out", "d"});
  EXPECT_EQ(command.experiments, (std::vector<std::string>{"tables", "live"}));
  EXPECT_EQ(command.seeds.many, 3u);
  EXPECT_EQ(command.seeds.few, 2u);
  ASSERT_EQ(command.server.size(), 3u);
  EXPECT_EQ(command.server[2], "folder");
  EXPECT_EQ(parse_command_line({}).data.filename(), "data");
  for (const std::vector<std::string>& bad :
       {std::vector<std::string>{"--seeds", "0"}, {"--seeds", "x"}, {"--seeds"}, {"--frob", "1"}})
    EXPECT_THROW(parse_command_line(bad), std::invalid_argument);
}

}  // namespace
}  // namespace carbo::hpo
