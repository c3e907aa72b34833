#include "cost/log_gp.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <carbo/error.hpp>

#include "cost/truncated_normal.hpp"

namespace carbo::internal {
namespace {

double checked_log(double cost) {
  if (!std::isfinite(cost) || !(cost > 0)) {
    throw InvalidObservation("an observed cost is " + std::to_string(cost) + "; expected a finite value above 0");
  }
  return std::log(cost);
}

}  // namespace

LogGpCost::LogGpCost(const Space& space, const CostOptions& options, Backend& backend)
    : backend_(backend),
      surrogate_(backend, options.surrogate, {space.column_parameters().begin(), space.column_parameters().end()},
                 "cost.surrogate") {}

const FitProblem* LogGpCost::prepare(std::span<const CostObservation> observations) {
  prepared_ = !observations.empty();
  if (!prepared_) return nullptr;
  const bool all_censored =
      std::all_of(observations.begin(), observations.end(), [](const auto& one) { return one.censored; });
  TrainingData complete;
  std::vector<double> timeout_points, timeout_logs;
  for (const CostObservation& one : observations) {
    const bool impute = one.censored && !all_censored;
    auto& points = impute ? timeout_points : complete.points;
    points.insert(points.end(), one.encoded.begin(), one.encoded.end());
    (impute ? timeout_logs : complete.targets).push_back(checked_log(one.cost));
    complete.columns = one.encoded.size();
  }
  prepared_units_ = standardisation(complete.targets);
  for (double& target : complete.targets) target = standardise(target, prepared_units_);
  timeout_points_ = std::move(timeout_points);
  timeout_logs_ = std::move(timeout_logs);
  return surrogate_.prepare(std::move(complete));
}

std::vector<double> LogGpCost::imputed_targets() const {
  const GpFactor& complete = surrogate_.factor();
  const std::size_t count = timeout_logs_.size();
  std::vector<double> means(count), variances(count);
  complete.predict({timeout_points_.data(), count, timeout_points_.size() / count}, means, variances);
  std::vector<double> targets(count);
  for (std::size_t i = 0; i < count; ++i) {
    targets[i] = mean_above(means[i], variances[i] + complete.parameters().noise_variance,
                            standardise(timeout_logs_[i], units_));
  }
  return targets;
}

void LogGpCost::update(const std::optional<FitResult>& fitted) {
  if (!prepared_) return;
  surrogate_.update(fitted);
  units_ = prepared_units_;
  with_timeouts_.reset();
  if (timeout_logs_.empty()) return;
  TrainingData all = surrogate_.data();
  const std::vector<double> imputed = imputed_targets();
  all.points.insert(all.points.end(), timeout_points_.begin(), timeout_points_.end());
  all.targets.insert(all.targets.end(), imputed.begin(), imputed.end());
  const GpParameters parameters = surrogate_.factor().parameters();
  with_timeouts_ = std::move(backend_.factor(all.view(), all.targets, {&parameters, 1}).front());
}

std::unique_ptr<Field> LogGpCost::field(const CandidateTable&, const CandidateSet& candidates) {
  return backend_.sweep(factor(), candidates, false, units());
}

LogCost LogGpCost::predict(std::span<const double> encoded, std::span<const double>) const {
  double mean = 0, variance = 0;
  factor().predict({encoded.data(), 1, encoded.size()}, {&mean, 1}, {&variance, 1});
  return {units_.shift + units_.scale * mean, units_.scale * units_.scale * variance};
}

}  // namespace carbo::internal
