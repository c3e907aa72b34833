#include "bench/study/figure.hpp"

#include <cmath>
#include <cstdio>
#include <map>

#include "bench/replay/methods.hpp"
#include "bench/study/panels.hpp"

namespace carbo::study {

namespace {

constexpr std::size_t stride = 4;  ///< grid points a drawn point

std::string colour_of(const std::string& method) {
  // Okabe and Ito's palette, which colour-blind readers can tell apart.
  static const std::map<std::string, std::string> colours = {{"random", "#8a8a8a"},      {"ei", "#e69f00"},
                                                             {"eipu", "#009e73"},        {"design_ei", "#d55e00"},
                                                             {"design_eipu", "#cc79a7"}, {"carbo", "#0072b2"}};
  return colours.at(method);
}

std::vector<double> thinned(const std::vector<double>& curve) {
  std::vector<double> result;
  for (std::size_t i = 0; i < curve.size(); i += stride) result.push_back(curve[i]);
  return result;
}

std::string subtitle(const ProblemSummary& summary) {
  char text[64];
  std::snprintf(text, sizeof text, "optimum %s, costs vary ×%.0f", optimum_class(summary.profile),
                summary.profile.ratio);
  return text;
}

std::vector<Series> regret_series(const ProblemSummary& summary, const std::vector<std::string>& names) {
  std::vector<Series> result;
  for (const std::string& name : names) {
    const replay::MethodSummary* method = summary.find(name);
    if (method == nullptr) continue;
    result.push_back({.label = method->title,
                      .colour = colour_of(name),
                      .width = name == "carbo" ? 2.4 : 1.6,
                      .middle = thinned(method->middle),
                      .lower = thinned(method->lower),
                      .upper = thinned(method->upper)});
  }
  return result;
}

/// From where the leader reaches the loser's final value to the end of the budget.
std::optional<Arrow> savings_arrow(const ProblemSummary& summary) {
  if (!summary.savings || std::abs(summary.savings->share) < 0.005) return std::nullopt;
  const double share = summary.savings->share;
  const replay::MethodSummary* next_best = summary.find(replay::rivals[summary.savings->rival]);
  const replay::MethodSummary* loser = share > 0 ? next_best : summary.find("carbo");
  char text[32];
  std::snprintf(text, sizeof text, share > 0 ? "%.0f %% saved" : "%.0f %% lost", 100 * std::abs(share));
  return Arrow{.from = 1 - std::abs(share),
               .to = 1,
               .level = loser->middle.back(),
               .text = text,
               .colour = share > 0 ? colour_of("carbo") : "#a03030"};
}

std::string seeds_text(const std::vector<ProblemSummary>& problems) {
  return std::to_string(problems.front().cell.seeds) + " seeds";
}

}  // namespace

std::string regret_figure(const std::vector<ProblemSummary>& problems) {
  PanelFigure figure{.title = "Regret over spent cost",
                     .y_label = "regret of the best point so far",
                     .panels = {},
                     .notes = {"Line: median of " + seeds_text(problems) + ".", "Band: quartiles. Arrow: from the",
                               "cost at which CArBO has what the", "next best method has at the end of",
                               "the budget (red: the other way round)."}};
  for (const ProblemSummary& summary : problems)
    figure.panels.push_back({.title = summary.problem.title,
                             .subtitle = subtitle(summary),
                             .series = regret_series(summary, {"random", "ei", "eipu", "carbo"}),
                             .arrow = savings_arrow(summary)});
  return draw(figure);
}

std::string ablation_figure(const std::vector<ProblemSummary>& problems) {
  PanelFigure figure{.title = "What the design and the cooling contribute",
                     .y_label = "regret of the best point so far",
                     .panels = {},
                     .notes = {"Line: median of " + seeds_text(problems) + ".", "Band: quartiles."}};
  for (const ProblemSummary& summary : problems)
    figure.panels.push_back({.title = summary.problem.title,
                             .subtitle = subtitle(summary),
                             .series = regret_series(summary, {"ei", "eipu", "design_ei", "design_eipu", "carbo"}),
                             .arrow = std::nullopt});
  return draw(figure);
}

std::string cost_figure(const std::vector<ProblemSummary>& problems) {
  PanelFigure figure{
      .title = "Early and cheap, late and expensive",
      .y_label = "cost of an evaluation, mean draw = 1",
      .panels = {},
      .notes = {"Line: median of " + seeds_text(problems) + ", each", "averaged over 5 % of the budget."}};
  for (const ProblemSummary& summary : problems) {
    Panel panel{.title = summary.problem.title, .subtitle = subtitle(summary), .series = {}, .arrow = std::nullopt};
    for (const std::string name : {"random", "ei", "eipu", "carbo"}) {
      const replay::MethodSummary* method = summary.find(name);
      if (method == nullptr) continue;
      Series series{.label = method->title, .colour = colour_of(name), .width = name == "carbo" ? 2.4 : 1.4};
      for (const double cost : thinned(method->cost)) series.middle.push_back(cost / summary.profile.mean);
      panel.series.push_back(std::move(series));
    }
    figure.panels.push_back(std::move(panel));
  }
  return draw(figure);
}

}  // namespace carbo::study
