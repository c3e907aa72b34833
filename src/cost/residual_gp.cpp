#include "cost/residual_gp.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "cost/robust_scale.hpp"
#include "cost/student.hpp"
#include "cost/truncated_normal.hpp"

namespace carbo::internal {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
/// With fewer costs a point that sticks out may be all that is known of its region.
constexpr std::size_t fewest_to_draw_in = 8;
constexpr double allowed_deviations = 3.0;
/// An outlier that moves by less than this many deviations leaves the fit as it is.
constexpr double deviations_to_fit_again = 0.5;
constexpr int most_fits_again = 6;

/// Fitted hyperparameters that the data had a say in: signal, noise, and lengthscales short enough to matter.
double decided_by_data(const Surrogate& surrogate) {
  constexpr double flat = 3.0;  // over a cube of side 1 the covariance then falls by a tenth
  if (surrogate.fixed()) return 0.0;
  const auto& lengthscales = surrogate.hyperparameters().lengthscales;
  return 2.0 + static_cast<double>(std::ranges::count_if(lengthscales, [](double one) { return one < flat; }));
}

/// The rows of both, with counts.
TrainingData together(TrainingData first, const TrainingData& second) {
  const auto add = [](std::vector<double>& to, const std::vector<double>& more, std::size_t before, std::size_t all,
                      double usual) {
    if (to.empty() && more.empty()) return;
    to.resize(before, usual);
    to.insert(to.end(), more.begin(), more.end());
    to.resize(all, usual);
  };
  const std::size_t before = first.size(), all = first.size() + second.size();
  add(first.counts, second.counts, before, all, 1.0);
  add(first.squares, second.squares, before, all, 0.0);
  first.points.insert(first.points.end(), second.points.begin(), second.points.end());
  first.targets.insert(first.targets.end(), second.targets.begin(), second.targets.end());
  return first;
}

/// Of residuals over the deviations that a GP gives them: 1 where these are right, less where outliers raised them.
double relative_deviation(const LeaveOneOut& left_out, std::span<const double> targets) {
  std::vector<double> standardised;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    standardised.push_back((targets[i] - left_out.mean[i]) / std::sqrt(left_out.variance[i]));
  }
  return std::max(robust_scale(standardised), 1e-6);
}

}  // namespace

ResidualGp::ResidualGp(const Space& space, const CostOptions& options, Backend& backend, LogNormalPrior noise)
    : backend_(backend),
      robust_(options.robust),
      surrogate_(backend, options.surrogate, {space.column_parameters().begin(), space.column_parameters().end()},
                 "cost.surrogate", noise) {}

ResidualGp::Costs ResidualGp::split(std::span<const CostObservation> observations, std::span<const double> offsets) {
  const bool all_censored =
      std::all_of(observations.begin(), observations.end(), [](const auto& one) { return one.censored; });
  Costs costs;
  costs.all_offsets.assign(offsets.begin(), offsets.end());
  for (std::size_t i = 0; i < observations.size(); ++i) {
    const CostObservation& one = observations[i];
    const bool impute = one.censored && !all_censored;
    auto& rows = impute ? costs.timeout_points : costs.points;
    rows.insert(rows.end(), one.point.encoded.begin(), one.point.encoded.end());
    (impute ? costs.timeout_residuals : costs.residuals).push_back(std::log(one.cost) - offsets[i]);
    if (!impute) costs.offsets.push_back(offsets[i]);
    columns_ = one.point.encoded.size();
  }
  return costs;
}

const FitProblem* ResidualGp::prepare(std::span<const CostObservation> observations, std::span<const double> offsets,
                                      FitWish wish) {
  Surrogate::Standing standing = surrogate_.standing();
  Costs costs = split(observations, offsets);
  const std::vector<double>& before = costs_.points;
  const bool grown =
      costs.points.size() >= before.size() && std::equal(before.begin(), before.end(), costs.points.begin());
  std::vector<Limits> limits = grown ? limits_ : std::vector<Limits>{};
  const double drift = follow_offsets(costs.offsets, limits);
  if (robust_) limit_new_costs(costs.points, drift, limits);
  prepared_limits_ = limits;
  // From here on another `prepare` with the same costs finds and leaves the same.
  limits_ = std::move(limits);
  costs_ = std::move(costs);
  standing_ = std::move(standing);
  return surrogate_.prepare(training_data(), wish);
}

void ResidualGp::roll_back() noexcept {
  surrogate_.stand_as(std::move(standing_));
  limits_ = std::move(prepared_limits_);
}

double ResidualGp::follow_offsets(std::span<const double> offsets, std::vector<Limits>& limits) const {
  double drift = 0;
  for (std::size_t i = 0; i < limits.size(); ++i) {
    const double shift = costs_.offsets[i] - offsets[i];
    limits[i] = {limits[i].lowest + shift, limits[i].highest + shift};
    drift = std::max(drift, std::abs(shift));
  }
  return drift;
}

TrainingData ResidualGp::training_data() {
  TrainingData data;
  data.points = costs_.points;
  data.columns = columns_;
  data.targets = costs_.residuals;
  for (std::size_t i = 0; i < limits_.size(); ++i) {
    data.targets[i] = std::clamp(costs_.residuals[i], limits_[i].lowest, limits_[i].highest);
  }
  prepared_units_ = standardisation(data.targets);
  for (double& target : data.targets) target = standardise(target, prepared_units_);
  return data;
}

