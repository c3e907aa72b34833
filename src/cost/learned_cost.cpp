#include "cost/learned_cost.hpp"

#include <cmath>
#include <string>
#include <utility>

#include <carbo/error.hpp>

namespace carbo::internal {
namespace {

/// Below this the left-out costs say too little for a choice; so many a coefficient where nobody vouches for the
/// features.
constexpr std::size_t fewest_to_choose = 5;
constexpr std::size_t fewest_a_coefficient = 3;

/// Timings vary by more than objectives do, and what a trend leaves is mostly that. Measured on the timings in
/// bench/cost/data, held-out errors fall by a tenth at 10 to 50 observations.
constexpr LogNormalPrior timing_noise{-3.0, 3.0};
constexpr LogNormalPrior mostly_noise{-1.0, 1.5};

void check_costs(std::span<const CostObservation> observations) {
  for (const CostObservation& one : observations) {
    if (std::isfinite(one.cost) && one.cost > 0) continue;
    throw InvalidObservation("an observed cost is " + std::to_string(one.cost) + "; expected a finite value above 0");
  }
}

CostModelKind first_kind(const CostOptions& options, const CostInputs& inputs) {
  if (options.model != CostModelKind::automatic) return options.model;
  return inputs.features_given() ? CostModelKind::linear : CostModelKind::log_gp;
}

}  // namespace

LearnedCost::LearnedCost(const Space& space, const CostOptions& options, Backend& backend,
                         std::optional<std::size_t> pool_rows)
    : backend_(backend),
      automatic_(options.model == CostModelKind::automatic),
      spread_counts_(options.weight != CostWeight::median),
      error_(options.error),
      inputs_(space, options, backend, pool_rows),
      kind_(first_kind(options, inputs_)),
      with_trend_(options.model != CostModelKind::log_gp && inputs_.features() > 0) {
  const auto wanted = [&](CostModelKind kind) { return options.model == kind || automatic_; };
  if (wanted(CostModelKind::log_gp)) log_gp_.emplace(space, options, backend, timing_noise);
  if (with_trend_ && wanted(CostModelKind::linear_mean_gp))
    residual_gp_.emplace(space, options, backend, mostly_noise);
}

std::vector<double> LearnedCost::known_parts(std::span<const CostObservation> observations) const {
  std::vector<double> logs;
  for (const CostObservation& one : observations) logs.push_back(inputs_.log_known_part(one.point));
  return logs;
}

std::vector<double> LearnedCost::prepare_trend(std::span<const CostObservation> observations,
                                               std::vector<double> offsets) {
  prepared_trend_.emplace(inputs_, observations, error_);
  prepared_trend_is_mean_ = automatic_ || prepared_trend_->explains();
  trend_shifts_.clear();
  for (std::size_t i = 0; i < observations.size(); ++i) {
    const double fitted = prepared_trend_->fitted()[i];
    if (!observations[i].censored) {
      const double residual = std::log(observations[i].cost) - offsets[i] - fitted;
      trend_shifts_.push_back(prepared_trend_->left_out()[trend_shifts_.size()] - residual);
    }
    if (prepared_trend_is_mean_) offsets[i] += fitted;
  }
  return offsets;
}

void LearnedCost::prepare_part(Part& part, std::span<const CostObservation> observations,
                               std::span<const double> offsets, bool draft, std::vector<FitProblem>& problems) {
  const FitProblem* problem = part.gp.prepare(observations, offsets, draft);
  part.prepared = true;
  part.fitting = problem != nullptr;
  if (problem != nullptr) problems.push_back(*problem);
}

std::vector<FitProblem> LearnedCost::prepare(std::span<const CostObservation> observations) {
  check_costs(observations);
  prepared_ = !observations.empty();
  prepared_trend_.reset();
  for (std::optional<Part>* part : {&log_gp_, &residual_gp_}) {
    if (*part) (*part)->prepared = false;
  }
  std::vector<FitProblem> problems;
  if (!prepared_) return problems;
  competing_ = automatic_ && with_trend_ && observations.size() >= fewest_for_a_choice() &&
               observations.size() <= Surrogate::most_left_out;
  const std::vector<double> known = known_parts(observations);
  if (competing_ || kind_ == CostModelKind::log_gp) {
    prepare_part(*log_gp_, observations, known, kind_ != CostModelKind::log_gp, problems);
  }
  if (!competing_ && kind_ == CostModelKind::log_gp) return problems;
  const std::vector<double> with_trend = prepare_trend(observations, known);
  if (kind_ == CostModelKind::linear_mean_gp || (competing_ && prepared_trend_->explains())) {
    prepare_part(*residual_gp_, observations, with_trend, kind_ != CostModelKind::linear_mean_gp, problems);
  }
  return problems;
}

std::size_t LearnedCost::fewest_for_a_choice() const {
  return inputs_.features_given() ? fewest_to_choose : fewest_a_coefficient * (inputs_.features() + 1);
}

void LearnedCost::update(std::span<const FitResult> fitted) {
  if (!prepared_) return;
  for (std::optional<Part>* part : {&log_gp_, &residual_gp_}) {
    if (!*part || !(*part)->prepared) continue;
    std::optional<FitResult> result;
    if ((*part)->fitting) {
      result = fitted.front();
      fitted = fitted.subspan(1);
    }
    (*part)->gp.update(result);
  }
  if (prepared_trend_) {
    trend_ = std::move(prepared_trend_);
    trend_is_mean_ = prepared_trend_is_mean_;
  }
  learned_ = true;
  if (competing_) choose();
  if (kind_ == CostModelKind::log_gp) log_gp_->gp.impute_timeouts();
  if (kind_ == CostModelKind::linear_mean_gp) residual_gp_->gp.impute_timeouts();
}

std::vector<ModelEvidence> LearnedCost::evidence() const {
  std::vector<ModelEvidence> models;
  const auto log_gp = log_gp_->gp.log_densities({});
  const std::size_t count = trend_->log_densities().size();
  if (!log_gp || log_gp->size() != count) return models;
  models.push_back({CostModelKind::log_gp, *log_gp});
  models.push_back({CostModelKind::linear, {trend_->log_densities().begin(), trend_->log_densities().end()}});
  if (!residual_gp_->prepared) return models;
  if (auto both = residual_gp_->gp.log_densities(trend_shifts_)) {
    models.push_back({CostModelKind::linear_mean_gp, std::move(*both)});
  }
  return models;
}

void LearnedCost::choose() {
  const std::vector<ModelEvidence> models = evidence();
  if (models.empty()) return;
  kind_ = choose_model(kind_, models);
  scores_ = model_scores(models);
}

const ResidualGp* LearnedCost::gp() const {
  if (kind_ == CostModelKind::linear) return nullptr;
  return kind_ == CostModelKind::log_gp ? &log_gp_->gp : &residual_gp_->gp;
}

bool LearnedCost::trend_predicts() const {
  return kind_ == CostModelKind::linear || (kind_ == CostModelKind::linear_mean_gp && trend_is_mean_);
}

std::shared_ptr<const Field> LearnedCost::field(const CandidateTable& table, const CandidateSet& candidates) {
  if (gp() == nullptr) return trend_->field(backend_, table, spread_counts_);
  if (!trend_predicts()) return gp()->field(candidates, inputs_.log_known_part_of(table));
  const std::unique_ptr<Field> trend = trend_->field(backend_, table, false);
  return gp()->field(candidates, trend.get());
}

std::optional<CostPosterior> LearnedCost::posterior() const {
  if (gp() == nullptr) return std::nullopt;
  return gp()->posterior();
}

LogCost LearnedCost::predict(const CostPoint& point) const {
  LogCost result{inputs_.log_known_part(point), 0.0};
  if (trend_predicts()) {
    const LogCost trend = trend_->predict(point);
    result.mean += trend.mean;
    if (gp() == nullptr) result.variance = trend.variance;
  }
  if (gp() != nullptr) {
    const LogCost rest = gp()->predict(point.encoded);
    result.mean += rest.mean;
    result.variance = rest.variance;
  }
  return result;
}

double LearnedCost::jitter() const { return gp() != nullptr ? gp()->jitter() : 0.0; }

std::optional<Calibration> LearnedCost::calibration() const {
  if (!learned_) return std::nullopt;
  if (gp() == nullptr) return trend_->calibration();
  return gp()->calibration();
}

}  // namespace carbo::internal
