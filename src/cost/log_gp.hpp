#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <carbo/space.hpp>

#include "backend/backend.hpp"
#include "cost/cost_model.hpp"
#include "gp/surrogate.hpp"
#include "gp/transform.hpp"

namespace carbo::internal {

/// Exponential of a GP on the log cost. A censored cost (a timeout at T) enters as E[γ | γ ≥ log T] under the GP
/// fitted to the complete costs; where no cost is complete, as log T itself.
class LogGpCost final : public CostModel {
 public:
  LogGpCost(const Space& space, const CostOptions& options, Backend& backend);

  bool ready() const override { return surrogate_.ready(); }
  const FitProblem* prepare(std::span<const CostObservation> observations) override;
  void update(const std::optional<FitResult>& fitted) override;
  std::unique_ptr<Field> field(const CandidateTable& table, const CandidateSet& candidates) override;
  std::optional<CostPosterior> posterior() const override { return CostPosterior{&factor(), units()}; }
  LogCost predict(std::span<const double> encoded, std::span<const double> numbers) const override;
  double jitter() const override { return ready() ? factor().jitter() : 0.0; }
  std::optional<Calibration> calibration() const override { return surrogate_.calibration(); }

 private:
  const GpFactor& factor() const { return with_timeouts_ ? *with_timeouts_ : surrogate_.factor(); }
  Affine units() const { return {units_.shift, units_.scale}; }
  std::vector<double> imputed_targets() const;

  Backend& backend_;
  Surrogate surrogate_;                      ///< of the complete costs
  Standardisation prepared_units_;           ///< of γ, in the data last prepared
  Standardisation units_;                    ///< of γ, in the factor
  bool prepared_ = false;                    ///< whether there are data to update with
  std::vector<double> timeout_points_;       ///< encoded, rows
  std::vector<double> timeout_logs_;         ///< log T
  std::unique_ptr<GpFactor> with_timeouts_;  ///< complete and imputed costs; null where no timeout is imputed
};

}  // namespace carbo::internal
