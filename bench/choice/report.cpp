#include "bench/choice/report.hpp"

#include <algorithm>

#include "bench/support/markdown.hpp"
#include "replay/statistics.hpp"

namespace carbo::choice {

namespace {

using bench::format;
using bench::percent;
using bench::TextTable;

std::string with_range(const replay::NetSavings& net) {
  return percent(net.share) + " (" + percent(net.low) + " to " + percent(net.high) + ")";
}

/// Problems whose mean saving over the budgets is accepted.
template <class Accepts>
std::vector<std::string> problems_where(const Evidence& evidence, const VariantEvidence& variant, std::size_t against,
                                        const Accepts& accepts) {
  std::vector<std::string> names;
  for (const std::string& problem : evidence.problems())
    if (accepts(problem_savings(evidence, variant, against, problem))) names.push_back(problem);
  return names;
}

std::vector<std::string> lost_problems(const Evidence& evidence, const VariantEvidence& variant) {
  return problems_where(evidence, variant, 0, [](double share) { return share < loss; });
}

std::string mean_seconds(const Evidence& evidence, const std::string& method) {
  std::vector<double> seconds;
  for (const Measured* cell : evidence.cells) seconds.push_back(cell->of(method).seconds);
  return format("%.2f", replay::mean(seconds));
}

TextTable pooled_table(const Evidence& evidence) {
  const std::vector<std::string> against = evidence.against();
  const std::size_t problems = evidence.problems().size();
  TextTable table{{"variant"}};
  for (const std::string& rival : against) table[0].push_back("against " + rival);
  table[0].push_back("lost to " + against.front());
  for (const std::string& rival : against) table[0].push_back("ahead of " + rival);
  table[0].push_back("s a run");
  for (const VariantEvidence& variant : evidence.variants) {
    auto& row = table.emplace_back();
    row.push_back(variant.name);
    for (std::size_t a = 0; a < against.size(); ++a) row.push_back(with_range(net_savings(evidence, variant, a)));
    row.push_back(format("%zu", lost_problems(evidence, variant).size()));
    for (std::size_t a = 0; a < against.size(); ++a) {
      const auto ahead = problems_where(evidence, variant, a, [](double share) { return share > 0; });
      row.push_back(format("%zu/%zu", ahead.size(), problems));
    }
    row.push_back(mean_seconds(evidence, variant.name));
  }
  return table;
}

std::vector<std::string> budget_columns(const Evidence& evidence) {
  std::vector<std::string> columns;
  for (const std::string& rival : evidence.against())
    for (const std::size_t budget : evidence.budgets()) columns.push_back(rival + format(", %zu", budget));
  return columns;
}

TextTable budget_table(const Evidence& evidence) {
  TextTable table{{"variant"}};
  const auto columns = budget_columns(evidence);
  table[0].insert(table[0].end(), columns.begin(), columns.end());
  for (const VariantEvidence& variant : evidence.variants) {
    auto& row = table.emplace_back();
    row.push_back(variant.name);
    for (std::size_t a = 0; a < evidence.against().size(); ++a)
      for (const std::size_t budget : evidence.budgets())
        row.push_back(with_range(net_savings(evidence, variant, a, budget)));
  }
  return table;
}

std::string lost_lines(const Evidence& evidence) {
  std::string lines;
  for (const VariantEvidence& variant : evidence.variants) {
    const std::vector<std::string> lost = lost_problems(evidence, variant);
    if (lost.empty()) continue;
    lines += "- " + variant.name + ":";
    for (const std::string& problem : lost) lines += " " + problem;
    lines += "\n";
  }
  return lines.empty() ? "" : "Lost to " + evidence.against().front() + ":\n\n" + lines + "\n";
}

std::string batch_text(const Evidence& evidence) {
  const replay::Cell& cell = evidence.cells.front()->summary.cell;
  return format("b = %zu, %zu seeds", cell.batch, cell.seeds);
}

/// Cells of a problem with its budgets from the smallest, by their places in the evidence.
std::vector<std::size_t> cells_of(const Evidence& evidence, const std::string& problem) {
  std::vector<std::size_t> cells;
  for (std::size_t c = 0; c < evidence.cells.size(); ++c)
    if (evidence.cells[c]->problem() == problem) cells.push_back(c);
  std::sort(cells.begin(), cells.end(), [&](std::size_t a, std::size_t b) {
    return evidence.cells[a]->mean_costs < evidence.cells[b]->mean_costs;
  });
  return cells;
}

std::vector<std::string> problem_row(const Evidence& evidence, const VariantEvidence& variant,
                                     const std::string& problem) {
  const std::vector<std::size_t> cells = cells_of(evidence, problem);
  std::vector<std::string> row = {problem,
                                  format("%.3g", evidence.cells[cells.front()]->summary.cell.problem->cost_spread)};
  for (std::size_t a = 0; a < evidence.against().size(); ++a)
    for (const std::size_t c : cells) row.push_back(percent(variant.cells[c][a].share));
  for (std::size_t a = 0; a < evidence.against().size(); ++a)
    row.push_back(percent(problem_savings(evidence, variant, a, problem)));
  std::string evaluations;
  for (const std::size_t c : cells)
    evaluations +=
        (evaluations.empty() ? "" : ", ") + format("%.0f", evidence.cells[c]->of(variant.name).evaluations);
  row.push_back(evaluations);
  return row;
}

}  // namespace

std::string variants_section(const Evidence& evidence) {
  return "## Against " + evidence.rivals.title + ", " + batch_text(evidence) + "\n\n" +
         "Mean savings over problems and budgets, with 5 to 95 % over resamples of problems and seeds. A problem is\n"
         "lost where the mean over its budgets is below -10 %.\n\n" +
         bench::markdown(pooled_table(evidence)) + "\nBy budget, in mean costs:\n\n" +
         bench::markdown(budget_table(evidence)) + "\n" + lost_lines(evidence);
}

std::string problems_section(const Evidence& evidence, const std::string& name) {
  const VariantEvidence& variant = evidence.of(name);
  std::vector<std::string> problems = evidence.problems();
  const auto spread = [&](const std::string& problem) {
    return evidence.cells[cells_of(evidence, problem).front()]->summary.cell.problem->cost_spread;
  };
  std::stable_sort(problems.begin(), problems.end(),
                   [&](const auto& a, const auto& b) { return spread(a) > spread(b); });
  TextTable table{{"problem", "costs, 95 % / 5 %"}};
  for (const std::string& column : budget_columns(evidence)) table[0].push_back(column);
  for (const std::string& rival : evidence.against()) table[0].push_back("mean against " + rival);
  table[0].push_back("evaluations");
  for (const std::string& problem : problems) table.push_back(problem_row(evidence, variant, problem));
  return "## " + variant.title + " by problem, against " + evidence.rivals.title + ", " + batch_text(evidence) +
         "\n\n" + bench::markdown(table) + "\n";
}

}  // namespace carbo::choice
