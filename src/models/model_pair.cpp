#include "models/model_pair.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace carbo::internal {
namespace {

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

std::vector<CostObservation> cost_observations(std::span<const LearnedPoint> points, bool pool_rows_alone) {
  std::vector<CostObservation> costs;
  for (const LearnedPoint& point : points) {
    if (point.status == ObservationStatus::failed || (pool_rows_alone && !point.pool_row)) continue;
    if (std::isnan(point.cost)) continue;
    costs.push_back(
        {{point.encoded, point.numbers, point.pool_row}, point.cost, point.status == ObservationStatus::timed_out});
  }
  return costs;
}

ModelPair::ModelPair(Backend& backend, std::vector<int> column_groups, const ModelPairOptions& options,
                     std::unique_ptr<CostModel> cost)
    : options_(options),
      columns_(column_groups.size()),
      sign_(options.goal == Goal::maximize ? -1.0 : 1.0),
      objective_(backend, options_.objective, std::move(column_groups)),
      cost_(std::move(cost)) {}

void ModelPair::limit_points(std::size_t most) {
  if (objective_.points().used > most) learned_ = 0;  // the next update is due whatever is new
  objective_.limit_points(most);
  cost_->limit_points(most);
}

bool ModelPair::wants(std::span<const LearnedPoint> points, std::optional<bool> fit_due) const {
  return learned_ != points.size() || fit_due.value_or(false);
}

void ModelPair::begin(std::span<const LearnedPoint> points, std::optional<bool> fit_due,
                      std::vector<FitProblem>& problems) {
  learned_ = 0;  // should one of the two fail, both are brought up to date again
  update_.emplace(Update{objective_.standing(), cost_observations(points, options_.pool_rows_alone), points.size()});
  const FitProblem* objective_problem = nullptr;
  if (std::optional<TrainingData> data = objective_data(points)) {
    update_->has_objective = true;
    objective_problem = objective_.prepare(std::move(*data), {.due = fit_due});
  }
  const std::vector<FitProblem> of_cost = cost_->prepare(update_->costs, fit_due);
  problems.insert(problems.end(), of_cost.begin(), of_cost.end());
  update_->fits_objective = objective_problem != nullptr;
  if (objective_problem) problems.push_back(*objective_problem);
}

void ModelPair::finish(std::span<const FitResult> fitted) {
  if (!update_) return;
  const bool fits = update_->fits_objective;
  if (update_->has_objective) objective_.update(fits ? std::optional(fitted.back()) : std::nullopt);
  cost_->update(fitted.first(fitted.size() - (fits ? 1 : 0)));
  learned_ = update_->points;
  update_.reset();
}

void ModelPair::roll_back() noexcept {
  if (!update_) return;
  objective_.stand_as(std::move(update_->before));
  cost_->roll_back();
  update_.reset();
}

std::optional<TrainingData> ModelPair::objective_data(std::span<const LearnedPoint> points) {
  const std::optional<double> worst = worst_success(points, sign_);
  if (!worst) return std::nullopt;
  TrainingData data;
  data.columns = columns_;
  std::vector<double> values;
  std::vector<bool> succeeded;
  for (const LearnedPoint& point : points) {
    const bool success = point.status == ObservationStatus::succeeded;
    if (!success && !options_.penalize_failures) continue;
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

std::vector<ObjectivePrediction> ModelPair::predict_objective(MatrixView points) const {
  std::vector<double> means(points.rows), variances(points.rows);
  objective_.factor().predict(points, means, variances);
  std::vector<ObjectivePrediction> predictions;
  for (std::size_t i = 0; i < points.rows; ++i) {
    predictions.push_back({transform_->backward(sign_ * means[i]), std::sqrt(variances[i])});
  }
  return predictions;
}

}  // namespace carbo::internal
