#include "cost/cost_inputs.hpp"

namespace carbo::internal {
namespace {

bool numeric(ParameterKind kind) {
  return kind == ParameterKind::real || kind == ParameterKind::integer || kind == ParameterKind::discrete;
}

}  // namespace

CostInputs::CostInputs(const Space& space, const CostOptions& options, FieldBackend& backend,
                       std::optional<std::size_t> pool_rows)
    : backend_(backend) {
  if (options.known_part) known_part_.emplace(space, *options.known_part, "cost.known_part", backend, pool_rows);
  if (!options.features.empty()) {
    given_.emplace(space, options.features, pool_rows);
    work_.assign(given_->work().begin(), given_->work().end());
    return;
  }
  for (std::size_t p = 0; p < space.parameters().size(); ++p) {
    if (numeric(space.parameters()[p].kind())) parameters_.push_back(p);
  }
  work_.assign(parameters_.size(), 0);
}

void CostInputs::features_at(const CostPoint& point, std::span<double> out) const {
  if (given_) return given_->evaluate(quantity_point(point), out);
  for (std::size_t f = 0; f < parameters_.size(); ++f) out[f] = point.numbers[parameters_[f]];
}

const FeatureTable& CostInputs::features_of(const CandidateTable& table) {
  if (!version_ || *version_ != table.version) {
    version_.reset();
    table_.reset();
    std::vector<double> values(table.rows * features());
    for (std::size_t row = 0; row < table.rows; ++row) {
      if (!table.may_be_picked(row)) continue;
      features_at({{}, table.numbers_of(row), table.pool_row(row)}, {values.data() + row * features(), features()});
    }
    table_ = backend_.make_features({values.data(), table.rows, features()});
    version_ = table.version;
  }
  return *table_;
}

double CostInputs::log_known_part(const CostPoint& point) const {
  return known_part_ ? known_part_->at(quantity_point(point)) : 0.0;
}

const Field* CostInputs::log_known_part_of(const CandidateTable& table) {
  return known_part_ ? known_part_->over(table).get() : nullptr;
}

}  // namespace carbo::internal
