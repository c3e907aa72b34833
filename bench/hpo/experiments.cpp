#include "bench/hpo/experiments.hpp"

#include <array>
#include <cmath>
#include <functional>
#include <tuple>
#include <utility>

#include "bench/hpo/paper.hpp"
#include "bench/replay/noise.hpp"
#include "bench/support/markdown.hpp"
#include "bench/support/words.hpp"
#include "replay/methods.hpp"

namespace carbo::hpo {

namespace {

constexpr std::array<std::size_t, 5> scaled_batches = {1, 2, 4, 8, 16};
constexpr double scaling_compute = 4;  ///< in budgets of the tables

using Budgets = std::map<std::string, double>;

std::vector<replay::Method> methods_named(const std::vector<std::string>& names) {
  return bench::named(replay::paper_methods(), names);
}

replay::Cell cell_of(const replay::Problem& problem, std::size_t batch, double budget, const Seeds& seeds) {
  return {&problem, batch, budget, problem.name == paper_example ? seeds.many : seeds.few};
}

/// A cell a problem: many seeds on the paper's example, few elsewhere, with `factor` of the budget.
std::vector<replay::Cell> cells_of(const std::vector<MeasuredProblem>& problems, const Budgets& budgets,
                                   std::size_t batch, double factor, const Seeds& seeds) {
  std::vector<replay::Cell> cells;
  for (const MeasuredProblem& measured : problems)
    cells.push_back(cell_of(measured.problem, batch, factor * budgets.at(measured.name()), seeds));
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

std::vector<replay::Method> compared_methods() { return methods_named({"random", "ei", "eipu", "carbo"}); }

void by_likelihood(Options& options) {
  options.surrogate.estimation = options.cost.surrogate.estimation = Estimation::maximum_likelihood;
  options.cost.model = CostModelKind::log_gp;
}

/// Of GPyOpt 1.2: five starts of a fit by maximum likelihood, and improvement measured from the lowest posterior
/// mean. (Its one length scale for all dimensions and its EI's jitter have no option here.)
void as_gpyopt(Options& options) {
  by_likelihood(options);
  options.surrogate.restarts = options.cost.surrogate.restarts = 5;
  options.incumbent = Incumbent::posterior_mean;
}

std::vector<Experiment> changed_methods(const std::vector<replay::Cell>& cells) {
  std::vector<Experiment> experiments = {
      {.name = "likelihood", .title = "Hyperparameters by maximum likelihood", .store = "runs_likelihood"},
      {.name = "gpyopt", .title = "GPyOpt's settings", .store = "runs_gpyopt"}};
  for (Experiment& experiment : experiments) {
    experiment.cells = cells;
    for (const replay::Method& method : compared_methods())
      experiment.methods.push_back(changed(method, experiment.name == "gpyopt" ? as_gpyopt : by_likelihood));
  }
  return experiments;
}

std::vector<Experiment> changed_problems(const std::vector<MeasuredProblem>& problems, const Budgets& budgets,
                                         const Seeds& seeds) {
  using Change = std::function<replay::Problem(const MeasuredProblem&)>;
  const auto disturbed = [](double times) -> Change {
    return [=](const MeasuredProblem& measured) {
      return disturbed_problem(measured.problem, times * measured.cost_spread);
    };
  };
  const Change continuous = [](const MeasuredProblem& measured) {
    return replay::continuous_problem(measured.name(), measured.problem.title, measured.table, most_of_a_table);
  };
  std::vector<Experiment> experiments;
  for (const auto& [name, title, change] :
       {std::tuple{"continuous", "Candidates from the whole space", continuous},
        std::tuple{"noise", "Costs disturbed as by a second measurement", disturbed(1)},
        std::tuple{"noise3", "Costs disturbed three times as much", disturbed(3)}}) {
    Experiment& experiment = experiments.emplace_back();
    experiment = {.name = name, .title = title, .store = std::string("runs_") + name};
    experiment.methods = compared_methods();
    for (const MeasuredProblem& measured : problems) {
      experiment.problems.push_back(std::make_shared<const replay::Problem>(change(measured)));
      experiment.cells.push_back(cell_of(*experiment.problems.back(), 1, budgets.at(measured.name()), seeds));
    }
  }
  return experiments;
}

}  // namespace

replay::Problem disturbed_problem(replay::Problem problem, double spread) {
  problem.evaluate = [exact = problem.evaluate, spread](const Suggestion& suggestion, std::uint64_t seed) {
    replay::Outcome outcome = exact(suggestion, seed);
    const double z = replay::noise(seed, suggestion.pool_index.value(), replay::cost_lane);
    outcome.cost *= std::exp(spread * z - spread * spread / 2);
    return outcome;
  };
  return problem;
}

Experiment tables_experiment(const std::vector<MeasuredProblem>& problems, const Budgets& budgets,
                             const Seeds& seeds) {
  Experiment experiment{.name = "tables", .title = "Tables 1 and 2"};
  experiment.methods = compared_methods();
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

Experiment draws_experiment(const std::vector<MeasuredProblem>& problems, const Budgets& budgets,
                            const Seeds& seeds) {
  Experiment experiment{.name = "draws", .title = "Uniform draws of the start"};
  experiment.cells = cells_of(problems, budgets, 1, 1, seeds);
  experiment.methods = methods_named({"ei", "eipu", replay::ours});
  const replay::Method carbo = experiment.methods.back();
  for (const std::size_t draws : {3, 2}) {
    replay::Method& method =
        experiment.methods.emplace_back(changed(carbo, [=](Options& options) { options.design.warm_start = draws; }));
    method.name += bench::format("_%zu_draws", draws);
    method.title = bench::format("%zu draws", draws);
  }
  return experiment;
}

std::vector<Experiment> difference_experiments(const std::vector<MeasuredProblem>& problems, const Budgets& budgets,
                                               const Seeds& seeds) {
  std::vector<Experiment> experiments;
  for (const auto& [name, title, factor] :
       {std::tuple{"reference", "As in Table 2, fewer seeds", 1.0}, std::tuple{"half", "Half the budget", 0.5},
        std::tuple{"double", "Twice the budget", 2.0}})
    experiments.push_back({.name = name,
                           .title = title,
                           .cells = cells_of(problems, budgets, 1, factor, seeds),
                           .methods = compared_methods()});
  for (Experiment& experiment : changed_methods(cells_of(problems, budgets, 1, 1, seeds)))
    experiments.push_back(std::move(experiment));
  for (Experiment& experiment : changed_problems(problems, budgets, seeds))
    experiments.push_back(std::move(experiment));
  return experiments;
}

}  // namespace carbo::hpo
