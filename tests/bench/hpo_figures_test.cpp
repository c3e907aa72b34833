#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "bench/hpo/design.hpp"
#include "bench/hpo/figures.hpp"
#include "bench/hpo/iterations.hpp"
#include "bench/hpo/series.hpp"
#include "bench/hpo_support.hpp"

namespace carbo::hpo {
namespace {

replay::RunRecord run_of(const std::vector<double>& costs) {
  replay::RunRecord run{.key = {"p", "m", 1, 1, 8, 16.0}};
  for (const double cost : costs) {
    run.spent += cost;
    run.steps.push_back({.cost = cost, .finished = run.spent});
  }
  return run;
}

TEST(HpoIterations, MediansGoAsFarAsTheMedianRun) {
  // Inside the budget of 16 these finish 2, 3 and 5 evaluations; the last of the second passes it.
  const replay::RunRecord runs[] = {run_of({8, 8}), run_of({1, 5, 9, 20}), run_of({2, 1, 3, 4, 6})};
  const replay::MethodSummary method{.runs = {&runs[0], &runs[1], &runs[2]}, .evaluations = 3};
  const IterationCosts costs = iteration_costs(method);
  // Of 8, 1, 2; of 8, 5, 1; of the two runs that got there, 9 and 3.
  EXPECT_EQ(costs.medians, (std::vector<double>{2, 5, 6}));
  // By 2 of 16 none, one and one.
  EXPECT_EQ(costs.first_eighth, 1.0);
  EXPECT_EQ(evaluated_costs(method), (std::vector<double>{8, 8, 1, 5, 9, 2, 1, 3, 4, 6}));
}

TEST(HpoSeries, AStretchedCurveBeginsBehindZeroAndEndsAtItsScale) {
  const draw::Curve curve = stretched(mean_curve({.lower = std::vector<double>(21, 0),
                                                  .middle = std::vector<double>(21, 1),
                                                  .upper = std::vector<double>(21, 2)},
                                                 "a", "#000000"),
                                      0.25);
  EXPECT_EQ(curve.x, (std::vector<double>{0.125, 0.25}));
  EXPECT_EQ(curve.middle, (std::vector<double>{1, 1}));
  EXPECT_EQ(curve.lower.size(), 2u);
  EXPECT_EQ(curve.upper.size(), 2u);
}

TEST(HpoDesign, FillIsTheLargestEmptyBall) {
  // From the middle of the square a corner is farthest; from a corner the opposite one.
  EXPECT_DOUBLE_EQ(fill_radius({{0.5, 0.5}}, 10), std::sqrt(0.5));
  EXPECT_DOUBLE_EQ(fill_radius({{0, 0}}, 10), std::sqrt(2.0));
  // Of four points in the middles of four squares, corners and the middle of all are a quarter of the diagonal away.
  EXPECT_DOUBLE_EQ(fill_radius(grid_design(2), 8), std::sqrt(2.0) / 4);
  EXPECT_THROW(fill_radius({}, 10), std::invalid_argument);
}

TEST(HpoDesign, EndsWithThePointThatPassesItsBudget) {
  const std::vector<Place> design = cost_effective_design([](const Place&) { return 2.0; }, 9);
  EXPECT_EQ(design.size(), 5u);
  // Five points that keep their distance lie closer to everything than one does.
  EXPECT_LT(fill_radius(design, 50), std::sqrt(0.5));
}

TEST(HpoDesign, HasMorePointsThanAGridOfItsCost) {
  const std::vector<Place> grid = grid_design(2);
  EXPECT_DOUBLE_EQ(total_cost(grid, ramp_cost), std::exp(1.0) + 2 * std::exp(2.0) + std::exp(3.0));
  for (const auto cost : {ramp_cost, hill_cost}) {
    const double total = total_cost(grid, cost);
    const std::vector<Place> design = cost_effective_design(cost, total);
    EXPECT_GT(design.size(), grid.size());
    EXPECT_GE(total_cost(design, cost), total);
    EXPECT_LT(total_cost({design.begin(), design.end() - 1}, cost), total);
  }
}

class HpoFigures : public HandMadeResults {
 protected:
  /// Runs of all methods with one batch size.
  ExperimentResults experiment(const std::string& name, const std::vector<std::string>& methods,
                               const std::vector<std::size_t>& batches) {
    Runs runs = four_methods;
    for (auto& [problem, by_method] : runs)
      for (const std::string& method : methods) by_method.try_emplace(method, by_method.at("carbo"));
    std::vector<replay::Summary> cells;
    for (const std::size_t batch : batches)
      for (replay::Summary& cell : summaries(runs, methods, batch, 10)) cells.push_back(std::move(cell));
    return results_of({.name = name, .title = name}, std::move(cells));
  }

  std::string written(const std::string& name) const { return replay::text_of(path / name); }
};

TEST_F(HpoFigures, AreWrittenForWhatWasMade) {
  Report report{.problems = &problems};
  report.tables = experiment("tables", {"random", "ei", "eipu", "carbo"}, {1, 3});
  write_figures(path, report);
  for (const char* name : {"fig1_costs.svg", "fig1_costs_all.svg", "fig2_histograms.svg", "fig2_histograms_all.svg",
                           "fig3_costs_over_iterations.svg", "fig3_costs_over_iterations_a2a.svg", "fig4_design.svg",
                           "fig5_averages.svg", "savings.svg", "ablation.svg", "share.svg", "scaling.svg"}) {
    const std::string file = name;
    // No SVM and no a2a is among the problems, and three experiments were not made.
    const bool made = file.find("fig3") == std::string::npos && file != "ablation.svg" && file != "share.svg" &&
                      file != "scaling.svg";
    EXPECT_EQ(written(file).starts_with("<svg"), made) << file;
  }
  EXPECT_EQ(written("fig1_costs.svg").find("KNN a1a"), std::string::npos);
  EXPECT_NE(written("fig1_costs.svg").find("KNN w2a"), std::string::npos);
  EXPECT_NE(written("fig5_averages.svg").find("KNN, b = 3"), std::string::npos);
}

TEST_F(HpoFigures, CompareVariantsSharesAndBatchSizes) {
  const std::string ablation =
      ablation_figure(experiment("ablation", {"ei", "eipu", "design_ei", "design_eipu", "carbo"}, {1}));
  EXPECT_NE(ablation.find("Tdesign_eipu"), std::string::npos);
  EXPECT_NE(ablation.find("Mean over 2 problems"), std::string::npos);
  const std::string share = share_figure(experiment("share", {"carbo_1_of_8", "carbo_2_of_8"}, {1}));
  EXPECT_NE(share.find("Tcarbo_2_of_8"), std::string::npos);
  const std::string scaling = scaling_figure(experiment("scaling", {"carbo"}, {1, 2, 16}));
  EXPECT_NE(scaling.find("b = 16"), std::string::npos);
  const ExperimentResults tables = experiment("tables", {"random", "ei", "eipu", "carbo"}, {1});
  const replay::Summary& cell = tables.batches.front().problems.front();
  EXPECT_NE(iteration_cost_figure("Costs", {&cell}).find("KNN a1a"), std::string::npos);
}

}  // namespace
}  // namespace carbo::hpo
