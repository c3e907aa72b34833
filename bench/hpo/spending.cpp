#include "bench/hpo/spending.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "bench/hpo/paper.hpp"
#include "bench/support/markdown.hpp"
#include "replay/methods.hpp"
#include "replay/statistics.hpp"

namespace carbo::hpo {

namespace {

using bench::format;
using bench::TextTable;

TextTable design_table(const ExperimentResults& tables) {
  TextTable table{{"problem"}};
  for (const BatchResults& group : tables.batches)
    table[0].insert(table[0].end(), {format("b = %zu: draws", group.batch), "design"});
  std::vector<std::vector<double>> columns(table[0].size() - 1);
  for (std::size_t p = 0; p < tables.batches.front().problems.size(); ++p) {
    auto& row = table.emplace_back();
    row = {tables.batches.front().problems[p].cell.problem->title};
    for (std::size_t b = 0; b < tables.batches.size(); ++b) {
      const DesignUse use = design_use(method_of(tables.batches[b].problems.at(p), replay::ours));
      row.insert(row.end(), {format("%.0f %%", 100 * use.warm_start_share), format("%.0f", use.design_points)});
      columns[2 * b].push_back(use.warm_start_share);
      columns[2 * b + 1].push_back(use.design_points);
    }
  }
  auto& last = table.emplace_back();
  last = {"**Median**"};
  for (std::size_t c = 0; c < columns.size(); ++c)
    last.push_back(c % 2 == 0 ? format("%.0f %%", 100 * replay::median(columns[c]))
                              : format("%.0f", replay::median(columns[c])));
  return table;
}

/// Median over problems of a method's evaluations over EI's.
double multiple_of_ei(const CellList& cells, const std::string& name) {
  std::vector<double> ratios;
  for (const replay::Summary* cell : cells)
    ratios.push_back(method_of(*cell, name).evaluations / method_of(*cell, "ei").evaluations);
  return replay::median(ratios);
}

/// The same of the paper's Table 1, at a position of its batch sizes.
double paper_multiple_of_ei(const CellList& cells, std::size_t position, const std::string& name) {
  std::vector<double> ratios;
  for (const replay::Summary* cell : cells) {
    const PaperRow& row = paper_row(cell->cell.problem->name);
    const PaperResult& result = name == "eipu" ? row.eipu[position] : row.carbo[position];
    ratios.push_back(result.evaluations / row.ei[position].evaluations);
  }
  return replay::median(ratios);
}

std::vector<std::string> evaluations_row(const std::string& title, std::size_t batch, const CellList& cells) {
  // Table 1 of the paper leaves out the first batch size, 1.
  const auto found = std::find(batch_sizes.begin() + 1, batch_sizes.end(), batch);
  std::vector<std::string> row = {title};
  for (const std::string name : {"eipu", "carbo"}) {
    row.push_back(format("%.2f", multiple_of_ei(cells, name)));
    const auto position = static_cast<std::size_t>(found - batch_sizes.begin() - 1);
    row.push_back(found == batch_sizes.end() ? std::string()
                                             : format("%.2f", paper_multiple_of_ei(cells, position, name)));
  }
  return row;
}

/// All problems with each batch size, and the problems of each learner with the first that the paper prints.
TextTable evaluations_table(const ExperimentResults& tables) {
  TextTable table{{"evaluations ÷ EI's", "EIpu", "paper's EIpu", "CArBO", "paper's CArBO"}};
  std::vector<std::pair<std::string, CellList>> learners;
  for (const BatchResults& group : tables.batches) {
    CellList all;
    for (const replay::Summary& cell : group.problems) {
      all.push_back(&cell);
      if (group.batch != batch_sizes[1]) continue;
      const std::string& title = cell.cell.problem->title;
      const std::string learner = title.substr(0, title.find(' '));
      if (learners.empty() || learners.back().first != learner) learners.push_back({learner, {}});
      learners.back().second.push_back(&cell);
    }
    table.push_back(evaluations_row(format("b = %zu", group.batch), group.batch, all));
  }
  for (const auto& [learner, cells] : learners)
    table.push_back(evaluations_row(learner + format(", b = %zu", batch_sizes[1]), batch_sizes[1], cells));
  return table;
}

}  // namespace

DesignUse design_use(const replay::MethodSummary& method) {
  std::vector<double> shares, points;
  for (const replay::RunRecord* run : method.runs) {
    double warm_start_end = 0, count = 0;
    for (const replay::Step& step : run->steps) {
      if (step.phase == Phase::warm_start) warm_start_end = std::max(warm_start_end, step.finished);
      if (step.phase == Phase::design) ++count;
    }
    shares.push_back(warm_start_end / run->key.budget);
    points.push_back(count);
  }
  return {.warm_start_share = replay::median(shares), .design_points = replay::median(points)};
}

std::string spending_section(const ExperimentResults& tables) {
  return "## What the start costs\n\n"
         "\"Draws\": the share of the budget that is spent when CArBO's five uniform draws have finished, which EI\n"
         "and EIpu make too. \"Design\": the evaluations that Algorithm 1 then gets, until an eighth of the budget "
         "is\n"
         "spent, draws included. Medians over the seeds.\n\n" +
         bench::markdown(design_table(tables)) +
         "\nEvaluations inside the budget as multiples of EI's, medians over the problems:\n\n" +
         bench::markdown(evaluations_table(tables));
}

}  // namespace carbo::hpo
