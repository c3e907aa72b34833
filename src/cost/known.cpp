#include "cost/known.hpp"

#include <bit>
#include <cmath>
#include <string>

#include <carbo/error.hpp>

#include "philox.hpp"

namespace carbo::internal {
namespace {

/// 128-bit digest of a table's numbers, chained through a keyed bijection: equal tables are recognised without
/// keeping a copy of them.
void digest(std::span<const double> numbers, std::uint64_t (&state)[2]) {
  state[0] = numbers.size();
  state[1] = 0;
  for (const double number : numbers) {
    const auto block = kernels::philox(state[0] ^ std::bit_cast<std::uint64_t>(number), state[1], state[0]);
    state[0] = (static_cast<std::uint64_t>(block.word[0]) << 32) | block.word[1];
    state[1] = (static_cast<std::uint64_t>(block.word[2]) << 32) | block.word[3];
  }
}

}  // namespace

double KnownCost::log_cost(std::span<const double> numbers) const {
  const Configuration configuration = space_.configuration(numbers);
  const double cost = cost_(configuration);
  if (!std::isfinite(cost) || !(cost > 0)) {
    throw InvalidOptions("cost.known returned " + std::to_string(cost) + " for " + configuration.to_string() +
                         "; expected a finite cost above 0");
  }
  return std::log(cost);
}

std::unique_ptr<Field> KnownCost::field(const CandidateTable& table, const CandidateSet&, bool with_variance) {
  std::uint64_t state[2];
  digest(table.numbers, state);
  if (log_costs_.size() != table.rows || state[0] != table_digest_[0] || state[1] != table_digest_[1]) {
    std::vector<double> log_costs(table.rows);
    for (std::size_t row = 0; row < table.rows; ++row) log_costs[row] = log_cost(table.numbers_of(row));
    log_costs_ = std::move(log_costs);
    table_digest_[0] = state[0];
    table_digest_[1] = state[1];
  }
  const std::vector<double> variances(with_variance ? table.rows : 0, 0.0);
  return backend_.make_field(log_costs_, variances);
}

LogCost KnownCost::predict(std::span<const double>, std::span<const double> numbers) const {
  return {log_cost(numbers), 0.0};
}

}  // namespace carbo::internal
