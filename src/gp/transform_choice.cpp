#include "gp/transform_choice.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <carbo/error.hpp>

#include "gp/copies.hpp"
#include "gp/evidence.hpp"
#include "gp/row_choice.hpp"

namespace carbo::internal {
namespace {

constexpr Transform rival_kinds[] = {Transform::none, Transform::shifted_log, Transform::power, Transform::half_rank};
constexpr std::size_t fewest_values = 3;
constexpr std::size_t most_rows = 256;
constexpr double growth_to_choose = 1.25;
constexpr double change_of_scale_to_choose = 2.0;

std::vector<double> times(double sign, std::span<const double> values) {
  std::vector<double> result(values.begin(), values.end());
  for (double& value : result) value *= sign;
  return result;
}

/// The worst value of the better half, in the caller's units.
double median_of(std::span<const double> values, double sign) { return sign * lower_median(times(sign, values)); }

/// Parameters that a transform fits besides shift and scale: one nat each in all, as Akaike's criterion has it.
double flattery(Transform kind) { return kind == Transform::none ? 0.0 : 1.0; }

}  // namespace

bool choice_is_possible(const Successes& successes, double sign) {
  if (successes.values.size() < fewest_values) return false;
  const std::vector<double> lower_is_better = times(sign, successes.values);
  return *std::min_element(lower_is_better.begin(), lower_is_better.end()) < lower_median(lower_is_better);
}

bool choice_is_due(const TransformChoice& last, const Successes& successes, double sign) {
  if (!choice_is_possible(successes, sign)) return false;
  const std::size_t count = successes.values.size();
  if (last.chosen_at == 0 || count < last.chosen_at ||
      static_cast<double>(count) >= growth_to_choose * static_cast<double>(last.chosen_at))
    return true;
  const double change = TargetTransform(last.kind, successes.values, sign).scale() / last.scale;
  return !(change < change_of_scale_to_choose && change > 1.0 / change_of_scale_to_choose);
}

std::vector<double> half_log_scores(const TargetTransform& transform, std::span<const double> values, double sign,
                                    double median, const LeaveOneOut& predicted) {
  const double threshold = sign * transform.forward(median);
  std::vector<double> scores;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double mean = predicted.mean[i], variance = predicted.variance[i];
    if (sign * values[i] > sign * median)
      scores.push_back(log_normal_probability((mean - threshold) / std::sqrt(variance)));
    else
      scores.push_back(log_normal_density(sign * transform.forward(values[i]) - mean, variance) +
                       transform.log_slope(values[i]));
  }
  return scores;
}

TransformCompetition::TransformCompetition(const Successes& successes, double sign, const FitProblem& model)
    : sign_(sign),
      median_(median_of(successes.values, sign)),
      count_(successes.values.size()),
      options_(*model.options),
      model_(model) {
  // One start, the same for all: what was fitted to one of them before would be an advantage to it.
  options_.restarts = 1;
  model_.options = &options_;
  model_.warm_start.reset();
  model_.all = nullptr;
  std::vector<std::size_t> taken = random_rows(count_, std::min(count_, most_rows), 0);
  TrainingData data;
  data.columns = successes.columns;
  for (const std::size_t row : taken) {
    const auto point = successes.points.begin() + static_cast<std::ptrdiff_t>(row * successes.columns);
    data.points.insert(data.points.end(), point, point + static_cast<std::ptrdiff_t>(successes.columns));
    values_.push_back(successes.values[row]);
  }
  for (const Transform kind : rival_kinds) {
    TargetTransform transform(kind, successes.values, sign);
    data.targets.clear();
    for (const std::size_t row : taken) data.targets.push_back(sign * transform.standardised()[row]);
    MergedCopies merged = merge_copies(data);
    rivals_.push_back({std::move(transform), data.targets, std::move(merged.rows), std::move(merged.row_of)});
  }
}

std::vector<FitProblem> TransformCompetition::problems() const {
  std::vector<FitProblem> problems;
  if (options_.fixed) return problems;
  for (const Rival& rival : rivals_) {
    problems.push_back(model_);
    problems.back().data = &rival.rows;
  }
  return problems;
}

std::optional<std::vector<double>> TransformCompetition::log_scores(GpBackend& backend, const Rival& rival,
                                                                    const Hyperparameters& hyperparameters) const {
  const TrainingData& rows = rival.rows;
  LeaveOneOut left_out;
  try {
    const GpParameters parameters = expand(backend, hyperparameters, rows, model_.column_groups);
    const auto factors = backend.factor(rows.view(), rows.targets, {&parameters, 1}, rows.counts);
    left_out = left_out_observations(factors.front()->leave_one_out(), rows, rival.row_of, rival.targets, parameters);
  } catch (const NumericalError&) {
    return std::nullopt;
  }
  std::vector<double> scores = half_log_scores(rival.transform, values_, sign_, median_, left_out);
  for (double& score : scores) {
    score -= flattery(rival.transform.kind()) / static_cast<double>(scores.size());
    if (!std::isfinite(score)) return std::nullopt;
  }
  return scores;
}

TransformCompetition::Decision TransformCompetition::decide(GpBackend& backend, const TransformChoice& last,
                                                            std::span<const FitResult> fitted) const {
  std::vector<std::vector<double>> scores;
  std::vector<std::size_t> of_rival;
  std::optional<std::size_t> holder;
  for (std::size_t i = 0; i < rivals_.size(); ++i) {
    const Hyperparameters& wanted = options_.fixed ? *options_.fixed : fitted[i].hyperparameters;
    std::optional<std::vector<double>> own = log_scores(backend, rivals_[i], wanted);
    if (!own) continue;
    if (rivals_[i].transform.kind() == last.kind) holder = scores.size();
    scores.push_back(std::move(*own));
    of_rival.push_back(i);
  }
  Decision decision{last, std::nullopt};
  decision.choice.chosen_at = count_;
  std::size_t chosen = 0;
  if (!scores.empty()) {
    chosen = of_rival[choose_by_evidence(holder, std::vector<LogScores>(scores.begin(), scores.end()))];
    decision.choice.kind = rivals_[chosen].transform.kind();
    decision.choice.scores.clear();
    for (std::size_t i = 0; i < scores.size(); ++i)
      decision.choice.scores.push_back(
          {rivals_[of_rival[i]].transform.kind(), total(scores[i]) / static_cast<double>(scores[i].size())});
    if (!options_.fixed) decision.fitted = fitted[chosen].hyperparameters;
  }
  for (const Rival& rival : rivals_)
    if (rival.transform.kind() == decision.choice.kind) decision.choice.scale = rival.transform.scale();
  return decision;
}

}  // namespace carbo::internal
