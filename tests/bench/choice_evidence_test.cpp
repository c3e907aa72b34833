#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "bench/choice/experiments.hpp"
#include "bench/choice/peer.hpp"
#include "bench/choice/report.hpp"
#include "bench/hpo_support.hpp"
#include "bench/support/words.hpp"
#include "support/expect_error.hpp"

namespace carbo::choice {
namespace {

using hpo::cells_of_row;
using Curve = std::vector<double>;

/// Three seeds with one curve, on a grid of four steps.
replay::MethodSummary method(const std::string& name, const Curve& curve) {
  replay::MethodSummary summary{.name = name, .title = name, .traces = replay::Traces(3, curve)};
  summary.middle = curve;
  summary.evaluations = 7;
  summary.seconds = 0.5;
  return summary;
}

const Curve after_one = {9, 1, 1, 1, 1}, after_two = {9, 9, 1, 1, 1}, after_three = {9, 9, 9, 1, 1},
            after_four = {9, 9, 9, 9, 1};

/// Two problems with two budgets each; "v" saves 75 % and 25 % on the first against "ei", loses 50 % on the second.
class HandMadeEvidence : public ::testing::Test {
 protected:
  void add(const replay::Problem& problem, std::size_t budget, const Curve& v, const Curve& ei, const Curve& eipu) {
    Measured cell{.summary = {.cell = {.problem = &problem, .batch = 1, .budget = 1, .seeds = 3}},
                  .mean_costs = budget};
    cell.summary.methods = {method("ei", ei), method("eipu", eipu), method("v", v)};
    cells.push_back(std::move(cell));
  }
  void SetUp() override {
    first.cost_spread = 2;
    second.cost_spread = 5;
    add(first, 25, after_one, after_four, after_three);
    add(first, 50, after_two, after_three, after_four);
    add(second, 50, after_three, after_one, after_two);
    add(second, 25, after_three, after_one, after_two);
    variant.name = "v";
    variant.title = "The variant";
  }

