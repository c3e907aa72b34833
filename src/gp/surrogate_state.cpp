#include "gp/surrogate_state.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "gp/log_posterior.hpp"
#include "gp/row_choice.hpp"
#include "gp/surrogate.hpp"
#include "support/state_checks.hpp"

namespace carbo::internal {
namespace {

/// As fits make them: finite, and a mean.
void check(const Hyperparameters& given, std::size_t groups) {
  check_state(given.lengthscales.size() == groups, "hyperparameters: expected a lengthscale a parameter");
  check_state(
      all_finite(given.lengthscales) && std::ranges::all_of(given.lengthscales, [](double one) { return one > 0; }),
      "hyperparameters: expected finite lengthscales above 0");
  check_state(std::isfinite(given.signal_variance) && given.signal_variance > 0,
              "hyperparameters: expected a finite signal_variance above 0");
  check_state(std::isfinite(given.noise_variance) && given.noise_variance >= 0,
              "hyperparameters: expected a finite noise_variance of at least 0");
  check_state(!given.mean || std::isfinite(*given.mean), "hyperparameters: expected a finite mean");
}

void check_choice(const SurrogateState& state, std::size_t all) {
  const std::vector<std::size_t>& rows = state.chosen_rows;
  check_state(state.chosen_of <= all, "chosen_of is above the number of points");
  check_state(state.chosen <= rows.size(), "chosen is above the number of chosen_rows");
  check_state(std::ranges::is_sorted(rows, std::less_equal<>()) && (rows.empty() || rows.back() < state.chosen_of),
              "chosen_rows are not ascending, or not all below chosen_of");
  check_state(state.sampled <= all, "sampled is above the number of points");
}

/// `order` holds every number below its size once.
bool is_order(const std::vector<std::size_t>& order) {
  std::vector<bool> seen(order.size(), false);
  for (const std::size_t row : order) {
    if (row >= order.size() || seen[row]) return false;
    seen[row] = true;
  }
  return true;
}

}  // namespace

SurrogateState Surrogate::state() const {
  SurrogateState state;
  state.observations = data_.size();
  state.hyperparameters = hyperparameters_;
  state.rows_at_fit = observations_at_fit_;
  state.rows_at_full_fit = observations_at_full_fit_;
  state.most_points = most_points_;
  state.chosen_rows = choice_.rows;
  state.chosen_of = choice_.of;
  state.chosen = choice_.chosen;
  state.sampled = sample_.size();
  state.background_weights = background_.weights;
  state.calibration = calibration_;
  if (!factor_) return state;
  FactorState& factor = state.factor.emplace();
  factor.rows = factored_targets_.size();  // what a failed update appended, the next one will append again
  factor.order.assign(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(factored_together_));
  const TrainingData rows = rows_of(merged_.rows, factored_rows(factor.rows));
  const auto counts = [&](std::vector<double> given) {
    given.resize(factor.rows, 1.0);
    return given;
  };
  if (counts(factored_counts_) != counts(rows.counts)) factor.counts = counts(factored_counts_);
  if (factored_targets_ != rows_of(rows, std::span(order_).first(factor.rows)).targets)
    factor.targets = factored_targets_;
  return state;
}

std::vector<std::size_t> Surrogate::factored_rows(std::size_t count) const {
  std::vector<std::size_t> rows = choice_.rows;
  rows.resize(std::min(rows.size(), count));
  std::size_t next = choice_.rows.empty() ? 0 : choice_.of;
  while (rows.size() < count) rows.push_back(next++);
  return rows;
}

void Surrogate::restore(TrainingData data, const SurrogateState& state) {
  check_state(state.observations <= data.size(), "observations is above the number of observations that there are");
  if (state.observations == 0) return;
  // Before its first fit it has none.
  const bool none = state.hyperparameters.lengthscales.empty() && state.rows_at_fit == 0 && !state.factor;
  if (!none) check(state.hyperparameters, group_count(column_groups_));
  check_state(none || options_.fixed || state.hyperparameters.noise_variance > 0,
              "hyperparameters: expected a noise_variance above 0, as fits make it");
  check_state(state.most_points > 0, "most_points is 0");
  MergedCopies merged = merge_copies(data);
  const std::size_t all = merged.rows.size();
  check_choice(state, all);
  data_ = std::move(data);
  merged_ = std::move(merged);
  hyperparameters_ = state.hyperparameters;
  observations_at_fit_ = state.rows_at_fit;
  observations_at_full_fit_ = state.rows_at_full_fit;
  most_points_ = state.most_points;
  choice_ = {state.chosen_rows, state.chosen_of, state.chosen};
  kept_ = rows_of(merged_.rows, choice_.rows);
  if (state.sampled > 0) sample_ = rows_of(merged_.rows, random_rows(all, state.sampled, 0));
  calibration_ = state.calibration;
  background_ = {background_rows(choice_.of), state.background_weights};
  check_state(background_.rows.size() == background_.weights.size() && all_finite(background_.weights),
              "background_weights: expected a finite weight for each point that was left out");
  if (state.factor) restore_factor(*state.factor);
}

void Surrogate::restore_factor(const FactorState& state) {
  check_state(hyperparameters_.mean.has_value(), "hyperparameters: a mean is missing");
  const std::size_t together = state.order.size();
  const std::size_t most =
      choice_.rows.empty() ? merged_.rows.size() : choice_.rows.size() + (merged_.rows.size() - choice_.of);
  check_state(together > 0 && together <= state.rows && state.rows <= most,
              "factor: order and rows do not fit the number of points");
  check_state(is_order(state.order), "factor: order is not an order of its rows");
  check_state(state.counts.empty() || state.counts.size() == state.rows, "factor: expected a count for each row");
  check_state(std::ranges::all_of(state.counts, [](double one) { return std::isfinite(one) && one >= 1; }),
              "factor: expected finite counts of at least 1");
  check_state(state.targets.empty() || (state.targets.size() == state.rows && all_finite(state.targets)),
              "factor: expected a finite target for each row");
  TrainingData rows = rows_of(merged_.rows, factored_rows(state.rows));
  if (!state.counts.empty()) {
    rows.counts = state.counts;
    rows.squares.resize(state.rows, 0.0);
  }
  std::vector<std::size_t> order = state.order;
  const TrainingData first = rows_of(rows, order);
  for (std::size_t row = together; row < state.rows; ++row) order.push_back(row);
  const GpParameters parameters = expand(backend_, hyperparameters_, rows, column_groups_);
  std::unique_ptr<GpFactor> factor =
      std::move(backend_.factor(first.view(), first.targets, {&parameters, 1}, first.counts).front());
  const MatrixView appended{rows.points.data() + together * rows.columns, state.rows - together, rows.columns};
  check_state(factor->append_all(appended) == appended.rows, "factor: a row cannot be appended");
  factored_targets_ = state.targets.empty() ? rows_of(rows, order).targets : state.targets;
  factor->set_targets(factored_targets_);
  if (!background_.rows.empty())
    factor->set_background(rows_of(merged_.rows, background_.rows).view(), background_.weights);
  factor_ = std::move(factor);
  factored_points_ = std::move(rows.points);
  factored_counts_ = std::move(rows.counts);
  factored_together_ = together;
  order_ = std::move(order);
}

}  // namespace carbo::internal
