#include "cost/linear_trend.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <carbo/error.hpp>

#include "cost/robust_scale.hpp"
#include "cost/student.hpp"
#include "formulas/linear_cost.hpp"
#include "gp/fit.hpp"

namespace carbo::internal {
namespace {

/// Stands for the residual of a cost of which all others say nothing: a factor of 22,000.
constexpr double residual_of_the_unknown = 10.0;

/// Costs are fitted within these bounds and this factor of their median. Whatever lies further out is as much of an
/// outlier there, and squares and ratios stay finite.
constexpr double smallest_cost = 1e-100;
constexpr double largest_cost = 1e100;
constexpr double furthest_from_median = 1e40;

void draw_in(std::vector<double>& costs) {
  for (double& cost : costs) cost = std::clamp(cost, smallest_cost, largest_cost);
  std::vector<double> sorted = costs;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  for (double& cost : costs) {
    cost = std::clamp(cost, *middle / furthest_from_median, *middle * furthest_from_median);
  }
}

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
  draw_in(costs);
  LinearFitOptions options;
  options.error = error;
  options.work = inputs.work();
  const LinearData data{{values.data(), observations.size(), features}, costs, censored};
  try {
    fit_ = fit_linear(data, options);
  } catch (const NumericalError&) {  // features that no linear model can use: a constant, then
    std::fill(values.begin(), values.end(), 0.0);
    fit_ = fit_linear(data, options);
  }
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

double LinearTrend::explained_by(std::span<const double> values) const {
  double explained = 0;
  for (std::size_t f = 0; f < values.size(); ++f) {
    for (std::size_t g = 0; g < values.size(); ++g) {
      explained += values[f] * fit_.covariance[f * values.size() + g] * values[g];
    }
  }
  return std::max(explained, 0.0);
}

LogCost LinearTrend::predict(const CostPoint& point) const {
  const std::size_t features = inputs_->features();
  std::vector<double> values(features + 1, 1.0);
  inputs_->features_at(point, {values.data(), features});
  const bool relative = error_ == CostError::relative;
  kernels::LogLinearCost cost = kernels::log_linear_cost(sum_of({values.data(), features}), fit_.knee);
  double variance = kernels::log_linear_variance(cost, explained_by(values), fit_.spread, relative);
  if (!std::isfinite(variance)) {  // squares overflowed: once more in units of the largest feature
    const double largest = std::abs(*std::ranges::max_element(values, {}, [](double v) { return std::abs(v); }));
    for (double& value : values) value /= largest;
    cost.slope *= largest;
    variance = relative ? kernels::log_linear_variance(cost, explained_by(values), fit_.spread, relative)
                        : std::numeric_limits<double>::max();
  }
  return {cost.value, std::min(variance, std::numeric_limits<double>::max())};
}

std::unique_ptr<Field> LinearTrend::field(FieldBackend& backend, const CandidateTable& table,
                                          bool with_variance) const {
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
  if (calibration_) return *calibration_;
  const double scale = std::max(robust_scale(left_out_), smallest_scale);
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
