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
  follow(memory_plan());
  if (store_.fixed()) {
    store_.prepare_design({});
    check_points_in_pool();
  } else if (!internal::uniform_draw(space_, options_.seed, 0)) {
    throw InvalidSpace(
        "no configuration that satisfies the constraints was found in 10,000 uniform draws; loosen them, or give the "
        "feasible configurations as a pool");
  }
}

template <class Where>
void Optimizer::State::check(const Evaluation& evaluation, const Where& where) const {
  if (!std::isfinite(evaluation.objective)) {
    throw InvalidObservation(text(where(), ": the objective is ", evaluation.objective,
                                  "; give a finite number, or report the evaluation with fail"));
  }
  if (!std::isfinite(evaluation.cost) || !(evaluation.cost > 0)) {
    throw InvalidObservation(
        text(where(), ": the cost is ", evaluation.cost, "; give a finite number above 0, in units of the budget"));
  }
  if (options_.transform == Transform::log && !(evaluation.objective > 0)) {
    throw InvalidObservation(text(where(), ": the objective is ", evaluation.objective,
                                  ", which has no logarithm; use Transform::none or Transform::rank, or report the "
                                  "evaluation with fail"));
  }
}

void Optimizer::State::tell(std::uint64_t id, const Evaluation& evaluation) {
  history_.pending_point(id);
  check(evaluation, [&] { return text("suggestion ", id); });
  resolve(id, {ObservationStatus::succeeded, evaluation.objective, evaluation.cost});
}

void Optimizer::State::tell(const Configuration& configuration, const Evaluation& evaluation, Origin origin) {
  Configuration mine = own(configuration);
  check(evaluation, [&] { return text("configuration ", configuration.to_string()); });
  record({std::nullopt, std::move(mine), ObservationStatus::succeeded, origin, evaluation.objective, evaluation.cost,
          ""});
}

namespace {

constexpr double no_objective = std::numeric_limits<double>::quiet_NaN();

/// `where()`: words for the message.
template <class Where>
void check_failure_cost(double cost, bool timed_out, const Where& where) {
  const bool valid = std::isfinite(cost) && (timed_out ? cost > 0 : cost >= 0);
  if (valid) return;
  throw InvalidObservation(text(where(), ": a failure's cost is ", cost, "; give a finite number ",
                                timed_out ? "above 0" : "of at least 0", ", in units of the budget"));
}

ObservationStatus failure(bool timed_out) {
  return timed_out ? ObservationStatus::timed_out : ObservationStatus::failed;
}

}  // namespace

void Optimizer::State::fail(std::uint64_t id, double cost, std::string reason, bool timed_out) {
  history_.pending_point(id);
  check_failure_cost(cost, timed_out, [&] { return text("suggestion ", id); });
  resolve(id, {failure(timed_out), no_objective, cost, std::move(reason)});
}

void Optimizer::State::fail(const Configuration& configuration, double cost, std::string reason, bool timed_out,
                            Origin origin) {
  Configuration mine = own(configuration);
  check_failure_cost(cost, timed_out, [&] { return text("configuration ", configuration.to_string()); });
  record({std::nullopt, std::move(mine), failure(timed_out), origin, no_objective, cost, std::move(reason)});
}

void Optimizer::State::tell(const Observation& observation) {
  Observation mine = observation;
  mine.id.reset();
  mine.configuration = own(observation.configuration);
  const auto where = [&] { return text("configuration ", observation.configuration.to_string()); };
  if (mine.batch == std::numeric_limits<std::uint64_t>::max()) {
    throw InvalidObservation(text(where(), ": the batch is ", *mine.batch, ", which no batch can follow"));
  }
  if (mine.status == ObservationStatus::succeeded) {
    check({mine.objective, mine.cost}, where);
  } else {
    check_failure_cost(mine.cost, mine.status == ObservationStatus::timed_out, where);
    mine.objective = no_objective;
  }
  record(std::move(mine));
}

void Optimizer::State::withdraw(std::uint64_t id) {
  history_.pending_point(id);
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
  if (const Observation* const found = options_.target ? best() : nullptr) {
    const bool minimize = options_.goal == Goal::minimize;
    if (minimize ? found->objective <= *options_.target : found->objective >= *options_.target) {
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

void Optimizer::State::resolve(std::uint64_t id, internal::EvaluationResult&& result) noexcept {
  const internal::Place place = ledger_.place(id);
  result.batch = place.batch;
  result.slot = place.slot;
  ledger_.finish(id, result.cost);
  history_.resolve(id, std::move(result));
  blocked_.reset();
}

void Optimizer::State::record(Observation observation) {
  const bool find = internal::uses_pool_column(options_.cost);
  const auto pool_row = find ? store_.find_in_pool(observation.configuration.numbers()) : std::nullopt;
  history_.make_room(1);
  if (observation.origin == Origin::this_run) {
    const std::optional<double> design_end = used_at_design_end(observation);
    ledger_.add_unsuggested(observation.cost, {observation.batch, observation.slot});
    // Nothing fails from here on.
    if (design_end) plan_.end();
    if (design_end && best() != nullptr) plan_.settle_spent(*design_end);  // else there was nothing to search by
    pass_told_points(observation);
  }
  history_.record(std::move(observation), pool_row);
  blocked_.reset();
}

}  // namespace carbo
