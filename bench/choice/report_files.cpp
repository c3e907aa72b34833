#include <algorithm>

#include "bench/choice/report.hpp"
#include "bench/draw/figure.hpp"
#include "bench/draw/palette.hpp"
#include "bench/support/markdown.hpp"
#include "replay/csv.hpp"

namespace carbo::choice {

namespace {

/// Name of the rival in a file: that of its method, or "best".
std::string rival_name(const Evidence& evidence, std::size_t against) {
  return against < evidence.rivals.list.size() ? evidence.rivals.list[against].name : "best";
}

/// Methods that a row of a file compares with, joined.
std::string rival_names(const Evidence& evidence) {
  std::string names;
  for (const Rival& rival : evidence.rivals.list) names += (names.empty() ? "" : "+") + rival.name;
  return names;
}

void add_savings(std::vector<replay::CsvRow>& rows, const Evidence& evidence, const VariantEvidence& variant,
                 std::size_t c) {
  const Measured& cell = *evidence.cells[c];
  const replay::MethodSummary& ours = cell.of(variant.name);
  for (std::size_t a = 0; a < variant.cells[c].size(); ++a)
    rows.push_back({variant.name, rival_names(evidence), rival_name(evidence, a), cell.problem(),
                    std::to_string(cell.summary.cell.batch), std::to_string(cell.mean_costs),
                    std::to_string(cell.summary.cell.seeds), replay::exact(variant.cells[c][a].share),
                    bench::format("%.6g", ours.middle.back()), replay::exact(ours.evaluations),
                    std::to_string(ours.cut_short), bench::format("%.3g", ours.seconds)});
}

void add_net(std::vector<replay::CsvRow>& rows, const Evidence& evidence, const VariantEvidence& variant,
             std::optional<std::size_t> budget) {
  const replay::Cell& cell = evidence.cells.front()->summary.cell;
  for (std::size_t a = 0; a < evidence.against().size(); ++a) {
    const replay::NetSavings net = net_savings(evidence, variant, a, budget);
    rows.push_back({variant.name, rival_names(evidence), rival_name(evidence, a), std::to_string(cell.batch),
                    budget ? std::to_string(*budget) : "all", std::to_string(cell.seeds), replay::exact(net.share),
                    replay::exact(net.low), replay::exact(net.high)});
  }
}

draw::Figure bars_figure(std::string title, std::vector<std::string> names) {
  return {.title = std::move(title),
          .x = draw::category_axis("", std::move(names)),
          .y = {.label = "% of the budget", .range = draw::Range{-100, 100}},
          .columns = 1,
          .panel_width = 900,
          .panel_height = 270,
          .legend = draw::LegendPlace::below};
}

}  // namespace

std::string savings_csv(const std::vector<Evidence>& all) {
  std::vector<replay::CsvRow> rows;
  for (const Evidence& evidence : all)
    for (const VariantEvidence& variant : evidence.variants)
      for (std::size_t c = 0; c < evidence.cells.size(); ++c) add_savings(rows, evidence, variant, c);
  return replay::csv_text({"variant", "rivals", "against", "problem", "batch", "mean_costs", "seeds", "saving",
                           "regret", "evaluations", "cut_short", "cpu_seconds"},
                          rows);
}

std::string net_csv(const std::vector<Evidence>& all) {
  std::vector<replay::CsvRow> rows;
  for (const Evidence& evidence : all)
    for (const VariantEvidence& variant : evidence.variants) {
      add_net(rows, evidence, variant, std::nullopt);
      for (const std::size_t budget : evidence.budgets()) add_net(rows, evidence, variant, budget);
    }
  return replay::csv_text(
      {"variant", "rivals", "against", "batch", "mean_costs", "seeds", "saving", "saving_5", "saving_95"}, rows);
}

std::string variants_figure(const Evidence& evidence) {
  std::vector<std::string> names;
  for (const VariantEvidence& variant : evidence.variants) names.push_back(variant.name);
  draw::Figure figure = bars_figure("Net savings against " + evidence.rivals.title, std::move(names));
  for (std::size_t a = 0; a < evidence.against().size(); ++a) {
    std::vector<double> shares, low, high;
    for (const VariantEvidence& variant : evidence.variants) {
      const replay::NetSavings net = net_savings(evidence, variant, a);
      shares.push_back(100 * net.share);
      low.push_back(100 * net.low);
      high.push_back(100 * net.high);
    }
    figure.panels.push_back(
        {.title = "Against " + evidence.against()[a],
         .bars = {draw::category_bars("mean over problems and budgets, with 5 to 95 %", draw::series_colour(0),
                                      std::move(shares), std::move(low), std::move(high), {})}});
  }
  return svg_document(figure);
}

std::string problems_figure(const Evidence& evidence, const std::string& name) {
  const VariantEvidence& variant = evidence.of(name);
  draw::Figure figure =
      bars_figure(variant.title + " against " + evidence.rivals.title + " by problem", evidence.problems());
  for (std::size_t a = 0; a < evidence.against().size(); ++a) {
    std::vector<double> shares;
    for (const std::string& problem : evidence.problems())
      shares.push_back(100 * problem_savings(evidence, variant, a, problem));
    figure.panels.push_back(
        {.title = "Against " + evidence.against()[a],
         .bars = {draw::category_bars("mean over budgets", draw::series_colour(0), std::move(shares), {}, {}, {})}});
  }
  return svg_document(figure);
}

}  // namespace carbo::choice
