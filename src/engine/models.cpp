#include "engine/models.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace carbo::internal {
namespace {

std::vector<int> column_groups(const Space& space) {
  const auto groups = space.column_parameters();
  return {groups.begin(), groups.end()};
}

std::vector<CostObservation> cost_observations(std::span<const LearnedPoint> points, bool pool_rows_alone) {
  std::vector<CostObservation> costs;
  for (const LearnedPoint& point : points) {
    if (point.status == ObservationStatus::failed || (pool_rows_alone && !point.pool_row)) continue;
    costs.push_back(
        {{point.encoded, point.numbers, point.pool_row}, point.cost, point.status == ObservationStatus::timed_out});
  }
  return costs;
}

/// The worst success in the goal's sense; absent where nothing succeeded.
std::optional<double> worst_success(std::span<const LearnedPoint> points, double sign) {
  std::optional<double> worst;
  for (const LearnedPoint& point : points) {
    if (point.status != ObservationStatus::succeeded) continue;
    if (!worst || sign * point.objective > sign * *worst) worst = point.objective;
  }
  return worst;
}

}  // namespace

Models::Models(const Space& space, const Options& options, Backend& backend, std::optional<std::size_t> pool_rows)
    : options_(options),
      backend_(backend),
      columns_(space.encoded_columns()),
      sign_(options.goal == Goal::maximize ? -1.0 : 1.0),
      objective_(backend, options.surrogate, column_groups(space)),
      cost_(make_cost_model(space, options.cost, backend, pool_rows)) {}

void Models::limit_points(std::size_t most) {
  if (objective_.points().used > most) learned_ = 0;  // the next update is due whatever is new
  objective_.limit_points(most);
  cost_->limit_points(most);
}

void Models::update(std::span<const LearnedPoint> points, std::optional<bool> fit_due) {
  if (learned_ == points.size() && !fit_due.value_or(false)) return;
  Surrogate::Standing standing = objective_.standing();
  try {
    learn(points, fit_due);
  } catch (...) {
    objective_.stand_as(std::move(standing));
    cost_->roll_back();
    throw;
  }
}

void Models::learn(std::span<const LearnedPoint> points, std::optional<bool> fit_due) {
  learned_ = 0;  // should one of the two fail, both are brought up to date again
  const std::vector<CostObservation> costs = cost_observations(points, uses_pool_column(options_.cost));
  const FitProblem* objective_problem = nullptr;
  std::optional<TrainingData> data = objective_data(points);
  if (data) objective_problem = objective_.prepare(std::move(*data), {.due = fit_due});
  std::vector<FitProblem> problems = cost_->prepare(costs, fit_due);
  const std::size_t of_cost = problems.size();
  if (objective_problem) problems.push_back(*objective_problem);
  const std::vector<FitResult> fitted = fit(backend_, problems, options_.seed);
  if (data) objective_.update(objective_problem ? std::optional(fitted.back()) : std::nullopt);
  cost_->update({fitted.data(), of_cost});
  learned_ = points.size();
}

std::optional<TrainingData> Models::objective_data(std::span<const LearnedPoint> points) {
  const std::optional<double> worst = worst_success(points, sign_);
  if (!worst) return std::nullopt;
  TrainingData data;
  data.columns = columns_;
  std::vector<double> values;
  std::vector<bool> succeeded;
  for (const LearnedPoint& point : points) {
    const bool success = point.status == ObservationStatus::succeeded;
    if (!success && !options_.failures.penalize) continue;
    data.points.insert(data.points.end(), point.encoded.begin(), point.encoded.end());
    values.push_back(success ? point.objective : *worst);
    succeeded.push_back(success);
  }
  transform_.emplace(options_.transform, values);
  data.targets = transform_->standardised();
  for (double& target : data.targets) target *= sign_;
  incumbent_ = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (succeeded[i]) incumbent_ = std::min(incumbent_, data.targets[i]);
  }
  return data;
}

std::vector<ObjectivePrediction> Models::predict_objective(MatrixView points) const {
  std::vector<double> means(points.rows), variances(points.rows);
  objective_.factor().predict(points, means, variances);
  std::vector<ObjectivePrediction> predictions;
  for (std::size_t i = 0; i < points.rows; ++i) {
    predictions.push_back({transform_->backward(sign_ * means[i]), std::sqrt(variances[i])});
  }
  return predictions;
}

}  // namespace carbo::internal
