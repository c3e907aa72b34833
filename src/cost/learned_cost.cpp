#include "cost/learned_cost.hpp"

#include <cmath>
#include <string>
#include <utility>

#include <carbo/error.hpp>

namespace carbo::internal {
namespace {

/// Below this the left-out costs say too little for a choice; so many a coefficient where there is a model to be held
/// on to.
constexpr std::size_t fewest_to_choose = 5;
constexpr std::size_t fewest_per_coefficient = 3;

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
      wish_(options.model),
      spread_counts_(options.weight != CostWeight::median),
      error_(options.error),
      inputs_(space, options, backend, pool_rows),
      kind_(first_kind(options, inputs_)) {
  if (wish_ != CostModelKind::linear) log_gp_.emplace(space, options, backend, timing_noise);
  const bool with_trend = wish_ != CostModelKind::log_gp && inputs_.features() > 0;
  if (with_trend && wish_ != CostModelKind::linear) residual_gp_.emplace(space, options, backend, mostly_noise);
  // What the caller asked for is held on to, and a trend that nobody vouches for has to prove itself.
  chosen_ = wish_ == CostModelKind::linear_mean_gp || !inputs_.features_given();
  fewest_ = chosen_ ? fewest_per_coefficient * (inputs_.features() + 1) : fewest_to_choose;
}

std::vector<double> LearnedCost::known_parts(std::span<const CostObservation> observations) const {
  std::vector<double> logs;
  for (const CostObservation& one : observations) logs.push_back(inputs_.log_known_part(one.point));
  return logs;
}

void LearnedCost::fit_trend(std::span<const CostObservation> observations, std::vector<double>& offsets) {
  prepared_trend_.emplace(inputs_, observations, offsets, error_);
  for (std::size_t i = 0; i < observations.size(); ++i) offsets[i] += prepared_trend_->fitted()[i];
}

void LearnedCost::prepare_part(Part& part, std::span<const CostObservation> observations,
                               std::span<const double> offsets, FitWish wish, std::vector<FitProblem>& problems) {
  const FitProblem* problem = part.gp.prepare(observations, offsets, wish);
  part.prepared = true;
  if (problem == nullptr) return;
  part.problem = problems.size();
  problems.push_back(*problem);
}

/// The GP that predicts leads: whoever competes with it is left out row by row when it is.
void LearnedCost::prepare_gps(std::span<const CostObservation> observations, std::span<const double> known,
                              std::span<const double> with_trend, std::optional<bool> fit_due,
                              std::vector<FitProblem>& problems) {
  if (kind_ == CostModelKind::linear_mean_gp) {
    prepare_part(*residual_gp_, observations, with_trend, {.due = fit_due}, problems);
    const FitWish follow{.due = residual_gp_->gp.check_due(), .draft = true};
    if (competing_) prepare_part(*log_gp_, observations, known, follow, problems);
    return;
  }
  if (kind_ == CostModelKind::linear && !competing_) return;
  prepare_part(*log_gp_, observations, known, {.due = fit_due, .draft = kind_ == CostModelKind::linear}, problems);
  if (!competing_ || !prepared_trend_->explains()) return;
  prepare_part(*residual_gp_, observations, with_trend, {.due = log_gp_->gp.check_due(), .draft = true}, problems);
}

std::vector<FitProblem> LearnedCost::prepare(std::span<const CostObservation> observations,
                                             std::optional<bool> fit_due) {
  check_costs(observations);
  before_ = {kind_, chosen_};
  observations_ = observations.size();
  prepared_ = !observations.empty();
  prepared_trend_.reset();
  for (std::optional<Part>* part : {&log_gp_, &residual_gp_}) {
    if (*part) (*part)->prepared = false;
    if (*part) (*part)->problem.reset();
  }
  std::vector<FitProblem> problems;
  if (!prepared_) return problems;
  competing_ = residual_gp_ && observations.size() >= fewest_ && observations.size() <= Surrogate::most_left_out;
  const std::vector<double> known = known_parts(observations);
  std::vector<double> with_trend = known;
  if (competing_ || kind_ != CostModelKind::log_gp) fit_trend(observations, with_trend);
  prepare_gps(observations, known, with_trend, fit_due, problems);
  return problems;
}

void LearnedCost::update(std::span<const FitResult> fitted) {
  if (!prepared_) return;
  for (std::optional<Part>* part : {&log_gp_, &residual_gp_}) {
    if (!*part || !(*part)->prepared) continue;
    const auto problem = (*part)->problem;
    (*part)->gp.update(problem ? std::optional(fitted[*problem]) : std::nullopt);
  }
  if (prepared_trend_) trend_ = std::move(prepared_trend_);
  learned_ = true;
  if (competing_) choose();
  if (kind_ == CostModelKind::log_gp) log_gp_->gp.impute_timeouts();
  if (kind_ == CostModelKind::linear_mean_gp) residual_gp_->gp.impute_timeouts();
  before_.reset();
}

void LearnedCost::roll_back() noexcept {
  if (!before_) return;
  kind_ = before_->kind;
  chosen_ = before_->chosen;
  for (std::optional<Part>* part : {&log_gp_, &residual_gp_}) {
    if (*part && (*part)->prepared) (*part)->gp.roll_back();
  }
  before_.reset();
}

std::vector<ModelEvidence> LearnedCost::evidence() const {
  std::vector<ModelEvidence> models;
  const auto log_gp = log_gp_->gp.log_densities(0);
  const std::size_t count = trend_->log_densities().size();
  if (!log_gp || log_gp->size() != count) return models;
  models.push_back({CostModelKind::log_gp, *log_gp});
  if (wish_ == CostModelKind::automatic) {
    models.push_back({CostModelKind::linear, {trend_->log_densities().begin(), trend_->log_densities().end()}});
  }
  if (!residual_gp_->prepared) return models;
  if (auto both = residual_gp_->gp.log_densities(inputs_.features() + 1)) {
    models.push_back({CostModelKind::linear_mean_gp, std::move(*both)});
  }
  return models;
}

void LearnedCost::choose() {
  const std::vector<ModelEvidence> models = evidence();
  if (models.empty()) return;
  // The first choice is by evidence alone; then the holder is at an advantage.
  kind_ = choose_model(chosen_ ? std::optional(kind_) : std::nullopt, models);
  chosen_ = true;
  scores_ = model_scores(models);
}

void LearnedCost::limit_points(std::size_t most) {
  for (std::optional<Part>* part : {&log_gp_, &residual_gp_})
    if (*part) (*part)->gp.limit_points(most);
}

/// A trend learns from every observation.
PointsLearned LearnedCost::points() const {
  return gp() != nullptr ? gp()->points() : PointsLearned{observations_, observations_};
}

const ResidualGp* LearnedCost::gp() const {
  if (kind_ == CostModelKind::linear) return nullptr;
  return kind_ == CostModelKind::log_gp ? &log_gp_->gp : &residual_gp_->gp;
}

std::shared_ptr<const Field> LearnedCost::field(const CandidateTable& table, const CandidateSet& candidates,
                                                FieldUse use) {
  const bool with_variance = spread_counts_ || use == FieldUse::values_and_variances;
  if (gp() == nullptr) return trend_->field(backend_, table, with_variance);
  if (kind_ == CostModelKind::log_gp) return gp()->field(candidates, inputs_.log_known_part_of(table), use);
  const std::unique_ptr<Field> trend = trend_->field(backend_, table, false);
  return gp()->field(candidates, trend.get(), use);
}

std::optional<CostPosterior> LearnedCost::posterior() const {
  if (gp() == nullptr) return std::nullopt;
  return gp()->posterior();
}

std::vector<LogCost> LearnedCost::predictions(std::span<const CostPoint> points, bool with_variance) const {
  std::vector<LogCost> result;
  std::vector<double> encoded;
  for (const CostPoint& point : points) {
    LogCost& own = result.emplace_back(LogCost{inputs_.log_known_part(point), 0.0});
    if (kind_ != CostModelKind::log_gp) {
      const LogCost trend = trend_->predict(point);
      own.mean += trend.mean;
      own.variance = trend.variance;
    }
    encoded.insert(encoded.end(), point.encoded.begin(), point.encoded.end());
  }
  if (gp() == nullptr || points.empty()) return result;
  const MatrixView view{encoded.data(), points.size(), points.front().encoded.size()};
  const std::vector<LogCost> rest = gp()->predictions(view, with_variance);
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i].mean += rest[i].mean;
    result[i].variance = rest[i].variance;
  }
  return result;
}

std::optional<FittedModel> LearnedCost::fitted() const {
  if (!learned_ || gp() == nullptr) return std::nullopt;
  return gp()->fitted();
}

double LearnedCost::jitter() const { return gp() != nullptr ? gp()->jitter() : 0.0; }

std::optional<Calibration> LearnedCost::calibration() const {
  if (!learned_) return std::nullopt;
  if (gp() == nullptr) return trend_->calibration();
  return gp()->calibration();
}

}  // namespace carbo::internal
