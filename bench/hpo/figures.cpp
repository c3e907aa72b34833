#include "bench/hpo/figures.hpp"

#include <functional>

#include "bench/hpo/design.hpp"
#include "replay/csv.hpp"

namespace carbo::hpo {

namespace {

using Wanted = std::function<bool(const MeasuredProblem&)>;

bool any_problem(const MeasuredProblem&) { return true; }

Wanted of_learner(const std::string& name) {
  return [=](const MeasuredProblem& measured) { return measured.learner.name == name; };
}

Wanted of_data(const std::string& name) {
  return [=](const MeasuredProblem& measured) { return measured.data.name == name; };
}

Problems chosen_problems(const std::vector<MeasuredProblem>& problems, const Wanted& wanted) {
  Problems chosen;
  for (const MeasuredProblem& measured : problems)
    if (wanted(measured)) chosen.push_back(&measured);
  return chosen;
}

/// In sequence.
CellList chosen_cells(const Report& report, const Wanted& wanted) {
  CellList chosen;
  for (const replay::Summary& cell : report.tables.of_batch(1).problems)
    if (wanted(measured_problem(*report.problems, cell.cell.problem->name))) chosen.push_back(&cell);
  return chosen;
}

void write_cost_figures(const std::filesystem::path& folder, const Report& report) {
  const std::vector<MeasuredProblem>& problems = *report.problems;
  const auto distributions = [&](const char* file, const std::string& title, const Wanted& wanted,
                                 std::size_t columns) {
    const Problems chosen = chosen_problems(problems, wanted);
    if (!chosen.empty()) replay::replace_file(folder / file, cost_distribution_figure(title, chosen, columns));
  };
  distributions("fig1_costs.svg", "What training costs on w2a", of_data("w2a"), 5);
  distributions("fig1_costs_all.svg", "What training costs", any_problem, 4);
  const auto evaluated = [&](const char* file, const std::string& title, const Wanted& wanted) {
    const CellList chosen = chosen_cells(report, wanted);
    if (!chosen.empty()) replay::replace_file(folder / file, evaluated_cost_figure(title, problems, chosen));
  };
  evaluated("fig2_histograms.svg", "What EI and EIpu evaluate, KNN", of_learner("knn"));
  evaluated("fig2_histograms_all.svg", "What EI and EIpu evaluate", any_problem);
  const auto iterations = [&](const char* file, const std::string& title, const Wanted& wanted) {
    const CellList chosen = chosen_cells(report, wanted);
    if (!chosen.empty()) replay::replace_file(folder / file, iteration_cost_figure(title, chosen));
  };
  iterations("fig3_costs_over_iterations.svg", "Cost of each evaluation, SVM", of_learner("svm"));
  iterations("fig3_costs_over_iterations_a2a.svg", "Cost of each evaluation, a3a (a2a)", of_data("a2a"));
}

}  // namespace

void write_figures(const std::filesystem::path& folder, const Report& report) {
  write_cost_figures(folder, report);
  replay::replace_file(folder / "fig4_design.svg", design_figure());
  replay::replace_file(folder / "fig5_averages.svg", average_figure(*report.problems, report.tables));
  replay::replace_file(folder / "savings.svg", savings_figure(report.tables));
  if (report.ablation.made()) replay::replace_file(folder / "ablation.svg", ablation_figure(report.ablation));
  if (report.share.made()) replay::replace_file(folder / "share.svg", share_figure(report.share));
  if (report.scaling.made()) replay::replace_file(folder / "scaling.svg", scaling_figure(report.scaling));
}

}  // namespace carbo::hpo
