#include <gtest/gtest.h>

#include <stdexcept>

#include "bench/hpo/averages.hpp"
#include "bench/hpo/experiment_tables.hpp"
#include "bench/hpo/report.hpp"
#include "bench/hpo/result_files.hpp"
#include "bench/hpo/result_tables.hpp"
#include "bench/hpo/spending.hpp"
#include "bench/hpo_support.hpp"
#include "replay/statistics.hpp"
#include "support/not_finite.hpp"

namespace carbo::hpo {
namespace {

using carbo::test::infinity;
using Row = std::vector<std::string>;

class HpoReport : public HandMadeResults {
 protected:
  ExperimentResults tables(const std::vector<std::size_t>& batches = {1, 3}) {
    std::vector<replay::Summary> cells;
    for (const std::size_t batch : batches)
      for (replay::Summary& cell : summaries(four_methods, {"random", "ei", "eipu", "carbo"}, batch, 10))
        cells.push_back(std::move(cell));
    return results_of({.name = "tables", .title = "Tables"}, std::move(cells));
  }

  /// A curve on each problem, the second a copy of the first.
  Runs on_both(const std::map<std::string, Evaluations>& runs) const {
    return {{"knn_a1a", runs}, {"knn_w2a", runs}};
  }
};

TEST_F(HpoReport, ResultsAreGroupedByBatchSizeWithProblemsInOrder) {
  const ExperimentResults results = tables({3, 1});
  ASSERT_EQ(results.batches.size(), 2u);
  EXPECT_EQ(results.batches[0].batch, 1u);
  EXPECT_EQ(results.batches[1].batch, 3u);
  EXPECT_EQ(results.of_batch(3).problems[0].cell.problem->name, "knn_a1a");
  EXPECT_EQ(results.of_batch(3).problems[1].cell.problem->name, "knn_w2a");
  EXPECT_THROW(results.of_batch(7), std::invalid_argument);
}

TEST_F(HpoReport, ErrorsHaveTheLowestInBoldAndThePapersBesideThem) {
  const std::string text = error_section(tables());
  const std::size_t second = text.find("### b = 3, 3 seeds");
  ASSERT_NE(second, std::string::npos);
  EXPECT_EQ(cells_of_row(text, "KNN a1a"),
            (Row{"KNN a1a", "10", "0.4000 (3)", "0.3000 (3)", "0.3500 (3)", "**0.2000 (5)**"}));
  EXPECT_EQ(cells_of_row(text, "KNN w2a"),
            (Row{"KNN w2a", "10", "0.5000 (2) †", "**0.2000 (3)**", "0.4000 (2)", "0.3000 (2)"}));
  // The paper prints one error for EI and CArBO.
  EXPECT_EQ(cells_of_row(text.substr(second), "KNN a1a"),
            (Row{"KNN a1a", "10", "0.4000 (3)", "0.3000 (3)", "0.3500 (3)", "**0.2000 (5)**", "150", "**0.133 (83)**",
                 "0.135 (121)", "**0.133 (111)**"}));
  EXPECT_EQ(cells_of_row(text.substr(second), "KNN w2a").back(), "**0.048 (77)**");
}

TEST_F(HpoReport, RunsThatATableCutShortAreCountedAndNamed) {
  const std::string text = error_section(tables({1}));
  // Random on the second problem, with each of three seeds; 2 problems, 4 methods and 3 seeds are 24 runs.
  EXPECT_NE(text.find("† 3 of 24 runs ended before their budget"), std::string::npos) << text;
  EXPECT_NE(text.find(": KNN w2a: Trandom 3.\n"), std::string::npos) << text;
}

TEST_F(HpoReport, SavingsComeToTheirMeanAndCountsBesideThePapers) {
  const std::string text = savings_section(tables());
  // 80 % saved on the first, half lost on the second.
  EXPECT_EQ(cells_of_row(text, "KNN a1a"),
            (Row{"KNN a1a", "+80 % (+80 to +80)", "+60 %", "+80 % (+80 to +80)", "+49 %"}));
  EXPECT_EQ(cells_of_row(text, "KNN w2a"),
            (Row{"KNN w2a", "-50 % (-50 to -50)", "+59 %", "-50 % (-50 to -50)", "+55 %"}));
  // Two problems drawn with replacement: a quarter of the resamples has the first twice, a quarter the second.
  const std::string net = "**+15.0 % (-50.0 to +80.0)**";
  EXPECT_EQ(cells_of_row(text, "**Net saving (mean)**"),
            (Row{"**Net saving (mean)**", net, "**+32.5 %**", net, "**+45.1 %**"}));
  for (const std::string row : {"CArBO's error lowest or equal", "CArBO saves or is level"})
    EXPECT_EQ(cells_of_row(text, row), (Row{row, "1 of 2", "16 of 20", "1 of 2", "18 of 20"}));
  EXPECT_EQ(cells_of_row(text, "Net against EI")[1], "+15.0 % (-50.0 to +80.0)");
  // 80 and 20 % against EIpu, which ends at 0.35 and 0.4.
  EXPECT_EQ(cells_of_row(text, "Net against EIpu")[1], "+50.0 % (+20.0 to +80.0)");
  // Both lists of two rise or fall together: ours falls from the first to the second, so does the paper's at b = 1
  // (60, 59) and not at b = 3 (49, 55).
  EXPECT_NE(text.find(": +1.00 (b = 1), -1.00 (b = 3).\n"), std::string::npos) << text;
}

TEST_F(HpoReport, WhatRoundsToZeroHasNoSign) {
  EXPECT_EQ(net_text({.share = -0.0004, .low = -0.0126, .high = 0.0004}), "0.0 % (-1.3 to 0.0)");
}

TEST_F(HpoReport, AProblemWhereBothGetThereAtOnceIsLevel) {
  Runs level = four_methods;
  level["knn_a1a"]["carbo"] = level["knn_a1a"]["ei"];
  const std::vector<replay::Summary> cells = summaries(level, {"random", "ei", "eipu", "carbo"}, 1, 10);
  EXPECT_EQ(cells.front().savings->share, 0.0);
  EXPECT_EQ(best_or_level(cells), 1u);
  EXPECT_EQ(lowest_or_equal(cells), 1u);
}

TEST_F(HpoReport, TheLowestErrorLateIsLowestAndSavesNothing) {
  Runs late = four_methods;
  late["knn_a1a"]["carbo"] = {{1, 0.5}, {8, 0.3}, {1, 0.6}};  // EI has 0.3 after 5 of 10
  const std::vector<replay::Summary> cells = summaries(late, {"random", "ei", "eipu", "carbo"}, 1, 10);
  EXPECT_DOUBLE_EQ(cells.front().savings->share, 0.5 - 0.9);
  EXPECT_EQ(best_or_level(cells), 0u);
  EXPECT_EQ(lowest_or_equal(cells), 1u);
}

TEST_F(HpoReport, WhatTheStartCostsIsCountedByPhase) {
  const replay::Method carbo{.name = "carbo", .title = "CArBO", .configure = {}};
  using enum Phase;
  // Evaluations of one second each, of 10: two, one and four draws, designs of three, one and none.
  const std::vector<std::vector<Phase>> phases = {{warm_start, warm_start, design, design, design, search},
                                                  {warm_start, design, search},
                                                  {warm_start, warm_start, warm_start, warm_start, search}};
  store.emplace(path);
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    replay::RunRecord run{.key = replay::key_of(problems[0].problem, carbo, 1, 10, seed)};
    for (const Phase phase : phases[seed - 1]) {
      replay::Step& step = run.steps.emplace_back();
      step.phase = phase;
      step.cost = 1;
      step.finished = run.spent += 1;
    }
    replay::fill_incumbents(run.steps);
    store->add(std::move(run));
  }
  const replay::Summary cell = replay::summarise({&problems[0].problem, 1, 10, 3}, {carbo}, *store);
  const DesignUse use = design_use(cell.methods.front());
  EXPECT_DOUBLE_EQ(use.warm_start_share, 0.2);
  EXPECT_EQ(use.design_points, 1);
}

TEST_F(HpoReport, EvaluationsStandAsMultiplesOfEisBesideThePapers) {
  const std::string text = spending_section(tables());
  // EI makes 3 and 3, EIpu 3 and 2, CArBO 5 and 2; the paper's with batches of 3 are 83, 121, 111 and 83, 142, 77.
  EXPECT_EQ(cells_of_row(text, "b = 1"), (Row{"b = 1", "0.83", "", "1.17", ""}));
  EXPECT_EQ(cells_of_row(text, "b = 3"), (Row{"b = 3", "0.83", "1.58", "1.17", "1.13"}));
  EXPECT_EQ(cells_of_row(text, "KNN, b = 3"), (Row{"KNN, b = 3", "0.83", "1.58", "1.17", "1.13"}));
  // Steps made by hand have the first phase: all of the budget is spent on them.
  EXPECT_EQ(cells_of_row(text, "KNN a1a"), (Row{"KNN a1a", "100 %", "0", "100 %", "0"}));
}

TEST_F(HpoReport, FewerDrawsAreComparedWithBothRivals) {
  const Runs runs = on_both({{"ei", {{5, 0.3}, {5, 0.6}}},
                             {"eipu", {{2, 0.3}, {8, 0.6}}},
                             {"carbo", {{4, 0.3}, {6, 0.6}}},
                             {"carbo_2_draws", {{1, 0.3}, {9, 0.6}}}});
  const std::string text = draws_section(results_of(
      {.name = "draws", .title = "Draws"}, summaries(runs, {"ei", "eipu", "carbo", "carbo_2_draws"}, 1, 10)));
  EXPECT_EQ(cells_of_row(text, "KNN a1a"), (Row{"KNN a1a", "+10 %", "+40 %"}));
  EXPECT_EQ(cells_of_row(text.substr(text.find("against Teipu")), "KNN a1a"), (Row{"KNN a1a", "-20 %", "+10 %"}));
}

TEST_F(HpoReport, TheBestRowsCostIsThatOfTheCheapestOfEquals) {
  const OptimumCost first = optimum_cost(*problems[0].table), second = optimum_cost(*problems[1].table);
  EXPECT_EQ(first.cost, 4.0);
  EXPECT_EQ(first.share, 0.6);
  EXPECT_EQ(second.cost, 1.0);
  EXPECT_EQ(second.share, 0.0);
  // Quantiles of 1, 2, 3, 4, 8 at 5 and 95 %: positions 0.2 and 3.8 of the sorted costs.
  EXPECT_DOUBLE_EQ(second.ratio, 7.2 / 1.2);
}

TEST_F(HpoReport, SavingsAreRelatedToTheOptimumsCost) {
  const std::string text = optimum_section(tables({1}), problems);
  // EIpu against EI: it ends at 0.35 where EI ends at 0.3 and passes 0.35 at 5 of 10; on the second it ends at 0.4,
  // which EI passes at 5, too.
  EXPECT_EQ(cells_of_row(text, "KNN a1a"), (Row{"KNN a1a", "×4", "4", "60 %", "+80 %", "-50 %"}));
  EXPECT_EQ(cells_of_row(text, "KNN w2a"), (Row{"KNN w2a", "×6", "1", "0 %", "-50 %", "-50 %"}));
  // A column of one value has no ranks.
  EXPECT_EQ(cells_of_row(text, "**Rank correlation**"), (Row{"**Rank correlation**", "", "", "", "+1.00", ""}));
  EXPECT_THROW(optimum_section(tables({1}), {}), std::invalid_argument);
}

TEST(HpoStatistics, RankCorrelationSharesRanksAmongEquals) {
  using replay::rank_correlation;
  // Ranks of the second 1, 2, 3.5, 5, 3.5: 8 / sqrt(10 · 9.5).
  EXPECT_DOUBLE_EQ(rank_correlation(std::vector<double>{1, 2, 3, 4, 5}, std::vector<double>{5, 6, 7, 8, 7}),
                   8 / std::sqrt(95.0));
  EXPECT_DOUBLE_EQ(rank_correlation(std::vector<double>{1, 2, 300}, std::vector<double>{9, 4, -1}), -1);
  EXPECT_TRUE(std::isnan(rank_correlation(std::vector<double>{1, 2}, std::vector<double>{3, 3})));
  EXPECT_THROW(rank_correlation(std::vector<double>{1}, std::vector<double>{3}), std::invalid_argument);
  EXPECT_THROW(rank_correlation(std::vector<double>{1, 2}, std::vector<double>{3}), std::invalid_argument);
}

TEST_F(HpoReport, AblationComparesEveryVariantWithEiAndWithEipu) {
  const Runs runs = on_both({{"ei", {{5, 0.3}, {5, 0.6}}},
                             {"eipu", {{4, 0.4}, {6, 0.6}}},
                             {"design_ei", {{2, 0.4}, {2, 0.3}, {6, 0.2}}},
                             {"carbo", {{1, 0.4}, {2, 0.25}, {7, 0.6}}}});
  const std::string text = ablation_section(results_of({.name = "ablation", .title = "Ablation"},
                                                       summaries(runs, {"ei", "eipu", "design_ei", "carbo"}, 1, 10)));
  // EI's end is 0.3: EIpu never gets there and EI passes its end at 5; the design does at 4, CArBO at 3.
  EXPECT_EQ(cells_of_row(text, "KNN a1a"), (Row{"KNN a1a", "-50 %", "+60 %", "+70 %"}));
  EXPECT_EQ(cells_of_row(text, "**Net saving (mean)**"),
            (Row{"**Net saving (mean)**", "-50.0 % (-50.0 to -50.0)", "+60.0 % (+60.0 to +60.0)",
                 "+70.0 % (+70.0 to +70.0)"}));
  // EIpu's end is 0.4: EI passes it at 5, the design at 2, CArBO at 1.
  const std::string second = text.substr(text.find("Savings against Teipu"));
  EXPECT_EQ(cells_of_row(second, "KNN w2a"), (Row{"KNN w2a", "+50 %", "+80 %", "+90 %"}));
}

TEST_F(HpoReport, SharesAreComparedWithTheFirst) {
  const Runs runs = on_both({{"carbo_1_of_8", {{5, 0.3}, {5, 0.6}}}, {"carbo_2_of_8", {{6, 0.4}, {4, 0.6}}}});
  const std::string text = share_section(
      results_of({.name = "share", .title = "Share"}, summaries(runs, {"carbo_1_of_8", "carbo_2_of_8"}, 1, 10)));
  EXPECT_NE(text.find("against Tcarbo_1_of_8"), std::string::npos) << text;
  EXPECT_EQ(cells_of_row(text, "KNN a1a"), (Row{"KNN a1a", "-50 %"}));
  EXPECT_EQ(cells_of_row(text, "**Net saving (mean)**")[1], "-50.0 % (-50.0 to -50.0)");
}

TEST_F(HpoReport, ScalingComparesBatchSizesAtEqualCompute) {
  // Budgets 20 and 10 with batches of 1 and 2: in sequence 0.5 from 2 of 20 on and 0.2 from 10 on, with two at once
  // 0.4 from 1 of 10 on and 0.3 from 4 on.
  std::vector<replay::Summary> cells =
      summaries(on_both({{"carbo", {{2, 0.5}, {8, 0.2}, {10, 0.6}}}}), {"carbo"}, 1, 20);
  for (replay::Summary& cell : summaries(on_both({{"carbo", {{1, 0.4}, {3, 0.3}, {6, 0.6}}}}), {"carbo"}, 2, 10))
    cells.push_back(std::move(cell));
  const std::string text = scaling_section(results_of({.name = "scaling", .title = "Scaling"}, std::move(cells)));
  EXPECT_EQ(cells_of_row(text, "KNN w2a"), (Row{"KNN w2a", "20", "0.2000", "0.3000"}));
  // 0.5 is the worst start and 0.2 the best end: 0.3 lies a third of the way up.
  EXPECT_EQ(cells_of_row(text, "Mean, normalised"), (Row{"Mean, normalised", "", "0.000", "0.333"}));
  // Sequence passes 0.3 at half of the compute.
  EXPECT_EQ(cells_of_row(text, "**Compute saved (mean)**"),
            (Row{"**Compute saved (mean)**", "", "", "-50.0 % (-50.0 to -50.0)"}));
}

TEST_F(HpoReport, DifferencesStandBesideTheMainExperiment) {
  Runs other = four_methods;
  other["knn_w2a"] = other["knn_a1a"];
  const ExperimentResults half =
      results_of({.name = "half", .title = "Half"}, summaries(other, {"random", "ei", "eipu", "carbo"}, 1, 9));
  const std::string text = difference_section(tables(), {half, ExperimentResults{.name = "not made"}});
  EXPECT_EQ(cells_of_row(text, "As in Table 2"),
            (Row{"As in Table 2", "3", "+15.0 % (-50.0 to +80.0)", "+15.0 % (-50.0 to +80.0)",
                 "+50.0 % (+20.0 to +80.0)", "1 of 2"}));
  // 2 of 9 on the grid of thousandths: the point 0.223 is the first behind it.
  EXPECT_EQ(cells_of_row(text, "Half")[2], "+77.7 % (+77.7 to +77.7)");
  EXPECT_EQ(cells_of_row(text, "Half")[5], "2 of 2");
  EXPECT_EQ(text.find("not made"), std::string::npos);
}

TEST_F(HpoReport, FilesHoldEveryCell) {
  const ExperimentResults results = tables();
  const std::string savings = savings_csv({&results});
  EXPECT_NE(savings.find("\ntables,knn_a1a,1,10,3,ei,0.8,0.8,0.8,"), std::string::npos) << savings;
  EXPECT_NE(savings.find("\ntables,knn_w2a,3,10,3,ei,-0.5,-0.5,-0.5,"), std::string::npos) << savings;
  const std::string errors = errors_csv({&results});
  EXPECT_NE(errors.find("\ntables,knn_w2a,1,10,random,3,0.5,0.5,0.5,2,3\n"), std::string::npos) << errors;
  const std::string curves = curves_csv({&results});
  EXPECT_NE(curves.find("\ntables,knn_a1a,1,10,carbo,0,inf,inf,inf,"), std::string::npos);
  EXPECT_NE(curves.find("\ntables,knn_a1a,1,10,carbo,0.2,0.3,0.3,0.3,"), std::string::npos);
  // A header, and 41 points of 4 methods on 2 problems with 2 batch sizes.
  EXPECT_EQ(std::count(curves.begin(), curves.end(), '\n'), 1 + 41 * 16);
}

TEST_F(HpoReport, NeedsTheTablesAndLeavesOutWhatWasNotMade) {
  Report report{.problems = &problems, .build = "a compiler"};
  EXPECT_THROW(write_report(path, report), std::invalid_argument);
  report.tables = tables({1});
  const std::string text = write_report(path, report);
  EXPECT_EQ(replay::text_of(path / "report.md"), text);
  EXPECT_NE(text.find("## Table 2"), std::string::npos);
  EXPECT_EQ(text.find("## Ablation"), std::string::npos);
  EXPECT_NE(text.find("24 runs"), std::string::npos);
  EXPECT_NE(text.find("Built with a compiler."), std::string::npos);
  for (const char* name : {"savings.csv", "errors.csv", "curves.csv"})
    EXPECT_FALSE(replay::text_of(path / name).empty()) << name;
}

TEST(HpoAverages, TheWorstStartIsOneAndTheBestEndIsZero) {
  const std::vector<double> first = {infinity, 9, 5, 3}, second = {infinity, infinity, 7, 1};
  const Normalisation normalise = normalisation_of({&first, &second});
  EXPECT_EQ(normalise(9), 1.0);
  EXPECT_EQ(normalise(1), 0.0);
  EXPECT_EQ(normalise(3), 0.25);
  EXPECT_EQ(normalise(infinity), 1.0);
  const std::vector<double> flat = {4, 4};
  EXPECT_EQ(normalisation_of({&flat})(4), 0.0);
}

TEST(HpoAverages, MeansAreOfNormalisedCurves) {
  // Problem 1: from 5 to 1 and from 3 to 2, so 1 0 and 0.5 0.25; problem 2: from 10 to 0 and flat at 5.
  const auto method = [](double start, double end) {
    return replay::MethodSummary{.lower = {start, end}, .middle = {start, end}, .upper = {start + 1, end}};
  };
  const replay::MethodSummary a = method(5, 1), b = method(3, 2), c = method(10, 0), d = method(5, 5);
  const std::vector<MeanCurves> means = mean_curves({{{nullptr, &a}, {nullptr, &b}}, {{nullptr, &c}, {nullptr, &d}}});
  ASSERT_EQ(means.size(), 2u);
  EXPECT_EQ(means[0].middle, (std::vector<double>{1, 0}));
  EXPECT_EQ(means[1].middle, (std::vector<double>{0.5, 0.375}));
  EXPECT_DOUBLE_EQ(means[0].upper[0], (1.25 + 1.1) / 2);
  EXPECT_THROW(mean_curves({{{nullptr, &a}}, {}}), std::invalid_argument);
  EXPECT_THROW(mean_curves({}), std::invalid_argument);
}

}  // namespace
}  // namespace carbo::hpo
