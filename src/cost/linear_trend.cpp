#include "cost/linear_trend.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cost/robust_scale.hpp"
#include "cost/student.hpp"
#include "gp/fit.hpp"
#include "linear_cost.hpp"

namespace carbo::internal {
namespace {

/// Stands for the residual of a cost of which all others say nothing: a factor of 22,000.
constexpr double residual_of_the_unknown = 10.0;

/// Of the log costs from the mean of all others.
std::vector<double> residuals_of_a_constant(std::span<const double> log_costs) {
  const double count = static_cast<double>(log_costs.size());
  const double mean = std::accumulate(log_costs.begin(), log_costs.end(), 0.0) / count;
  std::vector<double> residuals;
  for (const double one : log_costs) {
    residuals.push_back(count > 1 ? (one - mean) * count / (count - 1) : residual_of_the_unknown);
  }
  return residuals;
}

}  // namespace

LinearTrend::LinearTrend(CostInputs& inputs, std::span<const CostObservation> observations,
                         std::span<const double> log_known_parts, CostError error)
    : inputs_(&inputs), error_(error) {
  const std::size_t features = inputs.features();
  std::vector<double> values(observations.size() * features), costs;
  std::vector<std::uint8_t> censored;
  for (std::size_t i = 0; i < observations.size(); ++i) {
    const CostObservation& one = observations[i];
    inputs.features_at(one.point, {values.data() + i * features, features});
    costs.push_back(one.cost * std::exp(-log_known_parts[i]));
    censored.push_back(one.censored ? 1 : 0);
  }
  LinearFitOptions options;
  options.error = error;
  options.work = inputs.work();
  fit_ = fit_linear({{values.data(), observations.size(), features}, costs, censored}, options);
  for (std::size_t i = 0; i < observations.size(); ++i) {
    const double sum = sum_of({values.data() + i * features, features});
    fitted_.push_back(kernels::log_linear_cost(sum, fit_.knee).value);
  }
  check_left_out(costs, censored);
}

double LinearTrend::sum_of(std::span<const double> features) const {
  return std::inner_product(features.begin(), features.end(), fit_.coefficients.begin(), fit_.intercept);
}

void LinearTrend::check_left_out(std::span<const double> costs, std::span<const std::uint8_t> censored) {
  std::vector<double> log_costs;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (censored[i] != 0) continue;
    const double log_cost = std::log(costs[i]);
    const double residual = fit_.left_out[i];
    const bool relative = error_ == CostError::relative;
    log_costs.push_back(log_cost);
    if (!std::isfinite(residual)) {
      left_out_.push_back(residual_of_the_unknown);
      log_densities_.push_back(student_log_density(residual_of_the_unknown, 1.0));
      continue;
    }
    left_out_.push_back(relative ? residual
                                 : log_cost - kernels::log_linear_cost(costs[i] - residual, fit_.knee).value);
    // A density over costs becomes one over their logarithms by dc/dγ = c.
    log_densities_.push_back(student_log_density(residual, fit_.spread) + (relative ? 0.0 : log_cost));
  }
  explains_ = !left_out_.empty() && robust_scale(left_out_) < robust_scale(residuals_of_a_constant(log_costs));
}

LogCost LinearTrend::predict(const CostPoint& point) const {
  const std::size_t features = inputs_->features();
  std::vector<double> values(features + 1, 1.0);
  inputs_->features_at(point, {values.data(), features});
  double explained = 0;
  for (std::size_t f = 0; f <= features; ++f) {
    for (std::size_t g = 0; g <= features; ++g) {
      explained += values[f] * fit_.covariance[f * (features + 1) + g] * values[g];
    }
  }
  const kernels::LogLinearCost cost = kernels::log_linear_cost(sum_of({values.data(), features}), fit_.knee);
  return {cost.value,
          kernels::log_linear_variance(cost, std::max(explained, 0.0), fit_.spread, error_ == CostError::relative)};
}

std::unique_ptr<Field> LinearTrend::field(Backend& backend, const CandidateTable& table, bool with_variance) const {
  LinearTerm term;
  term.coefficients = fit_.coefficients;
  term.intercept = fit_.intercept;
  term.knee = fit_.knee;
  if (with_variance) term.covariance = fit_.covariance;
  term.spread = fit_.spread;
  term.error = error_;
  return backend.linear_field(inputs_->features_of(table), term, inputs_->log_known_part_of(table));
}

Calibration LinearTrend::calibration() const {
  const double scale = std::max(robust_scale(left_out_), 1e-300);
  LeaveOneOut standardised;
  std::vector<double> targets;
  for (const double residual : left_out_) {
    standardised.mean.push_back(0.0);
    standardised.variance.push_back(1.0);
    targets.push_back(residual / scale);
  }
  return internal::calibration(standardised, targets);
}

}  // namespace carbo::internal