  replay::Problem first{.name = "p1", .title = "P1", .space = Space{real("x", 0, 1)}};
  replay::Problem second{.name = "p2", .title = "P2", .space = Space{real("x", 0, 1)}};
  std::vector<Measured> cells;
  Variant variant;
};

TEST_F(HandMadeEvidence, SavingsAreMeansOverProblemsAndBudgets) {
  const Evidence evidence = gather(cells, 1, paper_rivals, {variant}, 1);
  EXPECT_EQ(evidence.problems(), (std::vector<std::string>{"p1", "p2"}));
  EXPECT_EQ(evidence.budgets(), (std::vector<std::size_t>{25, 50}));
  EXPECT_EQ(evidence.against(), (std::vector<std::string>{"EI", "EIpu", "better of both"}));
  const VariantEvidence& v = evidence.of("v");
  // Against EI: +0.75, +0.25, -0.5, -0.5. Against EIpu: +0.5, +0.5, -0.25, -0.25.
  EXPECT_DOUBLE_EQ(net_savings(evidence, v, 0).share, 0.0);
  EXPECT_DOUBLE_EQ(net_savings(evidence, v, 0, 25).share, 0.125);
  EXPECT_DOUBLE_EQ(net_savings(evidence, v, 0, 50).share, -0.125);
  EXPECT_DOUBLE_EQ(net_savings(evidence, v, 1).share, 0.125);
  // The better ends as low and gets there first: EIpu, EI, EI, EI.
  EXPECT_DOUBLE_EQ(net_savings(evidence, v, 2).share, (0.5 + 0.25 - 0.5 - 0.5) / 4);
  EXPECT_DOUBLE_EQ(problem_savings(evidence, v, 0, "p1"), 0.5);
  EXPECT_DOUBLE_EQ(problem_savings(evidence, v, 0, "p2"), -0.5);
}

TEST_F(HandMadeEvidence, RangesComeFromProblemsDrawnWithAllTheirBudgets) {
  const Evidence evidence = gather(cells, 1, paper_rivals, {variant}, 2);
  // Seeds are all alike, so a resample is the first problem twice, the second twice, or one of each.
  const replay::NetSavings net = net_savings(evidence, evidence.of("v"), 0);
  EXPECT_DOUBLE_EQ(net.low, -0.5);
  EXPECT_DOUBLE_EQ(net.high, 0.5);
  const replay::NetSavings at_25 = net_savings(evidence, evidence.of("v"), 0, 25);
  EXPECT_DOUBLE_EQ(at_25.low, -0.5);
  EXPECT_DOUBLE_EQ(at_25.high, 0.75);
}

TEST_F(HandMadeEvidence, ThreadsDoNotChangeIt) {
  cells[0].summary.methods[2].traces = {after_one, after_three, after_four};
  const Evidence one = gather(cells, 1, paper_rivals, {variant}, 1),
                 two = gather(cells, 1, paper_rivals, {variant}, 2);
  for (std::size_t c = 0; c < cells.size(); ++c)
    for (std::size_t a = 0; a < 3; ++a)
      EXPECT_EQ(one.variants[0].cells[c][a].resampled, two.variants[0].cells[c][a].resampled);
}

TEST_F(HandMadeEvidence, WhatWasNotRunIsNamed) {
  expect_error<std::invalid_argument>([&] { gather(cells, 3, paper_rivals, {variant}, 1); },
                                      {"no cell has batches of 3"});
  expect_error<std::invalid_argument>([&] { gather(cells, 1, equal_rivals, {variant}, 1); },
                                      {"p1, batch 1: there are no runs of ei_default"});
  const Evidence evidence = gather(cells, 1, paper_rivals, {variant}, 1);
  expect_error<std::invalid_argument>([&] { evidence.of("w"); }, {"variant w was not compared"});
}

TEST_F(HandMadeEvidence, TheReportHasItsFigures) {
  const Evidence evidence = gather(cells, 1, paper_rivals, {variant}, 1);
  const std::string text = variants_section(evidence);
  const std::vector<std::string> row = cells_of_row(text, "v");
  ASSERT_EQ(row.size(), 9u);
  EXPECT_EQ(row[1], "0 % (-50 % to +50 %)");
  EXPECT_EQ(row[4], "1");    // lost to EI
  EXPECT_EQ(row[5], "1/2");  // ahead of EI
  EXPECT_EQ(row[8], "0.50");
  EXPECT_NE(text.find("- v: p2\n"), std::string::npos);
  const std::string problems = problems_section(evidence, "v");
  // spread; EI, EIpu and the better at 25 and 50; means; evaluations
  EXPECT_EQ(cells_of_row(problems, "p1"),
            (std::vector<std::string>{"p1", "2", "+75 %", "+25 %", "+50 %", "+50 %", "+50 %", "+25 %", "+50 %",
                                      "+50 %", "+38 %", "7, 7"}));
  EXPECT_LT(problems.find("| p2 "), problems.find("| p1 "));  // the wider spread first
  EXPECT_THROW(problems_section(evidence, "w"), std::invalid_argument);
}

TEST_F(HandMadeEvidence, FilesHaveARowForEachComparison) {
  const std::vector<Evidence> all = {gather(cells, 1, paper_rivals, {variant}, 1)};
  const std::string savings = savings_csv(all), net = net_csv(all);
  EXPECT_EQ(std::count(savings.begin(), savings.end(), '\n'), 1 + 4 * 3);
  EXPECT_EQ(std::count(net.begin(), net.end(), '\n'), 1 + 3 * 3);
  EXPECT_NE(savings.find("v,ei+eipu,ei,p1,1,25,3,0.75,1,7,0,0.5\n"), std::string::npos);
  EXPECT_NE(net.find("v,ei+eipu,eipu,1,all,3,0.125,"), std::string::npos);
  EXPECT_NE(variants_figure(all[0]).find("<svg"), std::string::npos);
  EXPECT_NE(problems_figure(all[0], "v").find("p2"), std::string::npos);
}

TEST_F(HandMadeEvidence, BatchesAreMeasuredAgainstTheSequence) {
  std::vector<Measured> batches = {cells[0]};
  batches[0].summary.cell.batch = 16;
  batches[0].summary.methods = {method("v_total", after_two)};
  Variant total = at_total_cost(variant);
  EXPECT_EQ(total.name, "v_total");
  EXPECT_EQ(total.accounting, Accounting::sum);
  const std::vector<Measured> beside = beside_sequence(batches, cells);
  const Evidence evidence = gather(beside, 16, {"the sequence", {{"v", "sequence"}}}, {total}, 1);
  EXPECT_EQ(evidence.against(), (std::vector<std::string>{"sequence"}));
  EXPECT_DOUBLE_EQ(net_savings(evidence, evidence.of("v_total"), 0).share, -0.25);
  batches[0].mean_costs = 99;
  expect_error<std::invalid_argument>([&] { beside_sequence(batches, cells); },
                                      {"p1 was not run in sequence with 99 mean costs"});
}

using ChoiceMeasure = replay::ReplayFolder;

TEST_F(ChoiceMeasure, MakesACellForEachProblemBudgetAndBatch) {
  replay::Problem problem{.name = "line", .title = "Line", .space = Space{real("x", 0, 1)}};
  problem.drawn = 32;
  problem.mean_cost = 2;
  problem.evaluate = [](const Suggestion& suggestion, std::uint64_t) {
    const double x = suggestion.configuration.numbers()[0];
    return replay::Outcome{.objective = x, .value = x, .cost = 1 + 2 * x};
  };
  const std::vector<replay::Problem> problems = {problem};
  const Variant random = bench::named(all_variants(), {"random"}).front();
  replay::Laboratory laboratory(path, {.threads = 1});
  const auto measured =
      measure(laboratory, "Title", "runs", problems, {.budgets = {3, 6}, .batches = {1, 2}, .seeds = 2}, {random});
  ASSERT_EQ(measured.size(), 4u);
  EXPECT_EQ(measured[1].mean_costs, 6u);
  EXPECT_EQ(measured[1].summary.cell.budget, 12);
  EXPECT_EQ(measured[2].summary.cell.batch, 2u);
  EXPECT_EQ(measured[3].of("random").runs.size(), 2u);
}

TEST(ChoicePeer, SpeaksOfSpacesAndOutcomesInLines) {
  const Space space{real("x", 0.5, 8).log(), integer("n", 1, 5), categorical("c", {"a", "b"})};
  EXPECT_EQ(start_line(space, "gp", 3), R"({"sampler":"gp","seed":3,"parameters":[)"
                                        R"({"name":"x","type":"real","low":0.5,"high":8.0,"log":true},)"
                                        R"({"name":"n","type":"integer","low":1,"high":5,"log":false},)"
                                        R"({"name":"c","type":"categorical","choices":["a","b"]}]})");
  EXPECT_EQ(told_line({.objective = 0.25, .value = 0.25, .cost = 1}), R"({"objective":0.25})");
  EXPECT_EQ(told_line({.objective = INFINITY, .value = 0, .cost = 1}), R"({"failed":true})");
  const Proposal proposal = proposal_of(space, R"({"values":{"x":2,"n":4,"c":"b"},"seconds":1.5})");
  EXPECT_EQ(proposal.seconds, 1.5);
  EXPECT_EQ(proposal.configuration, space.configuration(std::vector<double>{2, 4, 1}));
  for (const char* nonsense :
       {"", "Traceback", "[1]", "{}", R"({"values":{"x":2,"n":4},"seconds":1})",
        R"({"values":{"x":99,"n":4,"c":"b"},"seconds":1})", R"({"values":{"x":2,"n":4,"c":"b"}})"})
    expect_error<std::runtime_error>([&] { proposal_of(space, nonsense); }, {"this is no proposal", nonsense});
  EXPECT_THROW(start_line(Space{ordinal("o", {"a", "b"})}, "gp", 1), std::invalid_argument);
}

TEST(ChoicePeer, IsAskedAndToldUntilTheBudgetIsSpent) {
  replay::Problem problem{.name = "line", .title = "Line", .space = Space{integer("n", 0, 9)}};
  problem.evaluate = [](const Suggestion& suggestion, std::uint64_t) {
    const double n = suggestion.configuration.numbers()[0];
    return replay::Outcome{.objective = n == 3 ? NAN : 9 - n, .value = 9 - n, .cost = 2, .row = 7};
  };
  // Proposes 1 for the first line and then one more than before, whatever it is told.
  const Variant peer = peer_variant("peer", "Peer", "gp",
                                    {"sh", "-c",
                                     "n=0; while read line; do n=$((n+1)); "
                                     "echo \"{\\\"values\\\":{\\\"n\\\":$n},\\\"seconds\\\":$n}\"; done"});
  EXPECT_TRUE(peer.ignores_budget);
  const replay::RunRecord run = run_once(problem, peer, replay::key_of(problem, peer, 1, 9, 1));
  ASSERT_EQ(run.steps.size(), 5u);
  EXPECT_EQ(run.spent, 10);
  EXPECT_EQ(run.seconds, 5);
  EXPECT_EQ(run.steps[1].objective, 7);
  EXPECT_FALSE(std::isfinite(run.steps[2].objective));
  EXPECT_EQ(run.steps[2].incumbent_regret, 7);
  EXPECT_EQ(run.steps[0].row, 7u);
  problem.most_evaluations = 2;
  EXPECT_EQ(run_once(problem, peer, replay::key_of(problem, peer, 1, 9, 1)).steps.size(), 2u);
  EXPECT_THROW(run_once(problem, peer, replay::key_of(problem, peer, 2, 9, 1)), std::invalid_argument);
}

TEST(ChoicePeer, SamplersAreRivalsByTheirTitles) {
  const std::vector<Variant> samplers = optuna_variants();
  const Rivals both = optuna_rivals(samplers), last = optuna_rivals({samplers.back()});
  EXPECT_EQ(both.title, "Optuna's GPSampler and Optuna's TPE, all proposing freely");
  ASSERT_EQ(both.list.size(), 2u);
  EXPECT_EQ(both.list[0].name, "optuna_gp");
  EXPECT_EQ(last.title, "Optuna's TPE, all proposing freely");
  ASSERT_EQ(last.list.size(), 1u);
  EXPECT_EQ(last.list[0].title, "Optuna's TPE");
}

TEST(ChoicePeer, AChildThatEndsIsSaid) {
  replay::Problem problem{.name = "line", .title = "Line", .space = Space{integer("n", 0, 9)}};
  const Variant peer = peer_variant("peer", "Peer", "gp", {"sh", "-c", "exit 3"});
  EXPECT_THROW(run_once(problem, peer, replay::key_of(problem, peer, 1, 9, 1)), std::runtime_error);
}

}  // namespace
}  // namespace carbo::choice
