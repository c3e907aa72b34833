#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/choice/command_line.hpp"
#include "bench/choice/snapped.hpp"
#include "bench/choice/split.hpp"
#include "bench/choice/variants.hpp"
#include "bench/study/problem.hpp"
#include "support/expect_error.hpp"

namespace carbo::choice {
namespace {

std::set<std::string> names_of(ProblemSet set) {
  std::set<std::string> names;
  for (const replay::Problem& problem : problems_of(set, tables_folder(set))) names.insert(problem.name);
  return names;
}

TEST(ChoiceSplit, IsFixedAndNothingIsInTwoSets) {
  const std::set<std::string> choosing = names_of(ProblemSet::choosing), end = names_of(ProblemSet::end);
  EXPECT_EQ(choosing, (std::set<std::string>{"knn_a1a",   "knn_a2a",         "knn_splice", "knn_w2a",     "mlp_a1a",
                                             "mlp_a2a",   "mlp_splice",      "mlp_w2a",    "dt_a1a",      "dt_a2a",
                                             "dt_splice", "dt_w2a",          "branin",     "ackley5",     "levy4",
                                             "descent",   "goldstein_noisy", "neighbours", "rosenbrock4", "forest"}));
  EXPECT_EQ(end, (std::set<std::string>{"svm_a1a", "svm_a2a", "svm_splice", "svm_w2a", "rf_a1a", "rf_a2a",
                                        "rf_splice", "rf_w2a", "styblinski4", "camel", "hartmann6", "hartmann3",
                                        "kernel", "network", "boosting"}));
  EXPECT_EQ(
      names_of(ProblemSet::verdict),
      (std::set<std::string>{"boost_digits", "boost_clusters", "extra_digits", "extra_clusters", "logistic_digits",
                             "logistic_clusters", "nystroem_digits", "nystroem_clusters", "michalewicz5", "shekel4",
                             "griewank6", "rastrigin3", "holder", "dixon_price6", "himmelblau_noisy"}));
}

TEST(ChoiceSplit, AllLearnersAndFunctionsAreInOneOfTheSets) {
  std::multiset<std::string> names, known;
  for (const ProblemSet set : all_sets) {
    EXPECT_EQ(parse_set(to_string(set)), set);
    for (const auto& list : {learners_of(set), functions_of(set)}) names.insert(list.begin(), list.end());
  }
  for (const char* folder : {"", "verdict"})
    for (const hpo::Learner& learner :
         hpo::read_learners(std::filesystem::path(CARBO_HPO_FOLDER) / folder / "spaces.json"))
      known.insert(learner.name);
  for (const auto& list : {study::all_problems(), study::verdict_problems()})
    for (const study::Problem& function : list) known.insert(function.name);
  EXPECT_EQ(names, known);
  expect_error<std::invalid_argument>([] { parse_set("both"); }, {"'both' is no set of problems"});
}

TEST(ChoiceSplit, KnowsWhatThingsCostAndHowMuchOfATableMayBeSeen) {
  for (const ProblemSet set : {ProblemSet::choosing, ProblemSet::verdict})
    for (const replay::Problem& problem : problems_of(set, tables_folder(set))) {
      EXPECT_GT(problem.mean_cost, 0) << problem.name;
      EXPECT_GT(problem.cost_spread, 1) << problem.name;
      if (problem.pool) {
        EXPECT_EQ(problem.most_evaluations, problem.pool->size() / 4) << problem.name;
      }
    }
}

TEST(ChoiceSplit, TablesThatJudgeAreLongAndTheirCostsAreSpreadWidely) {
  for (const hpo::MeasuredProblem& measured : tables_of(ProblemSet::verdict, tables_folder(ProblemSet::verdict))) {
    EXPECT_GE(measured.table->rows(), 1500u) << measured.name();
    EXPECT_GT(measured.problem.cost_spread, 5) << measured.name();
    EXPECT_LT(measured.problem.cost_spread, 100) << measured.name();
    EXPECT_TRUE(measured.problem.optimum > 0 && measured.problem.optimum < 0.5) << measured.name();
  }
}

TEST(ChoiceVariants, HaveNamesOfTheirOwnAndReasons) {
  std::set<std::string> names;
  for (const Variant& variant : all_variants()) {
    EXPECT_TRUE(names.insert(variant.name).second) << variant.name;
    EXPECT_FALSE(variant.title.empty()) << variant.name;
    EXPECT_FALSE(variant.why.empty()) << variant.name;
    EXPECT_EQ(variant.name.find_first_of(":,+ "), std::string::npos) << variant.name;
  }
  for (const Rivals& rivals : {paper_rivals, equal_rivals})
    for (const Rival& rival : rivals.list) EXPECT_TRUE(names.contains(rival.name)) << rival.name;
  EXPECT_TRUE(names.contains("default"));
}

Options options_of(const std::string& name, const replay::Problem& problem) {
  Options options;
  variants_named({name}).front().configure(options, problem);
  return options;
}

replay::Problem problem_with_optimum(double optimum) {
  replay::Problem problem{.name = "p", .title = "P", .space = Space{real("x", 0, 1)}};
  problem.optimum = optimum;
  return problem;
}

TEST(ChoiceVariants, SetWhatTheirNamesSay) {
  const replay::Problem positive = problem_with_optimum(0.1), negative = problem_with_optimum(-1);
  for (const char* name : {"ei", "eipu"}) {
    const Options options = options_of(name, positive);
    EXPECT_EQ(options.transform, Transform::none);
    EXPECT_EQ(options.initial_design, InitialDesign::uniform);
    EXPECT_EQ(options.design.warm_start, 5u);
  }
  const Options small = options_of("log+share3+warm3", positive);
  EXPECT_EQ(small.transform, Transform::log);
  EXPECT_EQ(small.design.budget_share, 0.03);
  EXPECT_EQ(small.design.warm_start, 3u);
  EXPECT_EQ(options_of("log+share3+warm3", negative).transform, Transform::none);
  EXPECT_EQ(options_of("rank", negative).transform, Transform::rank);
  EXPECT_EQ(options_of("gittins+rank", negative).acquisition, Acquisition::gittins);
  EXPECT_EQ(options_of("ei_default", positive).transform, Options{}.transform);
  EXPECT_EQ(options_of("ei_default", positive).acquisition, Acquisition::ei);
  EXPECT_EQ(options_of("local20", positive).candidates.local_share, 0.2);
  EXPECT_EQ(options_of("likelihood", positive).surrogate.estimation, Estimation::maximum_likelihood);
  EXPECT_EQ(options_of("fill", positive).batches, Batches::fill);
  EXPECT_EQ(options_of("top_up", positive).batches, Batches::top_up);
}

TEST(ChoiceVariants, AreJoinedInTheirOrder) {
  const replay::Problem problem = problem_with_optimum(0.1);
  EXPECT_EQ(options_of("warm2+warm4", problem).design.warm_start, 4u);
  EXPECT_EQ(options_of("ei_default+rank", problem).acquisition, Acquisition::ei);
  EXPECT_FALSE(variants_named({"ei_default+rank"}).front().ignores_budget);
  const std::vector<Variant> both = variants_named({"warm2+rank", "default", "warm2+rank"});
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0].name, "warm2+rank");
  EXPECT_EQ(both[1].name, "default");
  for (const char* name : {"warm9", "default+ei", "default+", "+", ""})
    EXPECT_THROW(variants_named({name}), std::invalid_argument) << name;
}

