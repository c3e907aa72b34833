#include "bench/hpo/result_files.hpp"

#include "bench/support/markdown.hpp"
#include "replay/csv.hpp"
#include "replay/methods.hpp"

namespace carbo::hpo {

namespace {

constexpr std::size_t curve_stride = 25;  ///< grid points a row

/// Calls `use` with every cell and the row's first fields: experiment, problem, batch, budget.
template <class Use>
void for_each_cell(const std::vector<const ExperimentResults*>& experiments, const Use& use) {
  for (const ExperimentResults* experiment : experiments)
    for (const BatchResults& group : experiment->batches)
      for (const replay::Summary& cell : group.problems)
        use(cell, replay::CsvRow{experiment->name, cell.cell.problem->name, std::to_string(cell.cell.batch),
                                 replay::exact(cell.cell.budget)});
}

}  // namespace

std::string savings_csv(const std::vector<const ExperimentResults*>& experiments) {
  std::vector<replay::CsvRow> rows;
  for_each_cell(experiments, [&](const replay::Summary& cell, replay::CsvRow row) {
    if (!cell.savings) return;
    const std::vector<double>& mine = method_of(cell, replay::ours).middle;
    row.insert(row.end(), {std::to_string(cell.cell.seeds), replay::rivals[cell.savings->rival],
                           replay::exact(cell.savings->share), replay::exact(cell.savings->low),
                           replay::exact(cell.savings->high)});
    for (const std::string& rival : replay::rivals)
      row.push_back(replay::exact(replay::savings(mine, method_of(cell, rival).middle)));
    rows.push_back(std::move(row));
  });
  return replay::csv_text({"experiment", "problem", "batch", "budget", "seeds", "next_best", "saving", "saving_5",
                           "saving_95", "against_random", "against_ei", "against_eipu"},
                          rows);
}

std::string errors_csv(const std::vector<const ExperimentResults*>& experiments) {
  std::vector<replay::CsvRow> rows;
  for_each_cell(experiments, [&](const replay::Summary& cell, const replay::CsvRow& start) {
    const double best = cell.cell.problem->optimum;
    for (const replay::MethodSummary& method : cell.methods) {
      replay::CsvRow row = start;
      row.insert(row.end(), {method.name, std::to_string(method.runs.size())});
      for (const std::vector<double>* curve : {&method.lower, &method.middle, &method.upper})
        row.push_back(bench::format("%.6g", best + curve->back()));
      row.insert(row.end(), {replay::exact(method.evaluations), std::to_string(method.cut_short)});
      rows.push_back(std::move(row));
    }
  });
  return replay::csv_text({"experiment", "problem", "batch", "budget", "method", "seeds", "error_25", "error_50",
                           "error_75", "evaluations", "cut_short"},
                          rows);
}

std::string curves_csv(const std::vector<const ExperimentResults*>& experiments) {
  std::vector<replay::CsvRow> rows;
  for_each_cell(experiments, [&](const replay::Summary& cell, const replay::CsvRow& start) {
    for (const replay::MethodSummary& method : cell.methods)
      for (std::size_t i = 0; i <= replay::grid_steps; i += curve_stride) {
        replay::CsvRow row = start;
        row.insert(row.end(), {method.name, replay::exact(static_cast<double>(i) / replay::grid_steps)});
        for (const std::vector<double>* curve : {&method.lower, &method.middle, &method.upper})
          row.push_back(bench::format("%.5g", cell.cell.problem->optimum + (*curve)[i]));
        row.push_back(bench::format("%.4g", method.cost[i]));
        rows.push_back(std::move(row));
      }
  });
  return replay::csv_text({"experiment", "problem", "batch", "budget", "method", "spent_share", "error_25",
                           "error_50", "error_75", "cost_50"},
                          rows);
}

}  // namespace carbo::hpo
