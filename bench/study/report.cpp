#include "bench/study/report.hpp"

#include <algorithm>
#include <cmath>

#include "bench/study/figure.hpp"
#include "bench/support/markdown.hpp"
#include "replay/csv.hpp"
#include "replay/statistics.hpp"

namespace carbo::study {

namespace {

using bench::format;
using bench::markdown;
using bench::percent;
using bench::TextTable;

TextTable regret_table(const std::vector<ProblemSummary>& problems) {
  TextTable table{{"problem", "cost ratio", "optimum"}};
  for (const replay::MethodSummary& method : problems.front().methods) table[0].push_back(method.title);
  for (const ProblemSummary& summary : problems) {
    auto& row = table.emplace_back();
    row = {summary.problem.title, format("%.0f", summary.profile.ratio), optimum_class(summary.profile)};
    double lowest = INFINITY;
    for (const replay::MethodSummary& method : summary.methods) lowest = std::min(lowest, method.middle.back());
    for (const replay::MethodSummary& method : summary.methods) {
      const std::string text = format("%.2g (%.0f)", method.middle.back(), method.evaluations);
      row.push_back(method.middle.back() == lowest ? "**" + text + "**" : text);
    }
  }
  return table;
}

TextTable savings_table(const std::vector<ProblemSummary>& problems) {
  TextTable table{{"problem", "next best", "savings", "5 to 95 %"}};
  std::vector<std::vector<double>> columns(problems.front().methods.size());
  std::vector<double> net;
  for (const replay::MethodSummary& method : problems.front().methods)
    if (method.name != replay::ours) table[0].push_back("vs " + method.title);
  for (const ProblemSummary& summary : problems) {
    const replay::SavingsEstimate& estimate = *summary.savings;
    net.push_back(estimate.share);
    auto& row = table.emplace_back();
    row = {summary.problem.title, summary.find(replay::rivals[estimate.rival])->title, percent(estimate.share),
           percent(estimate.low) + " to " + percent(estimate.high)};
    for (std::size_t i = 0; i < summary.against.size(); ++i) {
      if (!summary.against[i]) continue;
      columns[i].push_back(*summary.against[i]);
      row.push_back(percent(*summary.against[i]));
    }
  }
  auto& last = table.emplace_back();
  last = {"**Net savings (mean)**", "", "**" + percent(replay::mean(net)) + "**", ""};
  for (const auto& column : columns)
    if (!column.empty()) last.push_back(percent(replay::mean(column)));
  return table;
}

constexpr const char* savings_definition =
    "Savings: let m(t) be a method's median over the seeds of the best-so-far regret once cost t is spent; only "
    "what\n"
    "finished inside the budget T counts. The next best is the method among random, EI and EIpu with the lowest "
    "m(T).\n"
    "Savings = (T - t*) / T, with t* the cost at which CArBO's m first reaches the next best's m(T). Where CArBO "
    "ends\n"
    "worse, the sign turns: -(T - t*) / T, with t* the cost at which the next best reaches CArBO's m(T). The range "
    "is\n"
    "that of 200 resamples of the seeds. The further columns compare CArBO with one method each in the same way.\n";

std::string provenance_text(const std::vector<ProblemSummary>& problems, const Provenance& provenance) {
  std::vector<double> seconds;
  for (const ProblemSummary& summary : problems)
    for (const replay::MethodSummary& method : summary.methods) seconds.push_back(method.seconds);
  return format("%zu seeds, batch size %zu, %zu candidates; %.2f CPU seconds a run on average.\n", provenance.seeds,
                provenance.settings.batch, provenance.settings.candidates, replay::mean(seconds)) +
         "Built with " + provenance.build + ".\n";
}

bool has_savings(const std::vector<ProblemSummary>& problems) {
  return std::all_of(problems.begin(), problems.end(), [](const auto& p) { return p.savings.has_value(); });
}

replay::CsvRow savings_row(const ProblemSummary& summary) {
  const replay::SavingsEstimate& estimate = *summary.savings;
  return {summary.problem.name,
          replay::exact(summary.profile.ratio),
          replay::exact(summary.profile.optimum_share),
          replay::exact(summary.cell.budget),
          replay::rivals[estimate.rival],
          replay::exact(estimate.share),
          replay::exact(estimate.low),
          replay::exact(estimate.high)};
}

std::string savings_csv(const std::vector<ProblemSummary>& problems) {
  std::vector<replay::CsvRow> rows;
  for (const ProblemSummary& summary : problems) rows.push_back(savings_row(summary));
  return replay::csv_text(
      {"problem", "cost_ratio", "optimum_cost_share", "budget", "next_best", "savings", "savings_5", "savings_95"},
      rows);
}

std::string curves_csv(const std::vector<ProblemSummary>& problems) {
  constexpr std::size_t stride = 5;
  std::vector<replay::CsvRow> rows;
  for (const ProblemSummary& summary : problems)
    for (const replay::MethodSummary& method : summary.methods)
      for (std::size_t i = 0; i <= replay::grid_steps; i += stride) {
        const double spent = summary.cell.budget * static_cast<double>(i) / replay::grid_steps;
        rows.push_back({summary.problem.name, method.name, replay::exact(spent), replay::exact(method.lower[i]),
                        replay::exact(method.middle[i]), replay::exact(method.upper[i]),
                        replay::exact(method.cost[i])});
      }
  return replay::csv_text({"problem", "method", "spent", "regret_25", "regret_50", "regret_75", "cost_50"}, rows);
}

}  // namespace

std::string report_text(const std::vector<ProblemSummary>& problems, const Provenance& provenance) {
  std::string text =
      "Median final regret, in brackets the median number of evaluations. \"Optimum\" says in which\n"
      "third of the space by cost the optimum lies.\n\n" +
      markdown(regret_table(problems)) + "\n";
  if (has_savings(problems))
    text += "Cost savings of CArBO as a share of the budget.\n\n" + markdown(savings_table(problems)) + "\n" +
            savings_definition + "\n";
  return text + provenance_text(problems, provenance);
}

void write_report(const std::filesystem::path& folder, const std::vector<ProblemSummary>& problems,
                  const Provenance& provenance) {
  replay::replace_file(folder / "report.md", report_text(problems, provenance));
  replay::replace_file(folder / "curves.csv", curves_csv(problems));
  if (has_savings(problems)) replay::replace_file(folder / "savings.csv", savings_csv(problems));
  replay::replace_file(folder / "regret.svg", regret_figure(problems));
  replay::replace_file(folder / "ablation.svg", ablation_figure(problems));
  replay::replace_file(folder / "costs.svg", cost_figure(problems));
}

}  // namespace carbo::study
