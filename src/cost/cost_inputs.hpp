#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <carbo/options.hpp>

#include "backend/field_backend.hpp"
#include "cost/cost_model.hpp"
#include "cost/features.hpp"
#include "cost/log_quantity.hpp"

namespace carbo::internal {

/// What learned models know of a configuration beside its encoding: the features of the linear models and the part of
/// the cost that is known. Those of Ω̃ are evaluated once a table and kept on the backend.
class CostInputs {
 public:
  CostInputs(const Space& space, const CostOptions& options, FieldBackend& backend,
             std::optional<std::size_t> pool_rows);

  /// The caller's features, or else the numeric parameters.
  std::size_t features() const { return work_.size(); }
  bool features_given() const { return given_.has_value(); }
  /// 1 where a feature is work.
  std::span<const std::uint8_t> work() const { return work_; }
  /// Encodings are not looked at.
  void features_at(const CostPoint& point, std::span<double> out) const;
  const FeatureTable& features_of(const CandidateTable& table);

  /// Logarithm of the known part; 0 where there is none.
  double log_known_part(const CostPoint& point) const;
  /// Null where there is none. Kept until another table is asked for.
  const Field* log_known_part_of(const CandidateTable& table);

 private:
  FieldBackend& backend_;
  std::optional<FeatureSet> given_;
  std::vector<std::size_t> parameters_;  ///< numeric ones, where no features are given
  std::vector<std::uint8_t> work_;
  std::optional<LogQuantity> known_part_;
  std::unique_ptr<FeatureTable> table_;
  std::optional<std::uint64_t> version_;
};

}  // namespace carbo::internal