void ResidualGp::limit_new_costs(std::span<const double> points, double drift, std::vector<Limits>& limits) const {
  const std::size_t known = limits.size();
  const std::size_t fresh = points.size() / columns_ - known;
  limits.resize(known + fresh, {-infinity, infinity});
  if (!ready() || known < fewest_to_draw_in || fresh == 0) return;
  std::vector<double> means(fresh), variances(fresh);
  const GpFactor& factor = surrogate_.factor();
  factor.predict({points.data() + known * columns_, fresh, columns_}, means, variances);
  for (std::size_t i = 0; i < fresh; ++i) {
    const double centre = units_.shift + units_.scale * means[i];
    const double deviation = units_.scale * std::sqrt(variances[i] + factor.parameters().noise_variance);
    const double room = allowed_deviations * deviation + drift;
    limits[known + i] = {centre - room, centre + room};
  }
}

std::vector<double> ResidualGp::standardised_residuals() const {
  std::vector<double> standardised;
  for (const double one : costs_.residuals) standardised.push_back(standardise(one, units_));
  return standardised;
}

bool ResidualGp::draw_in() {
  const auto& left_out = surrogate_.left_out();
  if (!left_out || costs_.residuals.size() < fewest_to_draw_in) return false;
  const std::vector<double> raw = standardised_residuals();
  const double relative = relative_deviation(*left_out, raw);
  bool moved = false;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    const double deviation = relative * std::sqrt(left_out->variance[i]);
    const double room = allowed_deviations * deviation;
    const double target = std::clamp(raw[i], left_out->mean[i] - room, left_out->mean[i] + room);
    moved = moved || std::abs(target - surrogate_.data().targets[i]) > deviations_to_fit_again * deviation;
    limits_[i] = {units_.shift + units_.scale * (left_out->mean[i] - room),
                  units_.shift + units_.scale * (left_out->mean[i] + room)};
  }
  return moved;
}

void ResidualGp::update(const std::optional<FitResult>& fitted) {
  with_timeouts_.reset();
  surrogate_.update(fitted);
  units_ = prepared_units_;
  checked_ = surrogate_.checked();
  for (int again = 0; robust_ && checked_ && again < most_fits_again && draw_in(); ++again) {
    const FitProblem* problem = surrogate_.prepare(training_data(), {.due = true});
    surrogate_.update(problem != nullptr ? std::optional(fit(backend_, {problem, 1}, 0).front()) : std::nullopt);
    units_ = prepared_units_;
  }
}

void ResidualGp::impute_timeouts() {
  const std::size_t count = costs_.timeout_residuals.size();
  if (count == 0) return;
  const GpFactor& complete = surrogate_.factor();
  const GpParameters parameters = complete.parameters();
  std::vector<double> means(count), variances(count);
  complete.predict({costs_.timeout_points.data(), count, columns_}, means, variances);
  // Copies among these are merged; where the complete costs are a subset, rows of it and timeouts stay apart.
  const bool subset = surrogate_.points().used < surrogate_.points().known;
  TrainingData all = subset ? TrainingData{} : surrogate_.data();
  all.columns = columns_;
  all.points.insert(all.points.end(), costs_.timeout_points.begin(), costs_.timeout_points.end());
  for (std::size_t i = 0; i < count; ++i) {
    all.targets.push_back(mean_above(means[i], variances[i] + parameters.noise_variance,
                                     standardise(costs_.timeout_residuals[i], units_)));
  }
  TrainingData rows = merge_copies(all).rows;
  if (subset) rows = together(surrogate_.rows(), rows);
  rows = surrogate_.within_limit(std::move(rows));
  with_timeouts_ = std::move(backend_.factor(rows.view(), rows.targets, {&parameters, 1}, rows.counts).front());
  surrogate_.add_background(*with_timeouts_);
}

std::unique_ptr<Field> ResidualGp::field(const CandidateSet& candidates, const Field* offset, FieldUse use) const {
  if (use == FieldUse::search) return backend_.sweep_for_search(factor(), candidates, units(), offset);
  return backend_.sweep(factor(), candidates, use == FieldUse::values_and_variances, units(), offset);
}

std::vector<LogCost> ResidualGp::predictions(MatrixView points, bool with_variance) const {
  std::vector<double> means(points.rows), variances(points.rows);
  factor().predict(points, means, with_variance ? std::span<double>(variances) : std::span<double>());
  std::vector<LogCost> result;
  for (std::size_t i = 0; i < points.rows; ++i) {
    result.push_back({units_.shift + units_.scale * means[i], units_.scale * units_.scale * variances[i]});
  }
  return result;
}

FittedModel ResidualGp::fitted() const {
  FittedModel fitted = surrogate_.fitted(units_);
  fitted.jitter = jitter();
  return fitted;
}

std::optional<std::vector<double>> ResidualGp::log_densities(std::size_t coefficients) const {
  const auto& left_out = surrogate_.left_out();
  const double count = static_cast<double>(costs_.residuals.size()), fitted = static_cast<double>(coefficients);
  if (!checked_ || !left_out || !(count > fitted + 1)) return std::nullopt;
  const double flattery = decided_by_data(surrogate_) / count + fitted / (count - fitted - 1);
  const std::vector<double> raw = standardised_residuals();
  const double relative = robust_ ? relative_deviation(*left_out, raw) : 1.0;
  std::vector<double> densities;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    const double residual = units_.scale * (raw[i] - left_out->mean[i]);
    const double deviation = units_.scale * relative * std::sqrt(left_out->variance[i]);
    densities.push_back(robust_ ? student_log_density(residual, deviation)
                                : log_normal_density(residual, deviation * deviation));
    densities.back() -= flattery;
  }
  return densities;
}

}  // namespace carbo::internal
