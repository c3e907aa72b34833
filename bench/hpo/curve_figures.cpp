#include <algorithm>
#include <cmath>
#include <optional>

#include "bench/draw/palette.hpp"
#include "bench/hpo/averages.hpp"
#include "bench/hpo/figures.hpp"
#include "bench/hpo/paper.hpp"
#include "bench/hpo/series.hpp"
#include "bench/support/markdown.hpp"
#include "replay/methods.hpp"

namespace carbo::hpo {

namespace {

using bench::format;

const char* const normalised_error = "mean error, worst start 1, best end 0";

/// How a curve looks in a figure that shows it more than once.
struct Line {
  std::string label{};
  std::string colour{};
  double width = 1.6;
};

constexpr double wide = 2.4;

std::vector<Line> method_lines(const replay::Summary& cell, const std::vector<std::string>& names) {
  std::vector<Line> lines;
  for (const std::string& name : names)
    lines.push_back({method_of(cell, name).title, draw::method_colour(name), name == replay::ours ? wide : 1.6});
  return lines;
}

std::vector<draw::Curve> normalised_curves(const std::vector<std::vector<CurveOf>>& compared,
                                           const std::vector<Line>& lines) {
  const std::vector<MeanCurves> means = mean_curves(compared);
  std::vector<draw::Curve> curves;
  for (std::size_t i = 0; i < means.size(); ++i) {
    curves.push_back(mean_curve(means[i], lines[i].label, lines[i].colour));
    curves.back().width = lines[i].width;
  }
  return curves;
}

/// Bands of five or six curves hide each other.
std::vector<draw::Curve> without_bands(std::vector<draw::Curve> curves) {
  for (draw::Curve& curve : curves) curve.lower = curve.upper = {};
  return curves;
}

std::vector<draw::Curve> error_curves(const std::vector<CurveOf>& sources, const std::vector<Line>& lines) {
  std::vector<draw::Curve> curves;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    curves.push_back(error_curve(sources[i], lines[i].label, lines[i].colour));
    curves.back().width = lines[i].width;
  }
  return without_bands(std::move(curves));
}

const replay::Summary* find_cell(const std::vector<replay::Summary>& cells, const std::string& problem) {
  const auto found =
      std::find_if(cells.begin(), cells.end(), [&](const auto& cell) { return cell.cell.problem->name == problem; });
  return found == cells.end() ? nullptr : &*found;
}

draw::Axis linear_axis(std::string label) { return {.label = std::move(label)}; }
/// From the lowest end to the highest error after a quarter of the budget: before it they are far from each other,
/// behind it close.
draw::Axis error_axis(const std::vector<draw::Curve>& curves) {
  draw::Range range{.low = INFINITY, .high = -INFINITY};
  for (const draw::Curve& curve : curves) {
    range.low = std::min(range.low, curve.middle.back());
    range.high = std::max(range.high, curve.middle[curve.middle.size() / 4]);
  }
  draw::Axis axis = linear_axis("error");
  if (std::isfinite(range.high) && range.low < range.high) axis.range = range;
  return axis;
}

/// Two large panels side by side: the paper's example, and the mean over all problems.
draw::Figure example_figure(const std::string& title) {
  return {
      .title = title,
      .notes = {"Medians over the seeds. Errors of one problem: from the highest after a quarter of the budget to",
                "the lowest at its end. Mean: normalised on each problem so that the worst start is 1 and the best",
                "end is 0, then averaged."},
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
    std::vector<draw::Curve> curves = error_curves(sources, lines);
    const draw::Axis y = error_axis(curves);
    figure.panels.push_back({.title = example->cell.problem->title,
                             .subtitle = format("%zu seeds", example->cell.seeds),
                             .curves = std::move(curves),
                             .y = y});
  }
  figure.panels.push_back({.title = format("Mean over %zu problems", cells.size()),
                           .subtitle = normalised_error,
                           .curves = without_bands(normalised_curves(curves_named(cells, names), lines)),
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
      .notes =
          {"Medians over the seeds, with quartiles, normalised on each data set so that the worst",
           "start is 1 and the best end is 0, then averaged over the data sets. What is above 0.3 is drawn at 0.3."},
      .y = {.label = "normalised error", .range = draw::Range{0, 0.3}},
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
    lines.push_back(
        {.label = method.title, .colour = draw::sequence_colour(lines.size(), cells.front().methods.size())});
  }
  return comparison_figure("Share of the budget that the initial design gets", cells, names, lines);
}

std::string scaling_figure(const ExperimentResults& scaling) {
  const std::vector<std::vector<CurveOf>> compared = curves_by_batch(scaling, replay::ours);
  std::vector<Line> lines;
  for (const BatchResults& group : scaling.batches)
    lines.push_back({format("b = %zu", group.batch), draw::sequence_colour(lines.size(), scaling.batches.size())});
  draw::Figure figure = example_figure("CArBO with batches of b at equal compute");
  for (const std::vector<CurveOf>& problem : compared) {
    const replay::Problem& example = *problem.front().cell->cell.problem;
    if (example.name != paper_example) continue;
    const std::vector<draw::Curve> curves = error_curves(problem, lines);
    add_scaling_panels(figure, example.title, curves, scaling, error_axis(curves));
  }
  add_scaling_panels(figure, format("Mean over %zu problems", compared.size()),
                     without_bands(normalised_curves(compared, lines)), scaling, linear_axis("normalised error"));
  return svg_document(figure);
}

}  // namespace carbo::hpo
