#include "gp/surrogate.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <carbo/error.hpp>

#include "gp/background.hpp"
#include "gp/log_posterior.hpp"
#include "gp/row_choice.hpp"
#include "gp/row_order.hpp"
#include "support/room.hpp"

namespace carbo::internal {
namespace {

// Up to so many rows a fit costs little, so every update has one.
constexpr std::size_t rows_fitted_always = 128;
constexpr std::size_t rows_drafted_always = 256;
constexpr std::size_t rows_fitted_fully = 10;
constexpr double growth_to_fit = 1.1;
constexpr double growth_to_fit_many = 1.2;  // of more than most_rows_fitted_closely
constexpr double growth_to_fit_fully = 1.5;
/// Of points that may be learned from, one in so many is left to those that come before the next choice.
constexpr std::size_t points_per_spare_one = 16;
/// A mean learns from so many points left out for each one that is kept: products take time with their square.
constexpr std::size_t background_points_per_row = 8;

bool grown(std::size_t rows, std::size_t rows_before, double factor) {
  return static_cast<double>(rows) >= factor * static_cast<double>(rows_before);
}

}  // namespace

Surrogate::Surrogate(GpBackend& backend, SurrogateOptions options, std::vector<int> column_groups,
                     const std::string& field, LogNormalPrior noise)
    : backend_(backend), options_(std::move(options)), column_groups_(std::move(column_groups)), noise_(noise) {
  validate(options_, group_count(column_groups_), field);
  if (options_.fixed) hyperparameters_ = *options_.fixed;
}

FittedModel Surrogate::fitted(const Standardisation& units) const {
  FittedModel model{hyperparameters_, units.shift, units.scale, jitter(), points()};
  model.hyperparameters.mean = factor_->parameters().mean;
  return model;
}

FitProblem Surrogate::problem() const {
  FitProblem problem{&rows(), column_groups_, &options_, std::nullopt, true, noise_};
  if (!choice_.rows.empty()) problem.all = sample_.size() > 0 ? &sample_ : &merged_.rows;
  if (observations_at_fit_ > 0) problem.warm_start = hyperparameters_;
  return problem;
}

bool Surrogate::fit_is_due() const {
  const double growth = rows().size() <= most_rows_fitted_closely ? growth_to_fit : growth_to_fit_many;
  return observations_at_fit_ == 0 || rows().size() <= rows_fitted_always || data_.size() < observations_at_fit_ ||
         grown(data_.size(), observations_at_fit_, growth);
}

const FitProblem* Surrogate::prepare(TrainingData data, FitWish wish) {
  if (data.size() == 0) throw InvalidObservation("a Gaussian process needs at least one observation");
  MergedCopies merged = merge_copies(data);
  const std::vector<double>& before = merged_.rows.points;
  const bool stayed = merged.rows.points.size() >= before.size() &&
                      std::equal(before.begin(), before.end(), merged.rows.points.begin());
  Choice choice = follow_points(merged.rows, stayed);
  TrainingData sample;
  const std::size_t fitted = (1 + background_points_per_row) * choice.rows.size();
  if (!choice.rows.empty() && merged.rows.size() > fitted)
    sample = rows_of(merged.rows, random_rows(merged.rows.size(), fitted, 0));
  kept_ = rows_of(merged.rows, choice.rows);
  sample_ = std::move(sample);
  choice_ = std::move(choice);
  data_ = std::move(data);
  merged_ = std::move(merged);
  check_due_ = observations_at_fit_ == 0 || wish.due.value_or(fit_is_due());
  if (options_.fixed || !check_due_) return nullptr;
  problem_ = problem();
  problem_.draft = wish.draft;
  problem_.full = data_.size() < rows_fitted_fully || data_.size() < observations_at_full_fit_ ||
                  grown(data_.size(), observations_at_full_fit_, growth_to_fit_fully);
  if (wish.start) {
    problem_.warm_start = std::move(wish.start);
    problem_.full = true;
  }
  if (wish.draft && !problem_.full && rows().size() > rows_drafted_always) return nullptr;
  return &problem_;
}

std::vector<std::size_t> Surrogate::best_rows(const TrainingData& rows, std::size_t count,
                                              std::span<const double> lengthscales) const {
  // Before the first fit all lengthscales are taken for what a fit would begin with.
  std::vector<double> inverse(rows.columns, 2.0 / std::sqrt(static_cast<double>(group_count(column_groups_))));
  for (std::size_t c = 0; c < rows.columns && !lengthscales.empty(); ++c)
    inverse[c] = 1.0 / lengthscales[static_cast<std::size_t>(column_groups_[c])];
  return choose_rows(rows, count, inverse);
}

TrainingData Surrogate::within_limit(TrainingData rows) const {
  if (rows.size() <= most_points()) return rows;
  return rows_of(rows, best_rows(rows, most_points(), hyperparameters_.lengthscales));
}

Surrogate::Choice Surrogate::choose_points(const TrainingData& all, std::span<const double> lengthscales) const {
  const std::size_t count = most_points() - most_points() / points_per_spare_one;
  return {best_rows(all, count, lengthscales), all.size(), count};
}

/// A choice stands while new points can be added to it: they are the latest.
Surrogate::Choice Surrogate::follow_points(const TrainingData& all, bool rows_stayed) const {
  if (all.size() <= most_points()) return {};
  const std::size_t kept = choice_.rows.size();
  const bool stands =
      rows_stayed && kept > 0 && choice_.of <= all.size() && kept + (all.size() - choice_.of) <= most_points();
  if (!stands) return choose_points(all, hyperparameters_.lengthscales);
  Choice choice = choice_;
  for (std::size_t row = choice.of; row < all.size(); ++row) choice.rows.push_back(row);
  choice.of = all.size();
  return choice;
}

void Surrogate::update(const std::optional<FitResult>& fitted) {
  const bool estimate_mean = check_due_ && options_.fixed && !options_.fixed->mean;
  if (fitted || estimate_mean || !factor_ || !append_new_rows()) {
    Hyperparameters wanted = fitted ? fitted->hyperparameters : hyperparameters_;
    if (fitted && !choice_.rows.empty()) {
      choice_ = choose_points(merged_.rows, wanted.lengthscales);
      kept_ = rows_of(merged_.rows, choice_.rows);
    }
    if (estimate_mean) wanted.mean.reset();
    const GpParameters parameters = expand(backend_, wanted, rows(), column_groups_);
    make_factor(parameters);
    wanted.mean = parameters.mean;
    hyperparameters_ = std::move(wanted);
  } else {
    if (!background_.rows.empty()) factor_->set_background({}, {});
    std::vector<double> targets = rows_in_factor_order().targets;
    factor_->set_targets(targets);
    factored_targets_ = std::move(targets);
  }
  checked_ = std::exchange(check_due_, false);
  if (checked_) {
    observations_at_fit_ = data_.size();
    if (fitted && problem_.full) observations_at_full_fit_ = data_.size();
    take_left_out();
  }
  background_ = learned_background(*factor_);
}

std::vector<std::size_t> Surrogate::background_rows(std::size_t of) const {
  std::vector<std::size_t> left_out;
  if (choice_.rows.empty()) return left_out;
  auto kept = choice_.rows.begin();
  for (std::size_t row = 0; row < of; ++row) {
    if (kept != choice_.rows.end() && *kept == row)
      ++kept;
    else
      left_out.push_back(row);
  }
  const std::size_t most = background_points_per_row * choice_.chosen, all = left_out.size();
  if (all <= most) return left_out;
  std::vector<std::size_t> drawn = random_rows(all, most, 0);
  for (std::size_t& row : drawn) row = left_out[row];
  return drawn;
}

Surrogate::Background Surrogate::learned_background(GpFactor& factor) const {
  if (choice_.rows.empty()) return {};
  Background found{background_rows(merged_.rows.size()), {}};
  const bool same = found.rows == background_.rows;
  found.weights = learn_background(factor, rows_of(merged_.rows, found.rows),
                                   same ? std::span<const double>(background_.weights) : std::span<const double>());
  return found;
}

void Surrogate::add_background(GpFactor& factor) const { learned_background(factor); }

void Surrogate::stand_as(Standing&& before) noexcept {
  hyperparameters_ = std::move(before.hyperparameters);
  observations_at_fit_ = before.rows_at_fit;
  observations_at_full_fit_ = before.rows_at_full_fit;
  // What a factor's mean was given besides its rows cannot be told from it.
  if (factors_made_ != before.factors_made || background_.rows != before.background.rows) factor_.reset();
  choice_ = std::move(before.choice);
  background_ = std::move(before.background);
}

void Surrogate::take_left_out() {
  left_out_.reset();
  calibration_.reset();
  if (rows().size() > most_left_out) return;
  const LeaveOneOut in_factor_order = factor_->leave_one_out();
  LeaveOneOut of_rows{std::vector<double>(order_.size()), std::vector<double>(order_.size())};
  for (std::size_t i = 0; i < order_.size(); ++i) {
    of_rows.mean[order_[i]] = in_factor_order.mean[i];
    of_rows.variance[order_[i]] = in_factor_order.variance[i];
  }
  const Learned learned = learned_observations();
  LeaveOneOut left_out =
      left_out_observations(of_rows, rows(), learned.row_of, learned.targets, factor_->parameters());
  calibration_ = internal::calibration(left_out, learned.targets);
  if (choice_.rows.empty()) left_out_ = std::move(left_out);
}

Surrogate::Learned Surrogate::learned_observations() const {
  if (choice_.rows.empty()) return {merged_.row_of, data_.targets};
  constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> place(merged_.rows.size(), none);
  for (std::size_t i = 0; i < choice_.rows.size(); ++i) place[choice_.rows[i]] = i;
  Learned learned;
  for (std::size_t i = 0; i < data_.size(); ++i) {
    const std::size_t row = place[merged_.row_of[i]];
    if (row == none) continue;
    learned.row_of.push_back(row);
    learned.targets.push_back(data_.targets[i]);
  }
  return learned;
}

void Surrogate::make_factor(const GpParameters& parameters) {
  std::vector<std::size_t> order =
      spread_and_best_order(rows().view(), rows().targets, parameters.inverse_lengthscales);
  std::vector<double> points = rows().points;
  std::vector<double> counts = rows().counts;
  std::vector<double> targets;
  std::swap(order_, order);
  try {
    const TrainingData ordered = rows_in_factor_order();
    targets = ordered.targets;
    factor_ = std::move(backend_.factor(ordered.view(), ordered.targets, {&parameters, 1}, ordered.counts).front());
  } catch (...) {
    std::swap(order_, order);
    throw;
  }
  factored_points_ = std::move(points);
  factored_counts_ = std::move(counts);
  factored_targets_ = std::move(targets);
  factored_together_ = order_.size();
  ++factors_made_;
}

/// Whether the rows are the factored ones with as many copies, and some more that have none.
bool Surrogate::rows_were_added() const {
  const std::vector<double>& points = rows().points;
  if (points.size() < factored_points_.size() ||
      !std::equal(factored_points_.begin(), factored_points_.end(), points.begin()))
    return false;
  const auto count = [](const std::vector<double>& counts, std::size_t row) {
    return row < counts.size() ? counts[row] : 1.0;
  };
  for (std::size_t row = 0; row < rows().size(); ++row)
    if (count(rows().counts, row) != count(factored_counts_, row)) return false;
  return true;
}

/// False where rows were not only added, or where a new row cannot be appended: the factor must be made anew then.
bool Surrogate::append_new_rows() {
  if (!rows_were_added()) return false;
  factor_->drop_fantasies();
  make_room(factored_points_, rows().points.size() - factored_points_.size());
  make_room(order_, rows().size() - order_.size());
  const std::size_t factored = order_.size(), columns = rows().columns;
  const auto follow = [&]() noexcept {
    const double* const points = rows().points.data();
    factored_points_.insert(factored_points_.end(), points + factored * columns,
                            points + factor_->observed() * columns);
    for (std::size_t row = factored; row < factor_->observed(); ++row) order_.push_back(row);
  };
  try {
    factor_->append_all({rows().points.data() + factored * columns, rows().size() - factored, columns});
  } catch (...) {
    follow();
    throw;
  }
  follow();
  return order_.size() == rows().size();
}

}  // namespace carbo::internal
