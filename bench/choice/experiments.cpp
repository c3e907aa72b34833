#include "bench/choice/experiments.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace carbo::choice {

std::vector<Measured> measure(replay::Laboratory& laboratory, const std::string& title, const std::string& store,
                              const std::vector<replay::Problem>& problems, const Plan& plan,
                              const std::vector<replay::Method>& methods) {
  std::vector<replay::Cell> cells;
  std::vector<std::size_t> mean_costs;
  for (const std::size_t batch : plan.batches)
    for (const replay::Problem& problem : problems)
      for (const std::size_t budget : plan.budgets) {
        cells.push_back({.problem = &problem,
                         .batch = batch,
                         .budget = static_cast<double>(budget) * problem.mean_cost,
                         .seeds = plan.seeds});
        mean_costs.push_back(budget);
      }
  std::vector<Measured> measured;
  for (replay::Summary& summary : laboratory.make(title, store, cells, methods))
    measured.push_back({std::move(summary), mean_costs[measured.size()]});
  return measured;
}

Variant at_total_cost(Variant variant) {
  variant.name += "_total";
  variant.title += ", costs added up";
  variant.accounting = Accounting::sum;
  return variant;
}

std::vector<Measured> beside_sequence(const std::vector<Measured>& batches, const std::vector<Measured>& sequence) {
  std::vector<Measured> result;
  for (Measured cell : batches) {
    const auto found = std::find_if(sequence.begin(), sequence.end(), [&](const Measured& other) {
      return other.problem() == cell.problem() && other.mean_costs == cell.mean_costs &&
             other.summary.cell.batch == 1;
    });
    if (found == sequence.end())
      throw std::invalid_argument(cell.problem() + " was not run in sequence with " +
                                  std::to_string(cell.mean_costs) + " mean costs");
    for (const replay::MethodSummary& method : found->summary.methods) cell.summary.methods.push_back(method);
    result.push_back(std::move(cell));
  }
  return result;
}

}  // namespace carbo::choice
