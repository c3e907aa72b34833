#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <carbo/cost.hpp>

#include "backend/field_backend.hpp"
#include "cost/cost_model.hpp"
#include "cost/features.hpp"
#include "space/candidates.hpp"

namespace carbo::internal {

inline QuantityPoint quantity_point(const CostPoint& point) { return {point.numbers, point.pool_row}; }

/// Logarithm of a quantity that is above 0. Over a table it is evaluated once and kept on the backend.
class LogQuantity {
 public:
  /// Throws as BoundQuantity does.
  LogQuantity(const Space& space, const Quantity& quantity, const std::string& field, FieldBackend& backend,
              std::optional<std::size_t> pool_rows);

  /// Throws InvalidOptions naming configuration and value where it is not finite and above 0.
  double at(const QuantityPoint& point) const;
  /// At every row that may be picked; a table of the last one's version is not evaluated again.
  std::shared_ptr<const Field> over(const CandidateTable& table);

 private:
  BoundQuantity quantity_;
  FieldBackend& backend_;
  std::shared_ptr<const Field> field_;
  std::optional<std::uint64_t> version_;
};

}  // namespace carbo::internal
