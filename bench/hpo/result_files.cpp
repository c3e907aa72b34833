#include "bench/hpo/result_files.hpp"

#include "bench/replay/methods.hpp"
#include "bench/support/csv.hpp"
#include "bench/support/markdown.hpp"

namespace carbo::hpo {

namespace {

constexpr std::size_t curve_stride = 25;  ///< grid points a row

/// Calls `use` with every cell and the row's first fields: experiment, problem, batch, budget.
template <class Use>
void for_each_cell(const std::vector<const ExperimentResults*>& experiments, const Use& use) {
  for (const ExperimentResults* experiment : experiments)
    for (const BatchResults& group : experiment->batches)
      for (const replay::Summary& cell : group.problems)
        use(cell, bench::CsvRow{experiment->name, cell.cell.problem->name, std::to_string(cell.cell.batch),
                                bench::exact(cell.cell.budget)});
}

}  // namespace

std::string savings_csv(const std::vector<const ExperimentResults*>& experiments) {
  std::vector<bench::CsvRow> rows;
  for_each_cell(experiments, [&](const replay::Summary& cell, bench::CsvRow row) {
    if (!cell.savings) return;
    const std::vector<double>& mine = method_of(cell, replay::ours).middle;
    row.insert(row.end(), {std::to_string(cell.cell.seeds), replay::rivals[cell.savings->rival],
                           bench::exact(cell.savings->share), bench::exact(cell.savings->low),
                           bench::exact(cell.savings->high)});
    for (const std::string& rival : replay::rivals)
      row.push_back(bench::exact(replay::savings(mine, method_of(cell, rival).middle)));
    rows.push_back(std::move(row));
  });
  return bench::csv_text({"experiment", "problem", "batch", "budget", "seeds", "next_best", "saving", "saving_5",
                          "saving_95", "against_random", "against_ei", "against_eipu"},
                         rows);
}

std::string errors_csv(const std::vector<const ExperimentResults*>& experiments) {
  std::vector<bench::CsvRow> rows;
  for_each_cell(experiments, [&](const replay::Summary& cell, const bench::CsvRow& start) {
    const double best = cell.cell.problem->optimum;
    for (const replay::MethodSummary& method : cell.methods) {
      bench::CsvRow row = start;
      row.insert(row.end(), {method.name, std::to_string(method.runs.size())});
      for (const std::vector<double>* curve : {&method.lower, &method.middle, &method.upper})
        row.push_back(bench::format("%.6g", best + curve->back()));
      row.insert(row.end(), {bench::exact(method.evaluations), std::to_string(method.cut_short)});
      rows.push_back(std::move(row));
    }
  });
  return bench::csv_text({"experiment", "problem", "batch", "budget", "method", "seeds", "error_25", "error_50",
                          "error_75", "evaluations", "cut_short"},
                         rows);
}

std::string curves_csv(const std::vector<const ExperimentResults*>& experiments) {
  std::vector<bench::CsvRow> rows;
  for_each_cell(experiments, [&](const replay::Summary& cell, const bench::CsvRow& start) {
    for (const replay::MethodSummary& method : cell.methods)
      for (std::size_t i = 0; i <= replay::grid_steps; i += curve_stride) {
        bench::CsvRow row = start;
        row.insert(row.end(), {method.name, bench::exact(static_cast<double>(i) / replay::grid_steps)});
        for (const std::vector<double>* curve : {&method.lower, &method.middle, &method.upper})
          row.push_back(bench::format("%.5g", cell.cell.problem->optimum + (*curve)[i]));
        row.push_back(bench::format("%.4g", method.cost[i]));
        rows.push_back(std::move(row));
      }
  });
  return bench::csv_text({"experiment", "problem", "batch", "budget", "method", "spent_share", "error_25", "error_50",
                          "error_75", "cost_50"},
                         rows);
}

}  // namespace carbo::hpo
