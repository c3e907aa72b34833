#include "bench/hpo/result_tables.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "bench/hpo/paper.hpp"
#include "bench/hpo/problems.hpp"
#include "bench/support/markdown.hpp"
#include "replay/methods.hpp"
#include "replay/statistics.hpp"

namespace carbo::hpo {

namespace {

using bench::format;
using bench::percent;
using bench::TextTable;

/// 100 times a share with its sign; what rounds to 0 has none.
std::string hundredths(double share, int decimals) {
  const double unit = std::pow(10.0, decimals);
  const double rounded = std::round(100 * share * unit) / unit;
  return format(rounded == 0.0 ? "%.*f" : "%+.*f", decimals, rounded == 0.0 ? 0.0 : rounded);
}

std::string bold(const std::string& text) { return "**" + text + "**"; }

/// Position of a batch size in the paper's tables; absent where it has none.
std::optional<std::size_t> paper_position(std::size_t batch) {
  const auto found = std::find(batch_sizes.begin(), batch_sizes.end(), batch);
  if (found == batch_sizes.end()) return std::nullopt;
  return static_cast<std::size_t>(found - batch_sizes.begin());
}

/// "0.1234 (56)" for each method, the lowest error in bold.
std::vector<std::string> our_cells(const replay::Summary& cell) {
  double lowest = INFINITY;
  for (const replay::MethodSummary& method : cell.methods) lowest = std::min(lowest, method.middle.back());
  std::vector<std::string> texts;
  for (const replay::MethodSummary& method : cell.methods) {
    const std::string text = format("%.4f (%.0f)", final_error(cell, method), method.evaluations);
    texts.push_back((method.middle.back() == lowest ? bold(text) : text) + (method.cut_short > 0 ? " †" : ""));
  }
  return texts;
}

/// EI, EIpu and CArBO of the paper with a batch size of its Table 1.
std::vector<std::string> paper_cells(const PaperRow& row, std::size_t position) {
  const std::array<PaperResult, 3> results = {row.ei[position], row.eipu[position], row.carbo[position]};
  double lowest = INFINITY;
  for (const PaperResult& result : results) lowest = std::min(lowest, result.error);
  std::vector<std::string> texts;
  for (const PaperResult& result : results) {
    const std::string text = format("%.3f (%.0f)", result.error, result.evaluations);
    texts.push_back(result.error == lowest ? bold(text) : text);
  }
  return texts;
}

TextTable error_table(const BatchResults& results) {
  // Table 1 of the paper leaves out the first batch size, 1.
  const std::optional<std::size_t> position = paper_position(results.batch);
  const bool in_paper = position && *position > 0;
  TextTable table{{"problem", "budget, s"}};
  for (const replay::MethodSummary& method : results.problems.front().methods) table[0].push_back(method.title);
  if (in_paper) table[0].insert(table[0].end(), {"paper, s", "paper's EI", "paper's EIpu", "paper's CArBO"});
  for (const replay::Summary& cell : results.problems) {
    auto& row = table.emplace_back();
    row = {cell.cell.problem->title, format("%.3g", cell.cell.budget)};
    for (std::string& text : our_cells(cell)) row.push_back(std::move(text));
    if (!in_paper) continue;
    const PaperRow& printed = paper_row(cell.cell.problem->name);
    row.push_back(format("%g", printed.budget));
    for (std::string& text : paper_cells(printed, *position - 1)) row.push_back(std::move(text));
  }
  return table;
}

std::string cut_short_text(const BatchResults& results) {
  std::size_t cut = 0, all = 0;
  std::string places;
  for (const replay::Summary& cell : results.problems) {
    std::string methods;
    for (const replay::MethodSummary& method : cell.methods) {
      all += method.runs.size();
      cut += method.cut_short;
      if (method.cut_short > 0)
        methods += (methods.empty() ? "" : ", ") + method.title + format(" %zu", method.cut_short);
    }
    if (!methods.empty()) places += (places.empty() ? "" : "; ") + cell.cell.problem->title + ": " + methods;
  }
  if (cut == 0) return "No run had evaluated a quarter of its table before its budget was spent.\n";
  return format("† %zu of %zu runs ended before their budget, since a quarter of their table was evaluated: ", cut,
                all) +
         places + ".\n";
}

std::string savings_cell(const replay::SavingsEstimate& saving) {
  return percent(saving.share) + " (" + hundredths(saving.low, 0) + " to " + hundredths(saving.high, 0) + ")";
}

/// A row with `ours` and `paper` for each batch size.
template <class Ours, class Paper>
std::vector<std::string> summary_row(const std::string& name, const ExperimentResults& tables, const Ours& ours,
                                     const Paper& paper) {
  std::vector<std::string> row = {name};
  for (const BatchResults& results : tables.batches) {
    row.push_back(ours(results.problems));
    if (const auto position = paper_position(results.batch)) row.push_back(paper(*position));
  }
  return row;
}

void add_summary_rows(TextTable& table, const ExperimentResults& tables) {
  using Cells = std::vector<replay::Summary>;
  const auto nothing = [](std::size_t) { return std::string(); };
  table.push_back(summary_row(
      "**Net saving (mean)**", tables, [](const Cells& cells) { return bold(net_text(replay::net_savings(cells))); },
      [](std::size_t position) { return bold(format("%+.1f %%", 100 * paper_net_savings[position])); }));
  table.push_back(summary_row(
      "CArBO's error lowest or equal", tables,
      [](const Cells& cells) { return format("%zu of %zu", lowest_or_equal(cells), cells.size()); },
      [](std::size_t position) { return format("%zu of %zu", paper_best_counts[position], paper_rows().size()); }));
  table.push_back(summary_row(
      "CArBO saves or is level", tables,
      [](const Cells& cells) { return format("%zu of %zu", best_or_level(cells), cells.size()); },
      [](std::size_t position) { return format("%zu of %zu", paper_best_counts[position], paper_rows().size()); }));
  for (const auto& [name, title] : {std::pair{"ei", "EI"}, std::pair{"eipu", "EIpu"}})
    table.push_back(summary_row(
        std::string("Net against ") + title, tables,
        [name = std::string(name)](const Cells& cells) { return net_text(net_savings(cells, replay::ours, name)); },
        nothing));
}

TextTable savings_table(const ExperimentResults& tables) {
  TextTable table{{"problem"}};
  const std::size_t problems = tables.batches.front().problems.size();
  for (const BatchResults& results : tables.batches) {
    table[0].push_back(format("b = %zu", results.batch));
    if (paper_position(results.batch)) table[0].push_back("paper");
  }
  for (std::size_t p = 0; p < problems; ++p) {
    auto& row = table.emplace_back();
    row = {tables.batches.front().problems[p].cell.problem->title};
    for (const BatchResults& results : tables.batches) {
      const replay::Summary& cell = results.problems.at(p);
      row.push_back(savings_cell(cell.savings.value()));
      if (const auto position = paper_position(results.batch))
        row.push_back(percent(paper_row(cell.cell.problem->name).savings[*position]));
    }
  }
  add_summary_rows(table, tables);
  return table;
}

std::string agreement_text(const ExperimentResults& tables) {
  std::string text;
  for (const BatchResults& results : tables.batches) {
    const auto position = paper_position(results.batch);
    if (!position || results.problems.size() < 2) continue;
    std::vector<double> here, there;
    for (const replay::Summary& cell : results.problems) {
      here.push_back(cell.savings->share);
      there.push_back(paper_row(cell.cell.problem->name).savings[*position]);
    }
    text +=
        (text.empty() ? "" : ", ") + format("%+.2f (b = %zu)", replay::rank_correlation(here, there), results.batch);
  }
  return "Rank correlation of our savings with the paper's, problem by problem: " + text + ".\n";
}

constexpr const char* savings_definition =
    "Savings: let m(t) be a method's median over the seeds of the lowest error so far once t seconds are spent; "
    "only\n"
    "what finished inside the budget T counts, and a batch takes as long as its longest evaluation. The next best "
    "is\n"
    "the method among random, EI and EIpu with the lowest m(T). Savings = 1 - t*/T, with t* the time at which "
    "CArBO's\n"
    "m first reaches the next best's m(T); where CArBO ends worse, the same the other way round with a minus. Where\n"
    "both end at one error, the times at which they got there are compared: CArBO may have the lowest error of all,\n"
    "with others, and save less than nothing. In brackets the 5 and 95 % quantiles of\n"
    "200 resamples: of the seeds in the rows of problems, of problems and seeds in the net savings.\n"
    "\n"
    "The paper's printed nets of 32.5 and 45.1 % are the means of its columns only if DT w2a's -18 and -41 % are\n"
    "taken as gains; by the signs that it prints they are 30.7 and 41.0 %.\n";

}  // namespace

std::string net_text(const replay::NetSavings& net) {
  return hundredths(net.share, 1) + " % (" + hundredths(net.low, 1) + " to " + hundredths(net.high, 1) + ")";
}

std::size_t lowest_or_equal(const std::vector<replay::Summary>& cells) {
  return static_cast<std::size_t>(std::count_if(cells.begin(), cells.end(), [](const replay::Summary& cell) {
    const double end = method_of(cell, replay::ours).middle.back();
    return std::all_of(cell.methods.begin(), cell.methods.end(),
                       [=](const replay::MethodSummary& method) { return end <= method.middle.back(); });
  }));
}

std::size_t best_or_level(const std::vector<replay::Summary>& cells) {
  return static_cast<std::size_t>(std::count_if(
      cells.begin(), cells.end(), [](const replay::Summary& cell) { return cell.savings.value().share >= 0; }));
}

std::string error_section(const ExperimentResults& tables) {
  std::string text =
      "## Table 1: errors at the end of the budget\n\n"
      "Median final error, in brackets the median number of evaluations inside the budget. Bold: the lowest, of "
      "ours\n"
      "and of the paper's three as far as it prints digits. The paper's table has no batches of 1 and no random\n"
      "search.\n";
  for (const BatchResults& results : tables.batches)
    text += format("\n### b = %zu, %zu seeds\n\n", results.batch, results.problems.front().cell.seeds) +
            bench::markdown(error_table(results)) + "\n" + cut_short_text(results);
  return text;
}

std::string savings_section(const ExperimentResults& tables) {
  return "## Table 2: savings\n\nSavings of CArBO against the next best, as a share of the budget.\n\n" +
         bench::markdown(savings_table(tables)) + "\n" + agreement_text(tables) + "\n" + savings_definition;
}

}  // namespace carbo::hpo
