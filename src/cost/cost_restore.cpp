#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "cost/learned_cost.hpp"
#include "support/state_checks.hpp"

namespace carbo::internal {

LinearTrendState LinearTrend::state() const {
  return {fit_.coefficients, fit_.intercept, fit_.knee, fit_.spread, fit_.covariance, calibration()};
}

LinearTrend::LinearTrend(CostInputs& inputs, CostError error, const LinearTrendState& state)
    : inputs_(&inputs), error_(error), calibration_(state.calibration) {
  const std::size_t terms = inputs.features() + 1;
  check_state(state.coefficients.size() + 1 == terms, "trend: expected a coefficient for each feature");
  check_state(state.covariance.size() == terms * terms, "trend: expected a covariance of coefficients and intercept");
  check_state(all_finite(state.coefficients) && all_finite(state.covariance) && std::isfinite(state.intercept),
              "trend: expected finite coefficients");
  check_state(std::isfinite(state.knee) && state.knee > 0 && std::isfinite(state.spread) && state.spread > 0,
              "trend: expected a finite knee and a finite spread above 0");
  fit_.coefficients = state.coefficients;
  fit_.intercept = state.intercept;
  fit_.knee = state.knee;
  fit_.spread = state.spread;
  fit_.covariance = state.covariance;
}

ResidualGpState ResidualGp::state() const {
  ResidualGpState state;
  state.observations = costs_.all_offsets.size();
  if (std::ranges::any_of(costs_.all_offsets, [](double one) { return one != 0; }))
    state.offsets = costs_.all_offsets;
  state.units = units_;
  for (const Limits& one : limits_) {
    state.lowest.push_back(one.lowest);
    state.highest.push_back(one.highest);
  }
  const std::vector<double>& targets = surrogate_.data().targets;
  if (!limits_.empty() && targets.size() == costs_.residuals.size()) state.targets = targets;
  state.imputed = with_timeouts_ != nullptr;
  state.surrogate = surrogate_.state();
  return state;
}

void ResidualGp::restore(std::span<const CostObservation> observations, const ResidualGpState& state) {
  if (state.observations == 0) return;
  check_state(state.observations <= observations.size(),
              "observations is above the number of costs that were learned");
  check_state(state.offsets.empty() || (state.offsets.size() == state.observations && all_finite(state.offsets)),
              "expected a finite offset for each observation");
  std::vector<double> offsets = state.offsets;
  offsets.resize(state.observations, 0.0);
  Costs costs = split(observations.first(state.observations), offsets);
  const std::size_t complete = costs.residuals.size(), limited = robust_ ? complete : 0;
  check_state(state.lowest.size() == limited && state.highest.size() == limited,
              "expected limits for each complete cost where cost.robust is set, and none where it is not");
  check_state(state.targets.empty() || state.targets.size() == limited, "expected as many targets as limits");
  constexpr double unlimited = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < limited; ++i) {
    const double lowest = state.lowest[i], highest = state.highest[i];
    check_state(lowest <= highest && lowest < unlimited && highest > -unlimited,
                "expected limits of which the lowest is not above the highest, with a number between them");
    limits_.push_back({lowest, highest});
  }
  check_state(all_finite(state.targets), "expected finite targets");
  costs_ = std::move(costs);
  TrainingData data = training_data();
  if (!state.targets.empty()) data.targets = state.targets;
  units_ = state.units;
  surrogate_.restore(std::move(data), state.surrogate);
  if (!state.imputed) return;
  check_state(surrogate_.ready() && !costs_.timeout_residuals.empty(), "imputed: there is no factor, or no timeout");
  impute_timeouts();
}

CostModelState LearnedCost::state() const {
  CostModelState state;
  state.learned = learned_;
  state.kind = kind_;
  state.chosen = chosen_;
  state.observations = observations_;
  state.scores = scores_;
  if (trend_) state.trend = trend_->state();
  if (log_gp_) state.log_gp = log_gp_->gp.state();
  if (residual_gp_) state.residual_gp = residual_gp_->gp.state();
  return state;
}

void LearnedCost::restore(std::span<const CostObservation> observations, const CostModelState& state) {
  check_state(
      state.log_gp.has_value() == log_gp_.has_value() && state.residual_gp.has_value() == residual_gp_.has_value(),
      "expected the models that compete under cost.model and cost.features, and no others");
  check_state(state.observations <= observations.size(),
              "observations is above the number of costs that were learned");
  if (state.trend) {
    check_state(wish_ != CostModelKind::log_gp && inputs_.features() > 0, "trend: there are no features for one");
    trend_.emplace(inputs_, error_, *state.trend);
  }
  if (log_gp_) log_gp_->gp.restore(observations, *state.log_gp);
  if (residual_gp_) residual_gp_->gp.restore(observations, *state.residual_gp);
  const bool gp = state.kind == CostModelKind::log_gp && log_gp_;
  const bool linear =
      state.kind == CostModelKind::linear && (wish_ == state.kind || wish_ == CostModelKind::automatic);
  const bool both = state.kind == CostModelKind::linear_mean_gp && residual_gp_;
  check_state(gp || linear || both, "kind is none of the models that compete");
  const bool ready = gp ? log_gp_->gp.ready() : trend_.has_value() && (linear || residual_gp_->gp.ready());
  kind_ = state.kind;
  chosen_ = state.chosen;
  learned_ = state.learned && ready;  // after an update that failed there may be no factor
  observations_ = state.observations;
  scores_ = state.scores;
}

}  // namespace carbo::internal
