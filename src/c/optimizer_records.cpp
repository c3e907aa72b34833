#include "c/optimizer_records.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include <carbo/error.hpp>

#include "c/convert.hpp"
#include "c/enumerators.hpp"
#include "c/status.hpp"

namespace carbo::internal::c {
namespace {

constexpr double absent = std::numeric_limits<double>::quiet_NaN();

double or_absent(const std::optional<double>& value) { return value.value_or(absent); }

template <class Unsigned>
int64_t or_none(const std::optional<Unsigned>& value) {
  return value ? static_cast<int64_t>(*value) : -1;
}

template <class Enum>
int32_t enumerator_or_none(const std::optional<Enum>& value) {
  return value ? static_cast<int32_t>(*value) : -1;
}

carbo_calibration c_calibration(const std::optional<Calibration>& calibration) {
  if (!calibration) return {absent, absent, absent};
  return {calibration->log_density, calibration->coverage, calibration->squared_residual};
}

/// -1 stands for none.
std::optional<std::uint64_t> place(int64_t given, const char* name) {
  if (given == -1) return std::nullopt;
  return count(given, name);
}

void write_predictions(const Receipt& receipt, carbo_suggestion& made) {
  made.predicted_cost = or_absent(receipt.predicted_cost);
  made.predicted_log_cost_sd = or_absent(receipt.predicted_log_cost_sd);
  made.predicted_objective = or_absent(receipt.predicted_objective);
  made.predicted_objective_sd = or_absent(receipt.predicted_objective_sd);
  made.predicted_objective_lower = or_absent(receipt.predicted_objective_lower);
  made.predicted_objective_upper = or_absent(receipt.predicted_objective_upper);
  made.objective_jitter = receipt.objective_jitter;
  made.cost_jitter = receipt.cost_jitter;
  made.objective_calibration = c_calibration(receipt.objective_calibration);
  made.cost_calibration = c_calibration(receipt.cost_calibration);
  made.objective_points = static_cast<int64_t>(receipt.objective_points.known);
  made.objective_points_used = static_cast<int64_t>(receipt.objective_points.used);
  made.cost_points = static_cast<int64_t>(receipt.cost_points.known);
  made.cost_points_used = static_cast<int64_t>(receipt.cost_points.used);
  made.transform = enumerator_or_none(receipt.transform);
  made.cost_model = enumerator_or_none(receipt.cost_model);
  std::ranges::fill(made.cost_model_scores, absent);
  for (const CostModelScore& one : receipt.cost_model_scores)
    made.cost_model_scores[static_cast<std::size_t>(one.model)] = one.log_density;
  std::ranges::fill(made.transform_scores, absent);
  for (const TransformScore& one : receipt.transform_scores)
    made.transform_scores[static_cast<std::size_t>(one.transform)] = one.log_score;
}

}  // namespace

carbo_suggestion c_suggestion(const Suggestion& suggestion) {
  const Receipt& receipt = suggestion.receipt;
  carbo_suggestion made{};
  made.struct_size = sizeof made;
  made.phase = static_cast<carbo_phase>(receipt.phase);
  made.id = static_cast<int64_t>(suggestion.id);
  made.pool_index = or_none(suggestion.pool_index);
  made.timeout = or_absent(suggestion.timeout);
  made.slot = static_cast<int64_t>(suggestion.slot);
  made.order = static_cast<int64_t>(suggestion.order);
  made.enqueued = receipt.enqueued ? 1 : 0;
  made.alpha = or_absent(receipt.alpha);
  made.acquisition_parameter = or_absent(receipt.acquisition_parameter);
  made.spent = receipt.spent;
  made.committed = receipt.committed;
  made.progress = receipt.progress;
  write_predictions(receipt, made);
  made.log_score = or_absent(receipt.log_score);
  made.runner_up_log_score = or_absent(receipt.runner_up_log_score);
  made.break_even_price = or_absent(receipt.break_even_price);
  made.would_stop = enumerator_or_none(receipt.would_stop);
  made.round_length = or_absent(receipt.round_length);
  made.fill = or_absent(receipt.fill);
  made.design_gain = or_absent(receipt.design_gain);
  made.design_end = enumerator_or_none(receipt.design_end);
  made.candidates = static_cast<int64_t>(receipt.candidates);
  made.finished_share = or_absent(receipt.finished_share);
  made.refreshed_share = or_absent(receipt.refreshed_share);
  made.low_precision_share = or_absent(receipt.low_precision_share);
  made.candidate_seconds = receipt.seconds.candidates;
  made.fit_seconds = receipt.seconds.fit;
  made.sweep_seconds = receipt.seconds.sweep;
  made.pick_seconds = receipt.seconds.pick;
  return made;
}

carbo_observation c_observation(const Observation& observation) {
  carbo_observation made{};
  made.struct_size = sizeof made;
  made.status = static_cast<carbo_observation_status>(observation.status);
  made.origin = static_cast<carbo_origin>(observation.origin);
  made.id = or_none(observation.id);
  made.objective = observation.objective;
  made.cost = observation.cost;
  made.batch = or_none(observation.batch);
  made.slot = or_none(observation.slot);
  return made;
}

carbo_prediction c_prediction(const Prediction& prediction) {
  carbo_prediction made{sizeof made, absent, absent, absent, absent, absent, absent, absent, absent};
  if (prediction.objective) {
    made.median = prediction.objective->median;
    made.lower = prediction.objective->lower;
    made.upper = prediction.objective->upper;
    made.standard_deviation = or_absent(prediction.objective->standard_deviation);
    made.standardised_mean = prediction.objective->standardised_mean;
    made.standardised_deviation = prediction.objective->standardised_deviation;
  }
  if (prediction.cost) {
    made.cost = prediction.cost->median;
    made.log_cost_sd = prediction.cost->log_standard_deviation;
  }
  return made;
}

Observation observation_of(const carbo_observation* given, Configuration configuration, const char* reason) {
  require_pointer(given, "observation");
  require_struct_size(given->struct_size, sizeof *given, "observation");
  Observation made{std::nullopt,
                   std::move(configuration),
                   enumerated(given->status, last_status, "observation.status"),
                   enumerated(given->origin, last_origin, "observation.origin"),
                   given->objective,
                   given->cost,
                   reason != nullptr ? reason : ""};
  made.batch = place(given->batch, "observation.batch");
  made.slot = place(given->slot, "observation.slot");
  return made;
}

void write_numbers(const Configuration& configuration, double* numbers, std::size_t place) {
  const auto own = configuration.numbers();
  std::ranges::copy(own, numbers + place * own.size());
}

}  // namespace carbo::internal::c
