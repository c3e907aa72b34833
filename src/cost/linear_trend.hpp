#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <carbo/diagnostics.hpp>

#include "cost/cost_inputs.hpp"
#include "cost/cost_model.hpp"
#include "cost/cost_state.hpp"
#include "cost/linear_fit.hpp"

namespace carbo::internal {

/// A linear model of the cost over its known part, fitted to observations; never changes. A constant where the
/// features are beyond what numbers can fit.
class LinearTrend {
 public:
  /// At least one observation, and the logarithm of the known part of each.
  LinearTrend(CostInputs& inputs, std::span<const CostObservation> observations,
              std::span<const double> log_known_parts, CostError error);
  /// One that predicts as the one did whose state it is; what belongs to observations it does not have. Throws
  /// InvalidState where the state does not fit the inputs.
  LinearTrend(CostInputs& inputs, CostError error, const LinearTrendState& state);
  LinearTrendState state() const;

  /// γ without the known part.
  LogCost predict(const CostPoint& point) const;
  /// γ over all candidates, known part included.
  std::unique_ptr<Field> field(FieldBackend& backend, const CandidateTable& table, bool with_variance) const;

  /// Fitted γ of each observation, without the known part.
  std::span<const double> fitted() const { return fitted_; }
  /// Log density of each complete log cost under a Student-t distribution round the same prediction.
  std::span<const double> log_densities() const { return log_densities_; }
  /// Whether predictions of left-out costs err less than those of a constant.
  bool explains() const { return explains_; }
  Calibration calibration() const;

 private:
  /// φᵀCφ of features with their 1; see log_linear_variance.
  double explained_by(std::span<const double> values) const;
  double sum_of(std::span<const double> features) const;
  void check_left_out(std::span<const double> costs, std::span<const std::uint8_t> censored);

  CostInputs* inputs_;
  CostError error_;
  LinearFit fit_;
  std::vector<double> fitted_, log_densities_;
  std::vector<double> left_out_;  ///< how far each complete log cost lies from what the fit to all others says of it
  bool explains_ = false;
  std::optional<Calibration> calibration_;  ///< of a restored one
};

}  // namespace carbo::internal
