#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <carbo/space.hpp>

#include "backend/backend.hpp"
#include "cost/cost_model.hpp"

namespace carbo::internal {

/// The caller's own cost function. Learns nothing; always ready; no spread.
class KnownCost final : public CostModel {
 public:
  KnownCost(const Space& space, std::function<double(const Configuration&)> cost, Backend& backend)
      : space_(space), cost_(std::move(cost)), backend_(backend) {}

  bool ready() const override { return true; }
  const FitProblem* prepare(std::span<const CostObservation>) override { return nullptr; }
  void update(const std::optional<FitResult>&) override {}
  /// Calls the cost function once a row; a table of the last one's version is not evaluated again.
  std::unique_ptr<Field> field(const CandidateTable& table, const CandidateSet& candidates) override;
  std::optional<CostPosterior> posterior() const override { return std::nullopt; }
  LogCost predict(std::span<const double> encoded, std::span<const double> numbers) const override;
  double jitter() const override { return 0; }
  std::optional<Calibration> calibration() const override { return std::nullopt; }

 private:
  /// Throws InvalidOptions naming configuration and value where the cost is not finite and above 0.
  double log_cost(std::span<const double> numbers) const;

  Space space_;
  std::function<double(const Configuration&)> cost_;
  Backend& backend_;
  std::vector<double> log_costs_;  ///< of the last table
  std::optional<std::uint64_t> table_version_;
};

}  // namespace carbo::internal
