#include "cost/log_quantity.hpp"

#include <cmath>
#include <vector>

namespace carbo::internal {

LogQuantity::LogQuantity(const Space& space, const Quantity& quantity, const std::string& field,
                         FieldBackend& backend, std::optional<std::size_t> pool_rows)
    : quantity_(space, quantity, field, pool_rows), backend_(backend) {}

double LogQuantity::at(const QuantityPoint& point) const {
  const double value = quantity_.at(point);
  if (!(value > 0)) quantity_.refuse(value, point, "a finite number above 0");
  return std::log(value);
}

std::shared_ptr<const Field> LogQuantity::over(const CandidateTable& table) {
  if (!version_ || *version_ != table.version) {
    std::vector<double> logs(table.rows);
    for (std::size_t row = 0; row < table.rows; ++row) {
      if (table.may_be_picked(row)) logs[row] = at({table.numbers_of(row), table.pool_row(row)});
    }
    version_.reset();
    field_ = backend_.make_field(logs, {});
    version_ = table.version;
  }
  return field_;
}

}  // namespace carbo::internal