TEST(ChoiceVariants, OnlyUniformDesignsWithoutCoolingIgnoreTheBudget) {
  const replay::Problem problem = problem_with_optimum(0.1);
  for (const Variant& variant : all_variants()) {
    if (!variant.ignores_budget) continue;
    Options options;
    variant.configure(options, problem);
    EXPECT_EQ(options.initial_design, InitialDesign::uniform) << variant.name;
    EXPECT_NE(options.acquisition, Acquisition::ei_cool) << variant.name;
  }
}

TEST(ChoiceCommandLine, ParsesAndNamesWhatIsWrong) {
  const CommandLine command = parse_command_line(
      {"--variants", "log,default", "--budgets",   "25,100",   "--batches", "1,3",      "--seeds",
       "11",         "--pairs",     "log:default", "--totals", "default",   "--optuna", "optuna_tpe",
       "--problems", "branin",      "--out",       "d",        "--detail",  "log"});
  EXPECT_EQ(command.set, ProblemSet::choosing);
  EXPECT_EQ(command.data, tables_folder(ProblemSet::choosing));
  ASSERT_EQ(command.variants.size(), 2u);
  EXPECT_EQ(command.plan.budgets, (std::vector<std::size_t>{25, 100}));
  EXPECT_EQ(command.plan.batches, (std::vector<std::size_t>{1, 3}));
  EXPECT_EQ(command.plan.seeds, 11u);
  ASSERT_EQ(command.pairs.size(), 1u);
  EXPECT_EQ(command.pairs[0].second.name, "default");
  ASSERT_EQ(command.totals.size(), 1u);
  ASSERT_EQ(command.optuna.size(), 1u);
  EXPECT_EQ(command.optuna[0].name, "optuna_tpe");
  EXPECT_EQ(command.detail, "log");
  EXPECT_EQ(parse_command_line({}).plan.seeds, 51u);
  EXPECT_EQ(parse_command_line({}).detail, "default");
  EXPECT_TRUE(parse_command_line({}).optuna.empty());
  for (const std::vector<std::string>& bad : {std::vector<std::string>{"--seeds", "0"},
                                              {"--seeds"},
                                              {"--frob"},
                                              {"--variants", "none_such"},
                                              {"--budgets", "25,x"},
                                              {"--budgets", ""},
                                              {"--optuna", "optuna_none"},
                                              {"--pairs", "log"},
                                              {"--pairs", "log:none_such"},
                                              {"--detail", "rank"},
                                              {"--set", "both"}})
    EXPECT_THROW(parse_command_line(bad), std::invalid_argument) << bad.front();
}

