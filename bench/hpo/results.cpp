#include "bench/hpo/results.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "replay/statistics.hpp"

namespace carbo::hpo {

const BatchResults& ExperimentResults::of_batch(std::size_t batch) const {
  for (const BatchResults& results : batches)
    if (results.batch == batch) return results;
  throw std::invalid_argument("experiment " + name + " has no runs with batches of " + std::to_string(batch));
}

ExperimentResults results_of(const Experiment& experiment, std::vector<replay::Summary> cells) {
  ExperimentResults results{.name = experiment.name, .title = experiment.title, .problems = experiment.problems};
  for (replay::Summary& cell : cells) {
    const std::size_t batch = cell.cell.batch;
    auto place = std::find_if(results.batches.begin(), results.batches.end(),
                              [=](const BatchResults& group) { return group.batch >= batch; });
    if (place == results.batches.end() || place->batch != batch)
      place = results.batches.insert(place, {.batch = batch, .problems = {}});
    place->problems.push_back(std::move(cell));
  }
  return results;
}

const replay::MethodSummary& method_of(const replay::Summary& cell, const std::string& name) {
  const replay::MethodSummary* method = cell.find(name);
  if (method == nullptr)
    throw std::invalid_argument(cell.cell.problem->name + ", batch " + std::to_string(cell.cell.batch) +
                                ": there are no runs of " + name);
  return *method;
}

double final_error(const replay::Summary& cell, const replay::MethodSummary& method) {
  return cell.cell.problem->optimum + method.middle.back();
}

replay::NetSavings net_savings(const std::vector<replay::Summary>& cells, const std::string& method,
                               const std::string& rival) {
  std::vector<replay::MethodPair> pairs;
  for (const replay::Summary& cell : cells) pairs.push_back({&method_of(cell, method), &method_of(cell, rival)});
  return replay::net_savings(pairs);
}

const MeasuredProblem& measured_problem(const std::vector<MeasuredProblem>& problems, const std::string& name) {
  for (const MeasuredProblem& problem : problems)
    if (problem.name() == name) return problem;
  throw std::invalid_argument("there is no table of " + name);
}

OptimumCost optimum_cost(const replay::Table& table) {
  const double lowest = table.lowest_objective();
  OptimumCost result{.cost = std::numeric_limits<double>::infinity()};
  for (std::size_t row = 0; row < table.rows(); ++row)
    if (table.objective[row] == lowest) result.cost = std::min(result.cost, table.cost[row]);
  const auto cheaper =
      std::count_if(table.cost.begin(), table.cost.end(), [&](double cost) { return cost < result.cost; });
  result.share = static_cast<double>(cheaper) / static_cast<double>(table.rows());
  result.ratio = table.cost_spread();
  return result;
}

}  // namespace carbo::hpo
