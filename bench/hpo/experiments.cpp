#include "bench/hpo/experiments.hpp"

#include <array>
#include <functional>
#include <utility>

#include "bench/hpo/paper.hpp"
#include "bench/replay/methods.hpp"
#include "bench/support/markdown.hpp"
#include "bench/support/words.hpp"

namespace carbo::hpo {

namespace {

constexpr std::array<std::size_t, 5> scaled_batches = {1, 2, 4, 8, 16};
constexpr double scaling_compute = 4;  ///< in budgets of the tables

using Budgets = std::map<std::string, double>;

std::vector<replay::Method> methods_named(const std::vector<std::string>& names) {
  return bench::named(replay::paper_methods(), names);
}

/// A cell a problem: many seeds on the paper's example, few elsewhere, with `factor` of the budget.
std::vector<replay::Cell> cells_of(const std::vector<MeasuredProblem>& problems, const Budgets& budgets,
                                   std::size_t batch, double factor, const Seeds& seeds) {
  std::vector<replay::Cell> cells;
  for (const MeasuredProblem& measured : problems)
    cells.push_back({.problem = &measured.problem,
                     .batch = batch,
                     .budget = factor * budgets.at(measured.name()),
                     .seeds = measured.name() == paper_example ? seeds.many : seeds.few});
  return cells;
}

replay::Method changed(replay::Method method, std::function<void(Options&)> change) {
  method.configure = [configure = method.configure, change = std::move(change)](Options& options,
                                                                                const replay::Problem& problem) {
    configure(options, problem);
    change(options);
  };
  return method;
}

}  // namespace

Experiment tables_experiment(const std::vector<MeasuredProblem>& problems, const Budgets& budgets,
                             const Seeds& seeds) {
  Experiment experiment{.name = "tables", .title = "Tables 1 and 2"};
  experiment.methods = methods_named({"random", "ei", "eipu", "carbo"});
  for (const std::size_t batch : batch_sizes) {
    const std::size_t runs = batch <= 3 ? seeds.many : seeds.few;
    for (const replay::Cell& cell : cells_of(problems, budgets, batch, 1, {.many = runs, .few = runs}))
      experiment.cells.push_back(cell);
  }
  return experiment;
}

Experiment ablation_experiment(const std::vector<MeasuredProblem>& problems, const Budgets& budgets,
                               const Seeds& seeds) {
  return {.name = "ablation",
          .title = "Ablation",
          .cells = cells_of(problems, budgets, 1, 1, {.many = seeds.many, .few = seeds.many}),
          .methods = methods_named({"ei", "eipu", "design_ei", "design_eipu", "carbo"})};
}

Experiment scaling_experiment(const std::vector<MeasuredProblem>& problems, const Budgets& budgets,
                              const Seeds& seeds) {
  Experiment experiment{.name = "scaling", .title = "Batch scaling at equal compute"};
  experiment.methods = methods_named({"carbo"});
  for (const std::size_t batch : scaled_batches)
    for (const replay::Cell& cell :
         cells_of(problems, budgets, batch, scaling_compute / static_cast<double>(batch), seeds))
      experiment.cells.push_back(cell);
  return experiment;
}

Experiment share_experiment(const std::vector<MeasuredProblem>& problems, const Budgets& budgets,
                            const Seeds& seeds) {
  Experiment experiment{.name = "share", .title = "Share of the initial design"};
  experiment.cells = cells_of(problems, budgets, 1, 1, seeds);
  const replay::Method carbo = methods_named({replay::ours}).front();
  for (int eighths = 1; eighths <= 6; ++eighths) {
    replay::Method& method = experiment.methods.emplace_back(
        changed(carbo, [=](Options& options) { options.design.budget_share = eighths / 8.0; }));
    method.name += bench::format("_%d_of_8", eighths);
    method.title = bench::format("%d/8", eighths);
  }
  return experiment;
}

std::vector<Experiment> difference_experiments(const std::vector<MeasuredProblem>& problems, const Budgets& budgets,
                                               const Seeds& seeds) {
  const std::vector<replay::Method> plain = methods_named({"random", "ei", "eipu", "carbo"});
  std::vector<Experiment> experiments;
  for (const auto& [name, factor] : {std::pair{"half", 0.5}, std::pair{"double", 2.0}})
    experiments.push_back({.name = name,
                           .title = bench::format("%g times the budget", factor),
                           .cells = cells_of(problems, budgets, 1, factor, seeds),
                           .methods = plain});
  Experiment likelihood{
      .name = "likelihood", .title = "Hyperparameters by maximum likelihood", .store = "runs_likelihood"};
  likelihood.cells = cells_of(problems, budgets, 1, 1, seeds);
  for (const replay::Method& method : plain)
    likelihood.methods.push_back(changed(method, [](Options& options) {
      options.surrogate.estimation = options.cost.surrogate.estimation = Estimation::maximum_likelihood;
      options.cost.model = CostModelKind::log_gp;
    }));
  experiments.push_back(std::move(likelihood));
  return experiments;
}

}  // namespace carbo::hpo
