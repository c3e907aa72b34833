#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cost/cost_model.hpp"
#include "cost/log_quantity.hpp"

namespace carbo::internal {

/// The caller's own cost. Learns nothing; always ready; no spread.
class KnownCost final : public CostModel {
 public:
  KnownCost(const Space& space, const Quantity& cost, FieldBackend& backend, std::optional<std::size_t> pool_rows)
      : log_cost_(space, cost, "cost.known", backend, pool_rows) {}

  bool ready() const override { return true; }
  std::vector<FitProblem> prepare(std::span<const CostObservation>, std::optional<bool>) override { return {}; }
  void update(std::span<const FitResult>) override {}
  std::shared_ptr<const Field> field(const CandidateTable& table, const CandidateSet&, FieldUse) override {
    return log_cost_.over(table);
  }
  std::optional<CostPosterior> posterior() const override { return std::nullopt; }
  std::vector<LogCost> predictions(std::span<const CostPoint> points, bool) const override {
    std::vector<LogCost> result;
    for (const CostPoint& point : points) result.push_back({log_cost_.at(quantity_point(point)), 0.0});
    return result;
  }
  double jitter() const override { return 0; }
  std::optional<Calibration> calibration() const override { return std::nullopt; }
  CostModelKind kind() const override { return CostModelKind::known; }
  std::vector<CostModelScore> scores() const override { return {}; }

 private:
  LogQuantity log_cost_;
};

}  // namespace carbo::internal
