#include "bench/cost/study_report.hpp"

#include <algorithm>
#include <string>

#include <carbo/to_string.hpp>

#include "bench/draw/figure.hpp"
#include "bench/draw/palette.hpp"
#include "bench/support/markdown.hpp"
#include "replay/csv.hpp"
#include "replay/statistics.hpp"

namespace carbo::cost_bench {

namespace {

using bench::format;
using bench::percent;
using bench::TextTable;

/// What half a row of validation is worth; a regret of 0 is drawn there.
constexpr double least_drawn_regret = 5e-5;

/// Positions among the contenders of the method's, in the order of the models.
std::vector<std::size_t> contenders_of(const std::string& method) {
  const std::vector<Contender> contenders = all_contenders();
  std::vector<std::size_t> positions;
  for (std::size_t c = 0; c < contenders.size(); ++c)
    if (contenders[c].family == method) positions.push_back(c);
  return positions;
}

std::string result_cell(const ReplaySummary& summary, std::size_t contender) {
  const ContenderSummary& result = summary.contenders[contender];
  return format("%.4f (%.0f)", summary.lowest_error + result.curves.middle.back(), result.curves.evaluations);
}

/// One row a data set: median final error with each model, and what it saves against the warped GP.
TextTable savings_table(const std::vector<ReplaySummary>& summaries, const std::string& method) {
  const auto positions = contenders_of(method);
  TextTable table{{"objective"}};
  std::vector<std::vector<double>> savings(positions.size());
  for (std::size_t m = 0; m < positions.size(); ++m) {
    table[0].push_back(compared_models()[m].title);
    if (m > 0) table[0].insert(table[0].end(), {"saving", "5 to 95 %"});
  }
  for (const ReplaySummary& summary : summaries) {
    auto& row = table.emplace_back();
    row = {summary.source.title};
    for (std::size_t m = 0; m < positions.size(); ++m) {
      row.push_back(result_cell(summary, positions[m]));
      if (m == 0) continue;
      const replay::SavingsEstimate& saving = *summary.contenders[positions[m]].saving;
      savings[m].push_back(saving.share);
      row.insert(row.end(), {percent(saving.share), percent(saving.low) + " to " + percent(saving.high)});
    }
  }
  auto& last = table.emplace_back();
  last = {"**Net saving (mean)**", ""};
  for (std::size_t m = 1; m < positions.size(); ++m)
    last.insert(last.end(), {"", "**" + percent(replay::mean(savings[m])) + "**", ""});
  return table;
}

/// EIpu's figures beside those of the paper, and EI's, which needs no cost model.
TextTable paper_table(const std::vector<ReplaySummary>& summaries) {
  TextTable table{{"objective", "linear, saving in the paper", "here", "best error of the table", "EI ends at"}};
  std::vector<double> theirs, ours;
  for (const ReplaySummary& summary : summaries) {
    theirs.push_back(summary.source.paper_saving);
    ours.push_back(summary.contenders[contenders_of("eipu")[1]].saving->share);
    table.push_back({summary.source.title, percent(theirs.back()), percent(ours.back()),
                     format("%.4f", summary.lowest_error), result_cell(summary, contenders_of("ei").front())});
  }
  table.push_back({"**Net saving (mean)**", "**" + percent(replay::mean(theirs)) + "**",
                   "**" + percent(replay::mean(ours)) + "**", "", ""});
  return table;
}

/// Net savings against the warped GP, one row a budget.
TextTable budget_table(const std::vector<BudgetSummary>& budgets) {
  TextTable table{{"budget in mean costs"}};
  for (const std::string method : {"eipu", "carbo"})
    for (const std::size_t c : contenders_of(method)) {
      const Contender contender = all_contenders()[c];
      if (contender.model.kind != CostModelKind::log_gp)
        table[0].push_back(contender.title + ", " + contender.model.title);
    }
  for (const BudgetSummary& study : budgets) {
    auto& row = table.emplace_back();
    row = {format("%g", study.settings.budget)};
    for (std::size_t c = 0; c < all_contenders().size(); ++c) {
      std::vector<double> savings;
      for (const ReplaySummary& summary : study.replays)
        if (summary.contenders[c].saving) savings.push_back(summary.contenders[c].saving->share);
      if (!savings.empty()) row.push_back(percent(replay::mean(savings)));
    }
  }
  return table;
}

replay::CsvRow savings_row(const BudgetSummary& study, const ReplaySummary& summary, std::size_t contender) {
  const Contender contender_of_row = all_contenders()[contender];
  const ContenderSummary& result = summary.contenders[contender];
  const bool ei = contender_of_row.family == "ei";
  replay::CsvRow row = {format("%g", study.settings.budget),
                        summary.source.name,
                        contender_of_row.family,
                        ei ? "" : to_string(contender_of_row.model.kind),
                        format("%.5g", summary.lowest_error + result.curves.middle.back()),
                        replay::exact(result.curves.evaluations)};
  if (result.saving)
    row.insert(row.end(), {replay::exact(result.saving->share), replay::exact(result.saving->low),
                           replay::exact(result.saving->high)});
  else
    row.insert(row.end(), {"", "", ""});
  return row;
}

std::string savings_csv(const std::vector<BudgetSummary>& budgets) {
  std::vector<replay::CsvRow> rows;
  for (const BudgetSummary& study : budgets)
    for (const ReplaySummary& summary : study.replays)
      for (std::size_t c = 0; c < summary.contenders.size(); ++c) rows.push_back(savings_row(study, summary, c));
  return replay::csv_text(
      {"budget_mean_costs", "data", "method", "model", "error_50", "evaluations", "saving", "saving_5", "saving_95"},
      rows);
}

std::string curves_csv(const BudgetSummary& study) {
  constexpr std::size_t stride = 20;
  const std::vector<Contender> contenders = all_contenders();
  std::vector<replay::CsvRow> rows;
  for (const ReplaySummary& summary : study.replays)
    for (std::size_t c = 0; c < contenders.size(); ++c)
      for (std::size_t i = 0; i <= replay::grid_steps; i += stride) {
        const double spent = study.settings.budget * static_cast<double>(i) / replay::grid_steps;
        const ContenderSummary& result = summary.contenders[c];
        rows.push_back({summary.source.name, contenders[c].family, to_string(contenders[c].model.kind),
                        format("%.4g", spent), format("%.4g", result.curves.lower[i]),
                        format("%.4g", result.curves.middle[i]), format("%.4g", result.curves.upper[i])});
      }
  return replay::csv_text({"data", "method", "model", "spent_mean_costs", "regret_25", "regret_50", "regret_75"},
                          rows);
}

std::vector<double> drawn(const std::vector<double>& curve) {
  constexpr std::size_t stride = 4;
  std::vector<double> result;
  for (std::size_t i = 0; i < curve.size(); i += stride) result.push_back(std::max(curve[i], least_drawn_regret));
  return result;
}

std::string figure(const BudgetSummary& study, const std::string& method) {
  const std::vector<Contender> contenders = all_contenders();
  const auto positions = contenders_of(method);
  draw::Figure figure{.title = contenders[positions.front()].title + " with each cost model, on measured trainings",
                      .panels = {},
                      .notes = {"Line: median of " + std::to_string(study.settings.seeds) + " seeds.",
                                "Regret: error above the best of the table.",
                                format("Budget: %g mean costs. A regret of 0", study.settings.budget),
                                "is drawn at half a validation row."},
                      .y = {.label = "regret of the best point so far", .scale = draw::Scale::logarithmic},
                      .columns = 3};
  for (const ReplaySummary& summary : study.replays) {
    draw::Panel panel{.title = summary.source.title};
    panel.curves.push_back({.label = "EI",
                            .colour = draw::method_colour("ei"),
                            .middle = drawn(summary.contenders[contenders_of("ei").front()].curves.middle)});
    for (const std::size_t c : positions)
      panel.curves.push_back({.label = contenders[c].title + ", " + contenders[c].model.title,
                              .colour = contenders[c].model.colour,
                              .middle = drawn(summary.contenders[c].curves.middle)});
    figure.panels.push_back(std::move(panel));
  }
  return svg_document(figure);
}

constexpr const char* savings_definition =
    "Saving: 1 - t*/T, with t* the cost at which the median curve with the model first reaches what the median\n"
    "curve with the warped GP has at the end of the budget T; where the model ends worse, the same the other way\n"
    "round with a minus. Where both end at the same row of the table, the costs at which they got there are\n"
    "compared. The range is that of 200 resamples of the seeds. In brackets the median number of evaluations.\n";

}  // namespace

std::string report_text(const std::vector<BudgetSummary>& budgets) {
  const BudgetSummary& first = budgets.front();
  return "EIpu: median final error with each cost model, and the share of the budget saved against the warped "
         "GP.\n\n" +
         bench::markdown(savings_table(first.replays, "eipu")) + "\nCArBO, the same.\n\n" +
         bench::markdown(savings_table(first.replays, "carbo")) + "\nBeside the paper's Table 3.\n\n" +
         bench::markdown(paper_table(first.replays)) + "\nNet savings with other budgets.\n\n" +
         bench::markdown(budget_table(budgets)) + "\n" + savings_definition + "\n" +
         format("%zu seeds, budget %g mean costs of the table unless another is named, batch size 1.\n",
                first.settings.seeds, first.settings.budget);
}

void write_report(const std::filesystem::path& folder, const std::vector<BudgetSummary>& budgets) {
  replay::replace_file(folder / "report.md", report_text(budgets));
  replay::replace_file(folder / "savings.csv", savings_csv(budgets));
  replay::replace_file(folder / "curves.csv", curves_csv(budgets.front()));
  replay::replace_file(folder / "eipu.svg", figure(budgets.front(), "eipu"));
  replay::replace_file(folder / "carbo.svg", figure(budgets.front(), "carbo"));
}

}  // namespace carbo::cost_bench
