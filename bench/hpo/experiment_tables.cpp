#include "bench/hpo/experiment_tables.hpp"

#include <algorithm>
#include <cmath>

#include "bench/hpo/averages.hpp"
#include "bench/hpo/result_tables.hpp"
#include "bench/support/markdown.hpp"
#include "replay/methods.hpp"
#include "replay/statistics.hpp"

namespace carbo::hpo {

namespace {

using bench::format;
using bench::percent;
using bench::TextTable;
using Cells = std::vector<replay::Summary>;

double saving_of(const replay::Summary& cell, const std::string& method, const std::string& rival) {
  return replay::savings(method_of(cell, method).middle, method_of(cell, rival).middle);
}

/// One row a problem with the savings of each variant against one rival, and the net.
TextTable variant_table(const Cells& cells, const std::string& rival, const std::vector<std::string>& variants) {
  TextTable table{{"problem"}};
  for (const std::string& variant : variants) table[0].push_back(method_of(cells.front(), variant).title);
  for (const replay::Summary& cell : cells) {
    auto& row = table.emplace_back();
    row = {cell.cell.problem->title};
    for (const std::string& variant : variants) row.push_back(percent(saving_of(cell, variant, rival)));
  }
  auto& last = table.emplace_back();
  last = {"**Net saving (mean)**"};
  for (const std::string& variant : variants) last.push_back(net_text(net_savings(cells, variant, rival)));
  return table;
}

std::vector<std::string> other_methods(const replay::Summary& cell, const std::vector<std::string>& without) {
  std::vector<std::string> names;
  for (const replay::MethodSummary& method : cell.methods)
    if (std::find(without.begin(), without.end(), method.name) == without.end()) names.push_back(method.name);
  return names;
}

/// Final medians of one problem with every batch size, normalised by its curves.
std::vector<double> normalised_ends(const std::vector<CurveOf>& batches) {
  std::vector<const std::vector<double>*> medians;
  for (const CurveOf& curve : batches) medians.push_back(&curve.method->middle);
  const Normalisation normalise = normalisation_of(medians);
  std::vector<double> ends;
  for (const std::vector<double>* median : medians) ends.push_back(normalise(median->back()));
  return ends;
}

TextTable scaling_table(const ExperimentResults& scaling) {
  const std::vector<std::vector<CurveOf>> compared = curves_by_batch(scaling, replay::ours);
  TextTable table{{"problem", "compute, s"}};
  for (const BatchResults& group : scaling.batches) table[0].push_back(format("b = %zu", group.batch));
  std::vector<double> ends(scaling.batches.size(), 0.0);
  for (const std::vector<CurveOf>& problem : compared) {
    const replay::Cell& first = problem.front().cell->cell;
    auto& row = table.emplace_back();
    row = {first.problem->title, format("%.3g", first.budget * static_cast<double>(first.batch))};
    for (const CurveOf& curve : problem) row.push_back(format("%.4f", final_error(*curve.cell, *curve.method)));
    const std::vector<double> normalised = normalised_ends(problem);
    for (std::size_t b = 0; b < ends.size(); ++b) ends[b] += normalised[b] / static_cast<double>(compared.size());
  }
  std::vector<std::string> mean_row = {"Mean, normalised", ""}, net_row = {"**Compute saved (mean)**", "", ""};
  for (const double end : ends) mean_row.push_back(format("%.3f", end));
  for (std::size_t b = 1; b < scaling.batches.size(); ++b) {
    std::vector<replay::MethodPair> pairs;
    for (const std::vector<CurveOf>& problem : compared) pairs.push_back({problem[b].method, problem.front().method});
    net_row.push_back(net_text(replay::net_savings(pairs)));
  }
  table.insert(table.end(), {mean_row, net_row});
  return table;
}

std::vector<std::string> difference_row(const std::string& title, const Cells& cells) {
  return {title,
          format("%zu", cells.front().cell.seeds),
          net_text(replay::net_savings(cells)),
          net_text(net_savings(cells, replay::ours, "ei")),
          net_text(net_savings(cells, replay::ours, "eipu")),
          format("%zu of %zu", best_or_level(cells), cells.size())};
}

TextTable optimum_table(const ExperimentResults& tables, const std::vector<MeasuredProblem>& problems) {
  TextTable table{{"problem", "costs vary", "best row, s", "costs more than"}};
  for (const BatchResults& group : tables.batches) table[0].push_back(format("CArBO, b = %zu", group.batch));
  table[0].push_back("EIpu against EI");
  std::vector<double> shares;
  std::vector<std::vector<double>> savings(tables.batches.size() + 1);
  for (std::size_t p = 0; p < tables.batches.front().problems.size(); ++p) {
    const replay::Summary& first = tables.batches.front().problems[p];
    const OptimumCost optimum = optimum_cost(*measured_problem(problems, first.cell.problem->name).table);
    shares.push_back(optimum.share);
    for (std::size_t b = 0; b < tables.batches.size(); ++b)
      savings[b].push_back(tables.batches[b].problems.at(p).savings.value().share);
    savings.back().push_back(saving_of(first, "eipu", "ei"));
    auto& row = table.emplace_back();
    row = {first.cell.problem->title, format("×%.3g", optimum.ratio), format("%.3g", optimum.cost),
           format("%.0f %%", 100 * optimum.share)};
    for (const std::vector<double>& column : savings) row.push_back(percent(column.back()));
  }
  auto& last = table.emplace_back();
  last = {"**Rank correlation**", "", "", ""};
  for (const std::vector<double>& column : savings) {
    const double correlation = column.size() < 2 ? NAN : replay::rank_correlation(shares, column);
    last.push_back(std::isnan(correlation) ? "" : format("%+.2f", correlation));
  }
  return table;
}

/// Savings in sequence of all methods but those `without`, against one of them.
std::string savings_against(const ExperimentResults& results, const std::string& rival,
                            const std::vector<std::string>& without) {
  const Cells& cells = results.of_batch(1).problems;
  return "\nSavings against " + method_of(cells.front(), rival).title + ", in sequence.\n\n" +
         bench::markdown(variant_table(cells, rival, other_methods(cells.front(), without)));
}

}  // namespace

std::string ablation_section(const ExperimentResults& ablation) {
  std::string text = "## Ablation\n";
  for (const char* rival : {"ei", "eipu"}) text += savings_against(ablation, rival, {rival});
  return text;
}

std::string draws_section(const ExperimentResults& draws) {
  std::string text =
      "## Uniform draws of the start\n\n"
      "CArBO with five uniform draws, as the paper has it, and with fewer; EI and EIpu start from five.\n";
  for (const char* rival : {"ei", "eipu"}) text += savings_against(draws, rival, {"ei", "eipu"});
  return text;
}

std::string scaling_section(const ExperimentResults& scaling) {
  return "## Batch scaling at equal compute\n\n"
         "Median final error of CArBO with batches of b: each has the compute that is named, and 1/b of it on the\n"
         "wall. \"Normalised\" makes the worst start of a problem 1 and its best end 0. The last row is the compute\n"
         "that a batch size saves against b = 1, as in Table 2; 0 is linear scaling.\n\n" +
         bench::markdown(scaling_table(scaling));
}

std::string share_section(const ExperimentResults& share) {
  const Cells& cells = share.of_batch(1).problems;
  const replay::MethodSummary& first = cells.front().methods.front();
  return "## Share of the initial design\n\nSavings of other shares of the budget against " + first.title +
         ", in sequence.\n\n" +
         bench::markdown(variant_table(cells, first.name, other_methods(cells.front(), {first.name})));
}

std::string difference_section(const ExperimentResults& tables, const std::vector<ExperimentResults>& differences) {
  TextTable table{{"experiment", "seeds", "net saving", "against EI", "against EIpu", "saves or is level"}};
  table.push_back(difference_row("As in Table 2", tables.of_batch(1).problems));
  for (const ExperimentResults& difference : differences)
    if (difference.made()) table.push_back(difference_row(difference.title, difference.of_batch(1).problems));
  return "## What differs from the paper\n\nNet savings of CArBO in sequence where one thing is another.\n\n" +
         bench::markdown(table);
}

std::string optimum_section(const ExperimentResults& tables, const std::vector<MeasuredProblem>& problems) {
  return "## Savings and the cost of the best\n\n"
         "\"Costs vary\": 95 % over 5 % quantile of a table's costs. The best row is the cheapest of those with the\n"
         "lowest error, and costs more than so many of the table's rows. Savings as in Table 2; those of EIpu\n"
         "against EI are in sequence. Last row: Spearman's correlation of each column with the share of rows that\n"
         "are cheaper than the best.\n\n" +
         bench::markdown(optimum_table(tables, problems));
}

}  // namespace carbo::hpo