TEST(ChoiceCommandLine, WhatJudgesIsLookedAtOnPurpose) {
  for (const ProblemSet set : {ProblemSet::end, ProblemSet::verdict}) {
    const std::string name = to_string(set), look = "--look-at-the-" + name;
    expect_error<std::invalid_argument>(
        [&] {
          parse_command_line({"--set", name});
        },
        {"--set " + name + " takes " + look + " too"});
    expect_error<std::invalid_argument>([&] { parse_command_line({look}); },
                                        {look + " goes with --set " + name + ", not with choosing"});
    const CommandLine command = parse_command_line({"--set", name, look});
    EXPECT_EQ(command.set, set);
    EXPECT_EQ(command.data, tables_folder(set));
  }
  expect_error<std::invalid_argument>(
      [] {
        parse_command_line({"--set", "verdict", "--look-at-the-end"});
      },
      {"--look-at-the-end goes with --set end, not with verdict"});
}

/// Rows (0, a), (0.6, a), (0.6, b), (1, b) of a space with one number on a scale of 0 to 10 and one category.
std::shared_ptr<const replay::Table> mixed_table() {
  return std::make_shared<const replay::Table>(
      replay::Table{.space = Space{real("x", 0, 10), categorical("c", {"a", "b"})},
                    .numbers = {0, 0, 6, 0, 6, 1, 10, 1},
                    .objective = {4, 3, 2, 1},
                    .cost = {1, 2, 3, 4}});
}

TEST(ChoiceSnapped, TheNearestRowIsThatInTheEncodedCube) {
  const auto table = mixed_table();
  const replay::Problem problem = snapped_problem(replay::table_problem("t", "T", table, 0.5), table);
  const auto row = [&](double x, double category) {
    const Suggestion suggestion{.id = 1,
                                .configuration = table->space.configuration(std::vector<double>{x, category}),
                                .pool_index = {},
                                .receipt = {}};
    return problem.evaluate(suggestion, 1).row;
  };
  for (std::size_t i = 0; i < table->rows(); ++i) EXPECT_EQ(row(table->row(i)[0], table->row(i)[1]), i);
  EXPECT_EQ(row(2.9, 0), 0u);
  EXPECT_EQ(row(3.1, 0), 1u);
  EXPECT_EQ(row(3.0, 0), 0u);  // as far from either: the first
  // A number is never so far off as another category: at most 1, which a category alone is.
  EXPECT_EQ(row(10, 0), 1u);
  EXPECT_EQ(row(0, 1), 2u);
}

TEST(ChoiceSnapped, ARowIsChargedEachTimeItIsProposed) {
  const auto table = mixed_table();
  const replay::Problem pooled = replay::table_problem("t", "T", table, 0.5);
  const replay::Problem problem = snapped_problem(pooled, table);
  EXPECT_FALSE(problem.pool);
  EXPECT_EQ(problem.most_evaluations, 2u);
  EXPECT_EQ(problem.mean_cost, 2.5);
  EXPECT_EQ(problem.optimum, 1);
  const Suggestion suggestion{.id = 1,
                              .configuration = table->space.configuration(std::vector<double>{9.0, 1.0}),
                              .pool_index = {},
                              .receipt = {}};
  for (int time = 0; time < 2; ++time) {
    const replay::Outcome outcome = problem.evaluate(suggestion, 1);
    EXPECT_EQ(outcome.objective, 1);
    EXPECT_EQ(outcome.cost, 4);
    EXPECT_EQ(outcome.row, 3u);
  }
}

}  // namespace
}  // namespace carbo::choice
