#include "models/model_pair.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "gp/normal.hpp"

namespace carbo::internal {
namespace {

Successes successes_of(std::span<const LearnedPoint> points, std::size_t columns) {
  Successes successes;
  successes.columns = columns;
  for (const LearnedPoint& point : points) {
    if (point.status != ObservationStatus::succeeded) continue;
    successes.points.insert(successes.points.end(), point.encoded.begin(), point.encoded.end());
    successes.values.push_back(point.objective);
  }
  return successes;
}

/// Of the objective at `best`, for one standardised unit.
double units_at(double best, const TargetTransform& transform) {
  return std::clamp(std::exp(-transform.log_slope(best)), std::numeric_limits<double>::min(),
                    std::numeric_limits<double>::max());
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
    : backend_(backend),
      options_(options),
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

Transform ModelPair::wanted_transform() const {
  return options_.transform == Transform::automatic ? choice_.kind : options_.transform;
}

std::optional<Transform> ModelPair::transform() const {
  return transform_ ? std::optional(transform_->kind()) : std::nullopt;
}

/// Where the caller says when to fit, a choice is made then.
bool ModelPair::choice_is_wanted(const Successes& successes, std::optional<bool> fit_due) const {
  if (options_.transform != Transform::automatic) return false;
  if (!fit_due) return choice_is_due(choice_, successes, sign_);
  return (*fit_due || !objective_ready()) && choice_is_possible(successes, sign_);
}

void ModelPair::open(std::span<const LearnedPoint> points, std::optional<bool> fit_due,
                     std::vector<FitProblem>& problems) {
  learned_ = 0;  // should one of the two fail, both are brought up to date again
  update_.emplace(Update{objective_.standing(), choice_, cost_observations(points, options_.pool_rows_alone),
                         points.size(), FitWish{.due = fit_due}, fit_due});
  if (options_.transform != Transform::automatic) return;
  const Successes successes = successes_of(points, columns_);
  if (!choice_is_wanted(successes, fit_due)) return;
  update_->competition = std::make_unique<TransformCompetition>(successes, sign_, objective_.problem());
  const std::vector<FitProblem> wanted = update_->competition->problems();
  problems.insert(problems.end(), wanted.begin(), wanted.end());
}

void ModelPair::choose(std::span<const FitResult> fitted) {
  if (!update_ || !update_->competition) return;
  TransformCompetition::Decision decision = update_->competition->decide(backend_, choice_, fitted);
  update_->competition.reset();
  if (decision.choice.kind != choice_.kind) {
    update_->objective_wish.due = true;
    update_->objective_wish.start = std::move(decision.fitted);
  }
  choice_ = std::move(decision.choice);
}

void ModelPair::begin(std::span<const LearnedPoint> points, std::vector<FitProblem>& problems) {
  if (!update_) return;
  const FitProblem* objective_problem = nullptr;
  update_->objective = objective_of(points);
  if (update_->objective)
    objective_problem = objective_.prepare(std::move(update_->objective->data), std::move(update_->objective_wish));
  const std::vector<FitProblem> of_cost = cost_->prepare(update_->costs, update_->cost_due);
  problems.insert(problems.end(), of_cost.begin(), of_cost.end());
  update_->fits_objective = objective_problem != nullptr;
  if (objective_problem) problems.push_back(*objective_problem);
}

void ModelPair::finish(std::span<const FitResult> fitted) {
  if (!update_) return;
  const bool fits = update_->fits_objective;
  if (update_->objective) objective_.update(fits ? std::optional(fitted.back()) : std::nullopt);
  cost_->update(fitted.first(fitted.size() - (fits ? 1 : 0)));
  if (update_->objective) {
    incumbent_ = update_->objective->incumbent;
    objective_scale_ = update_->objective->scale;
    transform_ = std::move(update_->objective->transform);
  }
  learned_ = update_->points;
  update_.reset();
}

void ModelPair::roll_back() noexcept {
  if (!update_) return;
  objective_.stand_as(std::move(update_->before));
  choice_ = std::move(update_->choice_before);
  cost_->roll_back();
  update_.reset();
}

std::optional<ModelPair::Objective> ModelPair::objective_of(std::span<const LearnedPoint> points) const {
  const Successes successes = successes_of(points, columns_);
  if (successes.values.empty()) return std::nullopt;
  const auto worse = [&](double a, double b) { return sign_ * a < sign_ * b; };
  const auto [best, worst] = std::minmax_element(successes.values.begin(), successes.values.end(), worse);
  TrainingData data;
  data.columns = columns_;
  std::vector<double> values;
  for (const LearnedPoint& point : points) {
    const bool success = point.status == ObservationStatus::succeeded;
    if (!success && !options_.penalize_failures) continue;
    data.points.insert(data.points.end(), point.encoded.begin(), point.encoded.end());
    values.push_back(success ? point.objective : *worst);
  }
  const Transform kind = wanted_transform();
  // A failure has a rank, but nothing else is made of it.
  TargetTransform transform(kind, values, kind == Transform::rank ? values : successes.values, sign_);
  data.targets = transform.standardised();
  for (double& target : data.targets) target *= sign_;
  // No failure is better than the worst success.
  const double incumbent = *std::min_element(data.targets.begin(), data.targets.end());
  const double scale = options_.transform == Transform::automatic ? units_at(*best, transform) : transform.scale();
  return Objective{std::move(data), std::move(transform), incumbent, scale};
}

double ModelPair::objective_slope() const {
  return transform_ ? std::exp(-transform_->log_slope(transform_->backward(sign_ * incumbent_))) : 0.0;
}

std::vector<ObjectivePrediction> ModelPair::predict_objective(MatrixView points, double coverage) const {
  const double reach = normal_quantile(0.5 + 0.5 * coverage);
  std::vector<double> means(points.rows), variances(points.rows);
  objective_.factor().predict(points, means, variances);
  std::vector<ObjectivePrediction> predictions;
  for (std::size_t i = 0; i < points.rows; ++i) {
    ObjectivePrediction& own = predictions.emplace_back();
    own.standardised_mean = means[i];
    own.standardised_deviation = std::sqrt(variances[i]);
    own.median = transform_->backward(sign_ * means[i]);
    own.lower = transform_->backward(sign_ * means[i] - reach * own.standardised_deviation);
    own.upper = transform_->backward(sign_ * means[i] + reach * own.standardised_deviation);
    if (transform_->linear()) own.standard_deviation = transform_->scale() * own.standardised_deviation;
  }
  return predictions;
}

ModelPair::Interval ModelPair::measured_interval(const ObjectivePrediction& prediction, double coverage) const {
  constexpr double largest = std::numeric_limits<double>::max();
  const double noise = fitted_objective().hyperparameters.noise_variance;
  const double deviation = std::sqrt(prediction.standardised_deviation * prediction.standardised_deviation + noise);
  const double reach = normal_quantile(0.5 + 0.5 * coverage) * deviation;
  const double centre = sign_ * prediction.standardised_mean;
  return {std::clamp(transform_->backward(centre - reach), -largest, largest),
          std::clamp(transform_->backward(centre + reach), -largest, largest)};
}

FittedModel ModelPair::fitted_objective() const {
  return objective_.fitted({transform_->shift(), transform_->scale()});
}

}  // namespace carbo::internal
