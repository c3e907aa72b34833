#include <algorithm>

#include "bench/draw/bins.hpp"
#include "bench/draw/figure.hpp"
#include "bench/draw/palette.hpp"
#include "bench/hpo/figures.hpp"
#include "bench/hpo/iterations.hpp"
#include "bench/hpo/series.hpp"
#include "bench/support/markdown.hpp"
#include "replay/statistics.hpp"

namespace carbo::hpo {

namespace {

constexpr std::size_t histogram_bins = 30;

draw::Axis seconds_axis() { return {.label = "", .scale = draw::Scale::logarithmic}; }

draw::Panel distribution_panel(const MeasuredProblem& measured) {
  const std::vector<double>& costs = measured.table->cost;
  const std::vector<double> edges = draw::bin_edges(costs, histogram_bins, draw::Scale::logarithmic);
  const OptimumCost optimum = optimum_cost(*measured.table);
  return {.title = measured.problem.title,
          .subtitle = bench::format("%zu rows, median %.2g s", costs.size(), replay::median(costs)),
          .bars = {draw::histogram("", draw::series_colour(0), edges, draw::bin_shares(costs, edges))},
          .lines = {{.at = optimum.cost, .text = "best", .colour = draw::ink}}};
}

/// Costs of what the two methods evaluate, in the same bins.
draw::Panel evaluated_panel(const replay::Summary& cell, const OptimumCost& optimum) {
  const std::vector<std::string> names = {"ei", "eipu"};
  std::vector<double> all = {optimum.cost};
  for (const std::string& name : names)
    for (const double cost : evaluated_costs(method_of(cell, name))) all.push_back(cost);
  const std::vector<double> edges = draw::bin_edges(all, histogram_bins, draw::Scale::logarithmic);
  draw::Panel panel{.title = cell.cell.problem->title,
                    .subtitle = "shares of evaluations by cost, s",
                    .lines = {{.at = optimum.cost, .text = "best", .colour = draw::ink}},
                    .x = seconds_axis(),
                    .y = draw::Axis{}};
  for (const std::string& name : names) {
    const replay::MethodSummary& method = method_of(cell, name);
    panel.bars.push_back(draw::histogram(method.title, draw::method_colour(name), edges,
                                         draw::bin_shares(evaluated_costs(method), edges)));
    panel.bars.back().opacity = 0.55;
  }
  return panel;
}

draw::Panel error_panel(const replay::Summary& cell) {
  draw::Panel panel{.title = cell.cell.problem->title, .subtitle = "median error over the budget"};
  for (const std::string name : {"ei", "eipu"})
    panel.curves.push_back(error_curve({&cell, &method_of(cell, name)}, "", draw::method_colour(name)));
  return panel;
}

draw::Panel iteration_panel(const replay::Summary& cell) {
  draw::Panel panel{.title = cell.cell.problem->title};
  for (const std::string name : {"ei", "eipu", "carbo"}) {
    const replay::MethodSummary& method = method_of(cell, name);
    const IterationCosts costs = iteration_costs(method);
    draw::Curve& curve = panel.curves.emplace_back();
    curve = {.label = method.title, .colour = draw::method_colour(name), .middle = costs.medians};
    curve.join = draw::Join::straight;
    for (std::size_t k = 1; k <= costs.medians.size(); ++k) curve.x.push_back(static_cast<double>(k));
    panel.lines.push_back({.at = costs.first_eighth, .text = "", .colour = draw::method_colour(name)});
  }
  return panel;
}

}  // namespace

std::string cost_distribution_figure(const std::string& title, const Problems& problems, std::size_t columns) {
  draw::Figure figure{.title = title,
                      .notes = {"Line: cost of the best row, the cheapest of those with the lowest error."},
                      .x = {.label = "seconds of CPU time", .scale = draw::Scale::logarithmic},
                      .y = {.label = "share of rows"},
                      .columns = columns,
                      .legend = draw::LegendPlace::below};
  for (const MeasuredProblem* measured : problems) figure.panels.push_back(distribution_panel(*measured));
  return svg_document(figure);
}

std::string evaluated_cost_figure(const std::string& title, const std::vector<MeasuredProblem>& problems,
                                  const CellList& cells) {
  constexpr std::size_t columns = 4;
  draw::Figure figure{.title = title,
                      .notes = {"All evaluations of all seeds, in sequence. Dashed: cost of the table's best row.",
                                "Under each: median error, band of quartiles, over shares of the budget."},
                      .y = {.label = "", .scale = draw::Scale::logarithmic},
                      .columns = std::min(columns, cells.size()),
                      .legend = draw::LegendPlace::below};
  figure.x.label = "";
  for (std::size_t start = 0; start < cells.size(); start += columns) {
    const std::size_t end = std::min(start + columns, cells.size());
    for (std::size_t i = start; i < end; ++i) {
      const MeasuredProblem& measured = measured_problem(problems, cells[i]->cell.problem->name);
      figure.panels.push_back(evaluated_panel(*cells[i], optimum_cost(*measured.table)));
    }
    for (std::size_t i = start; i < end; ++i) figure.panels.push_back(error_panel(*cells[i]));
  }
  return svg_document(figure);
}

std::string iteration_cost_figure(const std::string& title, const CellList& cells) {
  draw::Figure figure{
      .title = title,
      .notes = {"Median over the seeds, as far as the median run gets. Dashed, in the method's colour:",
                "evaluations that the first eighth of the budget pays for."},
      .x = {.label = "evaluation"},
      .y = {.label = "median cost, s", .scale = draw::Scale::logarithmic},
      .columns = std::min<std::size_t>(5, cells.size()),
      .legend = draw::LegendPlace::below};
  for (const replay::Summary* cell : cells) figure.panels.push_back(iteration_panel(*cell));
  return svg_document(figure);
}

}  // namespace carbo::hpo
