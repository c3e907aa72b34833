#include "bench/study/figure.hpp"

#include <cmath>
#include <cstdio>

#include "bench/draw/figure.hpp"
#include "bench/draw/palette.hpp"
#include "replay/methods.hpp"

namespace carbo::study {

namespace {

constexpr std::size_t stride = 4;  ///< grid points a drawn point

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

std::vector<draw::Curve> regret_curves(const ProblemSummary& summary, const std::vector<std::string>& names) {
  std::vector<draw::Curve> result;
  for (const std::string& name : names) {
    const replay::MethodSummary* method = summary.find(name);
    if (method == nullptr) continue;
    result.push_back({.label = method->title,
                      .colour = draw::method_colour(name),
                      .width = name == "carbo" ? 2.4 : 1.6,
                      .middle = thinned(method->middle),
                      .lower = thinned(method->lower),
                      .upper = thinned(method->upper)});
  }
  return result;
}

/// From where the leader reaches the loser's final value to the end of the budget.
std::optional<draw::Arrow> savings_arrow(const ProblemSummary& summary) {
  if (!summary.savings || std::abs(summary.savings->share) < 0.005) return std::nullopt;
  const double share = summary.savings->share;
  const replay::MethodSummary* next_best = summary.find(replay::rivals[summary.savings->rival]);
  const replay::MethodSummary* loser = share > 0 ? next_best : summary.find("carbo");
  char text[32];
  std::snprintf(text, sizeof text, share > 0 ? "%.0f %% saved" : "%.0f %% lost", 100 * std::abs(share));
  return draw::Arrow{.from = 1 - std::abs(share),
                     .to = 1,
                     .level = loser->middle.back(),
                     .text = text,
                     .colour = share > 0 ? draw::method_colour("carbo") : draw::loss_colour};
}

std::string seeds_text(const std::vector<ProblemSummary>& problems) {
  return std::to_string(problems.front().cell.seeds) + " seeds";
}

}  // namespace

std::string regret_figure(const std::vector<ProblemSummary>& problems) {
  draw::Figure figure{.title = "Regret over spent cost",
                      .panels = {},
                      .notes = {"Line: median of " + seeds_text(problems) + ".", "Band: quartiles. Arrow: from the",
                                "cost at which CArBO has what the", "next best method has at the end of",
                                "the budget (red: the other way round)."},
                      .y = {.label = "regret of the best point so far", .scale = draw::Scale::logarithmic}};
  for (const ProblemSummary& summary : problems)
    figure.panels.push_back({.title = summary.problem.title,
                             .subtitle = subtitle(summary),
                             .curves = regret_curves(summary, {"random", "ei", "eipu", "carbo"}),
                             .arrow = savings_arrow(summary)});
  return svg_document(figure);
}

std::string ablation_figure(const std::vector<ProblemSummary>& problems) {
  draw::Figure figure{.title = "What the design and the cooling contribute",
                      .panels = {},
                      .notes = {"Line: median of " + seeds_text(problems) + ".", "Band: quartiles."},
                      .y = {.label = "regret of the best point so far", .scale = draw::Scale::logarithmic}};
  for (const ProblemSummary& summary : problems)
    figure.panels.push_back({.title = summary.problem.title,
                             .subtitle = subtitle(summary),
                             .curves = regret_curves(summary, {"ei", "eipu", "design_ei", "design_eipu", "carbo"})});
  return svg_document(figure);
}

std::string cost_figure(const std::vector<ProblemSummary>& problems) {
  draw::Figure figure{
      .title = "Early and cheap, late and expensive",
      .panels = {},
      .notes = {"Line: median of " + seeds_text(problems) + ", each", "averaged over 5 % of the budget."},
      .y = {.label = "cost of an evaluation, mean draw = 1", .scale = draw::Scale::logarithmic}};
  for (const ProblemSummary& summary : problems) {
    draw::Panel panel{.title = summary.problem.title, .subtitle = subtitle(summary), .curves = {}};
    for (const std::string name : {"random", "ei", "eipu", "carbo"}) {
      const replay::MethodSummary* method = summary.find(name);
      if (method == nullptr) continue;
      draw::Curve curve{
          .label = method->title, .colour = draw::method_colour(name), .width = name == "carbo" ? 2.4 : 1.4};
      for (const double cost : thinned(method->cost)) curve.middle.push_back(cost / summary.profile.mean);
      panel.curves.push_back(std::move(curve));
    }
    figure.panels.push_back(std::move(panel));
  }
  return svg_document(figure);
}

}  // namespace carbo::study
