#include <algorithm>
#include <cmath>
#include <optional>

#include "bench/draw/palette.hpp"
#include "bench/hpo/averages.hpp"
#include "bench/hpo/figures.hpp"
#include "bench/hpo/paper.hpp"
#include "bench/hpo/series.hpp"
#include "bench/replay/methods.hpp"
#include "bench/support/markdown.hpp"

namespace carbo::hpo {

namespace {

using bench::format;

const char* const normalised_error = "mean error, worst start 1, best end 0";

/// A curve's name and colour in a figure that shows it more than once.
struct Line {
  std::string label{};
  std::string colour{};
};

std::vector<Line> method_lines(const replay::Summary& cell, const std::vector<std::string>& names) {
  std::vector<Line> lines;
  for (const std::string& name : names) lines.push_back({method_of(cell, name).title, draw::method_colour(name)});
  return lines;
}

std::vector<draw::Curve> error_curves(const std::vector<CurveOf>& sources, const std::vector<Line>& lines) {
  std::vector<draw::Curve> curves;
  for (std::size_t i = 0; i < sources.size(); ++i)
    curves.push_back(error_curve(sources[i], lines[i].label, lines[i].colour));
  return curves;
}

std::vector<draw::Curve> normalised_curves(const std::vector<std::vector<CurveOf>>& compared,
                                           const std::vector<Line>& lines) {
  const std::vector<MeanCurves> means = mean_curves(compared);
  std::vector<draw::Curve> curves;
  for (std::size_t i = 0; i < means.size(); ++i)
    curves.push_back(mean_curve(means[i], lines[i].label, lines[i].colour));
  return curves;
}

const replay::Summary* find_cell(const std::vector<replay::Summary>& cells, const std::string& problem) {
  const auto found =
      std::find_if(cells.begin(), cells.end(), [&](const auto& cell) { return cell.cell.problem->name == problem; });
  return found == cells.end() ? nullptr : &*found;
}

draw::Axis linear_axis(std::string label) { return {.label = std::move(label)}; }
/// Of errors, which lie close to each other once a run has begun.
draw::Axis error_axis() { return {.label = "error", .scale = draw::Scale::logarithmic}; }

/// Two large panels side by side: the paper's example, and the mean over all problems.
draw::Figure example_figure(const std::string& title) {
  return {.title = title,
          .notes = {"Left, or above: median and quartiles over the seeds. Mean: medians and quartiles normalised on",
                    "each problem so that the worst start is 1 and the best end is 0, then averaged."},
          .y = linear_axis(""),
          .columns = 2,
          .panel_width = 420,
          .panel_height = 320,
          .legend = draw::LegendPlace::below};
}

std::string comparison_figure(const std::string& title, const std::vector<replay::Summary>& cells,
                              const std::vector<std::string>& names, const std::vector<Line>& lines) {
  draw::Figure figure = example_figure(title);
  if (const replay::Summary* example = find_cell(cells, paper_example)) {
    std::vector<CurveOf> sources;
    for (const std::string& name : names) sources.push_back({example, &method_of(*example, name)});
    figure.panels.push_back({.title = example->cell.problem->title,
                             .subtitle = format("%zu seeds", example->cell.seeds),
                             .curves = error_curves(sources, lines),
                             .y = error_axis()});
  }
  figure.panels.push_back({.title = format("Mean over %zu problems", cells.size()),
                           .subtitle = normalised_error,
                           .curves = normalised_curves(curves_named(cells, names), lines),
                           .y = linear_axis("normalised error")});
  return svg_document(figure);
}

/// Cells of one learner, in the order of the data sets.
std::vector<std::vector<CurveOf>> learner_curves(const std::vector<MeasuredProblem>& problems,
                                                 const BatchResults& results, const std::string& learner,
                                                 const std::vector<std::string>& names) {
  std::vector<std::vector<CurveOf>> compared;
  for (const replay::Summary& cell : results.problems) {
    if (measured_problem(problems, cell.cell.problem->name).learner.name != learner) continue;
    std::vector<CurveOf>& curves = compared.emplace_back();
    for (const std::string& name : names) curves.push_back({&cell, &method_of(cell, name)});
  }
  return compared;
}

/// Learners that the results have, each once, in their order.
std::vector<const Learner*> learners_of(const std::vector<MeasuredProblem>& problems, const BatchResults& results) {
  std::vector<const Learner*> learners;
  for (const replay::Summary& cell : results.problems) {
    const Learner& learner = measured_problem(problems, cell.cell.problem->name).learner;
    if (learners.empty() || learners.back()->name != learner.name) learners.push_back(&learner);
  }
  return learners;
}

/// Two panels over the same curves: on the wall, where a batch size has 1/b of the time, and over compute.
void add_scaling_panels(draw::Figure& figure, const std::string& title, std::vector<draw::Curve> curves,
                        const ExperimentResults& scaling, const draw::Axis& y) {
  draw::Panel wall{
      .title = title,
      .subtitle = "over time on the wall, all of b = 1's is 1",
      .x = draw::Axis{.label = "time", .scale = draw::Scale::logarithmic, .range = draw::Range{0.002, 1}},
      .y = y};
  for (std::size_t i = 0; i < curves.size(); ++i)
    wall.curves.push_back(stretched(curves[i], static_cast<double>(scaling.batches.front().batch) /
                                                   static_cast<double>(scaling.batches[i].batch)));
  draw::Axis compute = draw::budget_axis();
  compute.label = "compute";
  figure.panels.push_back(std::move(wall));
  figure.panels.push_back(
      {.title = title, .subtitle = "over compute", .curves = std::move(curves), .x = std::move(compute), .y = y});
}

draw::Panel savings_panel(const BatchResults& results) {
  std::vector<double> shares, low, high, places, printed;
  for (const replay::Summary& cell : results.problems) {
    const replay::SavingsEstimate& saving = cell.savings.value();
    shares.push_back(100 * saving.share);
    low.push_back(100 * saving.low);
    high.push_back(100 * saving.high);
  }
  const auto position = std::find(batch_sizes.begin(), batch_sizes.end(), results.batch) - batch_sizes.begin();
  for (std::size_t p = 0; p < results.problems.size(); ++p) {
    places.push_back(static_cast<double>(p));
    printed.push_back(100 * paper_row(results.problems[p].cell.problem->name).savings.at(position));
  }
  return {.title = format("b = %zu", results.batch),
          .bars = {draw::category_bars("here, with 5 to 95 %", draw::method_colour(replay::ours), std::move(shares),
                                       std::move(low), std::move(high), {})},
          .points = {{.label = "the paper's",
                      .colour = draw::ink,
                      .shape = draw::Shape::diamond,
                      .radius = 5,
                      .opacity = 1,
                      .x = std::move(places),
                      .y = std::move(printed)}}};
}

}  // namespace

std::string average_figure(const std::vector<MeasuredProblem>& problems, const ExperimentResults& tables) {
  const std::vector<std::string> names = {"random", "ei", "eipu", "carbo"};
  const std::vector<const Learner*> learners = learners_of(problems, tables.batches.front());
  draw::Figure figure{
      .title = "Errors averaged over the data sets",
      .notes = {"Medians over the seeds, with quartiles, normalised on each data set so that the worst",
                "start is 1 and the best end is 0, then averaged over the data sets."},
      .y = {.label = "normalised error", .range = draw::Range{0, 1}},
      .columns = learners.size(),
      .panel_width = 220,
      .panel_height = 210,
      .legend = draw::LegendPlace::below};
  for (const BatchResults& results : tables.batches)
    for (const Learner* learner : learners)
      figure.panels.push_back({.title = learner->title + format(", b = %zu", results.batch),
                               .curves = normalised_curves(learner_curves(problems, results, learner->name, names),
                                                           method_lines(results.problems.front(), names))});
  return svg_document(figure);
}

std::string savings_figure(const ExperimentResults& tables) {
  std::vector<std::string> titles;
  for (const replay::Summary& cell : tables.batches.front().problems) titles.push_back(cell.cell.problem->title);
  draw::Figure figure{.title = "Savings of CArBO against the next best of random, EI and EIpu",
                      .x = draw::category_axis("", std::move(titles)),
                      .y = {.label = "% of the budget", .range = draw::Range{-100, 100}},
                      .columns = 1,
                      .panel_width = 900,
                      .panel_height = 270,
                      .legend = draw::LegendPlace::below};
  for (const BatchResults& results : tables.batches) figure.panels.push_back(savings_panel(results));
  return svg_document(figure);
}

std::string ablation_figure(const ExperimentResults& ablation) {
  const std::vector<replay::Summary>& cells = ablation.of_batch(1).problems;
  const std::vector<std::string> names = {"ei", "eipu", "design_ei", "design_eipu", "carbo"};
  return comparison_figure("What the design and the cooling contribute", cells, names,
                           method_lines(cells.front(), names));
}

std::string share_figure(const ExperimentResults& share) {
  const std::vector<replay::Summary>& cells = share.of_batch(1).problems;
  std::vector<std::string> names;
  std::vector<Line> lines;
  for (const replay::MethodSummary& method : cells.front().methods) {
    names.push_back(method.name);
    lines.push_back({method.title, draw::sequence_colour(lines.size(), cells.front().methods.size())});
  }
  return comparison_figure("Share of the budget that the initial design gets", cells, names, lines);
}

std::string scaling_figure(const ExperimentResults& scaling) {
  const std::vector<std::vector<CurveOf>> compared = curves_by_batch(scaling, replay::ours);
  std::vector<Line> lines;
  for (const BatchResults& group : scaling.batches)
    lines.push_back({format("b = %zu", group.batch), draw::sequence_colour(lines.size(), scaling.batches.size())});
  draw::Figure figure = example_figure("CArBO with batches of b at equal compute");
  for (const std::vector<CurveOf>& problem : compared)
    if (problem.front().cell->cell.problem->name == paper_example)
      add_scaling_panels(figure, problem.front().cell->cell.problem->title, error_curves(problem, lines), scaling,
                         error_axis());
  add_scaling_panels(figure, format("Mean over %zu problems", compared.size()), normalised_curves(compared, lines),
                     scaling, linear_axis("normalised error"));
  return svg_document(figure);
}

}  // namespace carbo::hpo
