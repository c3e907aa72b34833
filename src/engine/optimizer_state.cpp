#include "engine/optimizer_state.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include <carbo/error.hpp>

#include "engine/validate_options.hpp"
#include "space/checks.hpp"
#include "support/stopwatch.hpp"
#include "support/text.hpp"

namespace carbo {

using internal::text;

Optimizer::State::State(Space space, Options options)
    : space_(std::move(space)),
      options_(internal::validated(space_, std::move(options))),
      backend_(internal::make_backend(options_.backend, &backend_choice_)),
      history_(space_),
      ledger_(options_.accounting, options_.execution, options_.batch_size,
              internal::seconds_per_unit(options_.cost.unit), internal::steady_seconds),
      plan_(options_),
      models_(space_, options_, *backend_,
              options_.candidates.pool ? std::optional(options_.candidates.pool->size()) : std::nullopt),
      store_(space_, options_, *backend_) {
  options_.backend.memory_bytes = backend_choice_.memory_bytes;
  store_.follow(memory_plan());
  if (store_.fixed()) {
    store_.prepare_design({});
    check_points_in_pool();
  } else if (!internal::uniform_draw(space_, options_.seed, 0)) {
    throw InvalidSpace(
        "no configuration that satisfies the constraints was found in 10,000 uniform draws; loosen them, or give the "
        "feasible configurations as a pool");
  }
}

void Optimizer::State::tell(std::uint64_t id, const Evaluation& evaluation) {
  const Configuration configuration = history_.pending_point(id).configuration;
  check(evaluation, text("suggestion ", id));
  record(
      {id, configuration, ObservationStatus::succeeded, Origin::this_run, evaluation.objective, evaluation.cost, ""});
}

void Optimizer::State::tell(const Configuration& configuration, const Evaluation& evaluation, Origin origin) {
  Configuration mine = own(configuration);
  check(evaluation, text("configuration ", configuration.to_string()));
  record({std::nullopt, std::move(mine), ObservationStatus::succeeded, origin, evaluation.objective, evaluation.cost,
          ""});
}

void Optimizer::State::check_failure_cost(double cost, bool timed_out, const std::string& where) {
  const bool valid = std::isfinite(cost) && (timed_out ? cost > 0 : cost >= 0);
  if (valid) return;
  throw InvalidObservation(text(where, ": a failure's cost is ", cost, "; give a finite number ",
                                timed_out ? "above 0" : "of at least 0", ", in units of the budget"));
}

namespace {

Observation failure(std::optional<std::uint64_t> id, Configuration configuration, double cost,
                    const std::string& reason, bool timed_out, Origin origin) {
  return {id,
          std::move(configuration),
          timed_out ? ObservationStatus::timed_out : ObservationStatus::failed,
          origin,
          std::numeric_limits<double>::quiet_NaN(),
          cost,
          reason};
}

}  // namespace

void Optimizer::State::fail(std::uint64_t id, double cost, const std::string& reason, bool timed_out) {
  const Configuration configuration = history_.pending_point(id).configuration;
  check_failure_cost(cost, timed_out, text("suggestion ", id));
  record(failure(id, configuration, cost, reason, timed_out, Origin::this_run));
}

void Optimizer::State::fail(const Configuration& configuration, double cost, const std::string& reason,
                            bool timed_out, Origin origin) {
  Configuration mine = own(configuration);
  check_failure_cost(cost, timed_out, text("configuration ", configuration.to_string()));
  record(failure(std::nullopt, std::move(mine), cost, reason, timed_out, origin));
}

void Optimizer::State::withdraw(std::uint64_t id) {
  history_.withdraw(id);
  ledger_.withdraw(id);
  store_.invalidate();
  blocked_.reset();
}

Phase Optimizer::State::phase() const {
  if (plan_.ended()) return Phase::search;
  return plan_.warm_start_left(points_known()) > 0 ? Phase::warm_start : Phase::design;
}

StopReason Optimizer::State::stop_reason() const {
  if (best_ && options_.target) {
    const bool minimize = options_.goal == Goal::minimize;
    if (minimize ? best_->objective <= *options_.target : best_->objective >= *options_.target) {
      return StopReason::target;
    }
  }
  if (options_.max_evaluations && history_.evaluated_in_run() >= *options_.max_evaluations) {
    return StopReason::evaluations;
  }
  if (!(ledger_.spent() < options_.budget)) return StopReason::budget;
  if (blocked_ && history_.pending().empty()) return *blocked_;
  return StopReason::running;
}

void Optimizer::State::check_points_in_pool() const {
  if (!options_.candidates.pool) return;
  for (std::size_t i = 0; i < options_.design.points.size(); ++i) {
    if (store_.find_in_pool(options_.design.points[i].numbers())) continue;
    throw InvalidOptions(text("design.points[", i, "] (", options_.design.points[i].to_string(),
                              ") is not in the pool; give rows of the pool"));
  }
}

Configuration Optimizer::State::own(const Configuration& configuration) const {
  if (!internal::same_names(space_.parameters(), configuration.parameters())) {
    throw InvalidConfiguration(
        text("configuration ", configuration.to_string(),
             " was made by a space with other parameters; make it with this optimizer's space()"));
  }
  return space_.configuration(configuration.numbers());
}

void Optimizer::State::check(const Evaluation& evaluation, const std::string& where) const {
  if (!std::isfinite(evaluation.objective)) {
    throw InvalidObservation(text(where, ": the objective is ", evaluation.objective,
                                  "; give a finite number, or report the evaluation with fail"));
  }
  if (!std::isfinite(evaluation.cost) || !(evaluation.cost > 0)) {
    throw InvalidObservation(
        text(where, ": the cost is ", evaluation.cost, "; give a finite number above 0, in units of the budget"));
  }
  if (options_.transform == Transform::log && !(evaluation.objective > 0)) {
    throw InvalidObservation(text(where, ": the objective is ", evaluation.objective,
                                  ", which has no logarithm; use Transform::none or Transform::rank, or report the "
                                  "evaluation with fail"));
  }
}

void Optimizer::State::record(Observation observation) {
  const bool find = !observation.id && internal::uses_pool_column(options_.cost);
  const auto pool_row = find ? store_.find_in_pool(observation.configuration.numbers()) : std::nullopt;
  if (observation.id) {
    const internal::Place place = ledger_.place(*observation.id);
    observation.batch = place.batch;
    observation.slot = place.slot;
    ledger_.finish(*observation.id, observation.cost);
  } else if (observation.origin == Origin::this_run) {
    follow_design(observation);
    ledger_.add_unsuggested(observation.cost, {observation.batch, observation.slot});
    pass_told_points(observation);
  }
  const double sign = options_.goal == Goal::maximize ? -1.0 : 1.0;
  const bool success = observation.status == ObservationStatus::succeeded;
  if (success && (!best_ || sign * observation.objective < sign * best_->objective)) best_ = observation;
  history_.record(std::move(observation), pool_row);
  blocked_.reset();
}

}  // namespace carbo
