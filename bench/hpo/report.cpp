#include "bench/hpo/report.hpp"

#include <stdexcept>

#include "bench/hpo/experiment_tables.hpp"
#include "bench/hpo/figures.hpp"
#include "bench/hpo/readings.hpp"
#include "bench/hpo/result_files.hpp"
#include "bench/hpo/result_tables.hpp"
#include "bench/hpo/spending.hpp"
#include "bench/support/markdown.hpp"
#include "replay/csv.hpp"

namespace carbo::hpo {

namespace {

std::string run_counts(const Report& report) {
  std::size_t runs = 0;
  double seconds = 0;
  for (const ExperimentResults* experiment : report.experiments())
    for (const BatchResults& group : experiment->batches)
      for (const replay::Summary& cell : group.problems)
        for (const replay::MethodSummary& method : cell.methods) {
          runs += method.runs.size();
          seconds += method.seconds * static_cast<double>(method.runs.size());
        }
  return bench::format("%zu runs, those that two experiments share counted in both; %.2f CPU seconds a run.\n", runs,
                       seconds / static_cast<double>(runs));
}

}  // namespace

std::vector<const ExperimentResults*> Report::experiments() const {
  std::vector<const ExperimentResults*> made;
  for (const ExperimentResults* experiment : {&tables, &ablation, &scaling, &share, &draws})
    if (experiment->made()) made.push_back(experiment);
  for (const ExperimentResults& difference : differences)
    if (difference.made()) made.push_back(&difference);
  return made;
}

std::string report_text(const Report& report) {
  if (!report.tables.made() || report.problems == nullptr)
    throw std::invalid_argument("a report needs the problems and the runs of the tables");
  std::string text = error_section(report.tables) + "\n" + savings_section(report.tables) + "\n" +
                     readings_section(report.tables) + "\n" + spending_section(report.tables) + "\n" +
                     optimum_section(report.tables, *report.problems) + "\n";
  if (report.ablation.made()) text += ablation_section(report.ablation) + "\n";
  if (report.share.made()) text += share_section(report.share) + "\n";
  if (report.draws.made()) text += draws_section(report.draws) + "\n";
  if (report.scaling.made()) text += scaling_section(report.scaling) + "\n";
  if (!report.differences.empty()) text += difference_section(report.tables, report.differences) + "\n";
  return text + "## Runs\n\n" + run_counts(report) + "Built with " + report.build + ".\n";
}

std::string write_report(const std::filesystem::path& folder, const Report& report) {
  const std::vector<const ExperimentResults*> experiments = report.experiments();
  std::string text = report_text(report);
  replay::replace_file(folder / "report.md", text);
  replay::replace_file(folder / "savings.csv", savings_csv(experiments));
  replay::replace_file(folder / "errors.csv", errors_csv(experiments));
  replay::replace_file(folder / "curves.csv", curves_csv(experiments));
  write_figures(folder, report);
  return text;
}

}  // namespace carbo::hpo
