#include "cost/known.hpp"

#include <cmath>
#include <string>

#include <carbo/error.hpp>

namespace carbo::internal {

double KnownCost::log_cost(std::span<const double> numbers) const {
  const Configuration configuration = space_.configuration(numbers);
  const double cost = cost_(configuration);
  if (!std::isfinite(cost) || !(cost > 0)) {
    throw InvalidOptions("cost.known returned " + std::to_string(cost) + " for " + configuration.to_string() +
                         "; expected a finite cost above 0");
  }
  return std::log(cost);
}

std::unique_ptr<Field> KnownCost::field(const CandidateTable& table, const CandidateSet&) {
  if (!table_version_ || *table_version_ != table.version) {
    std::vector<double> log_costs(table.rows);
    for (std::size_t row = 0; row < table.rows; ++row) log_costs[row] = log_cost(table.numbers_of(row));
    log_costs_ = std::move(log_costs);
    table_version_ = table.version;
  }
  return backend_.make_field(log_costs_, {});
}

LogCost KnownCost::predict(std::span<const double>, std::span<const double> numbers) const {
  return {log_cost(numbers), 0.0};
}

}  // namespace carbo::internal
