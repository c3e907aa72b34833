#include "engine/optimizer_state.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include <carbo/error.hpp>

#include "engine/observation_checks.hpp"
#include "engine/run_totals.hpp"
#include "engine/time_unit.hpp"
#include "engine/validate_options.hpp"
#include "engine/warnings.hpp"
#include "space/checks.hpp"
#include "support/stopwatch.hpp"
#include "support/text.hpp"

namespace carbo {

using internal::text;

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

std::vector<int> column_groups(const Space& space) {
  const auto groups = space.column_parameters();
  return {groups.begin(), groups.end()};
}

internal::ModelPairOptions model_options(const Options& options) {
  return {options.surrogate,
          options.transform,
          options.goal,
          options.failures.penalize,
          internal::uses_pool_column(options.cost),
          options.seed};
}

}  // namespace

Optimizer::State::State(Space space, Options options) : State(std::move(space), std::move(options), Begun{}) {
  if (store_.fixed()) {
    store_.prepare_design({});
    check_points_in_pool();
  } else if (!internal::uniform_draw(space_, options_.seed, 0)) {
    throw InvalidSpace(
        "no configuration that satisfies the constraints was found in 10,000 uniform draws; loosen them, or give the "
        "feasible configurations as a pool");
  }
}

Optimizer::State::State(Space space, Options options, Begun)
    : space_(std::move(space)),
      accounting_automatic_(options.accounting == Accounting::automatic),
      options_(internal::validated(space_, std::move(options))),
      backend_(internal::make_backend(options_.backend, &backend_choice_)),
      history_(space_),
      ledger_(options_.accounting, options_.execution, options_.batch_size,
              internal::seconds_per_unit(options_.cost.unit), internal::steady_seconds),
      plan_(options_),
      models_(*backend_, column_groups(space_), model_options(options_),
              internal::make_cost_model(
                  space_, options_.cost, *backend_,
                  options_.candidates.pool ? std::optional(options_.candidates.pool->size()) : std::nullopt)),
      store_(space_, options_, *backend_) {
  options_.backend.memory_bytes = backend_choice_.memory_bytes;
  follow(memory_plan());
}

void Optimizer::State::tell(std::uint64_t id, const Evaluation& evaluation) {
  history_.pending_point(id);
  internal::check_objective(evaluation.objective, options_.transform, internal::Subject(id));
  internal::check_cost(evaluation.cost, internal::Subject(id));
  resolve(id, {ObservationStatus::succeeded, evaluation.objective, evaluation.cost});
}

namespace {

ObservationStatus failure(bool timed_out) {
  return timed_out ? ObservationStatus::timed_out : ObservationStatus::failed;
}

}  // namespace

void Optimizer::State::fail(std::uint64_t id, double cost, std::string reason, bool timed_out) {
  history_.pending_point(id);
  internal::check_failure_cost(cost, timed_out, internal::Subject(id));
  resolve(id, {failure(timed_out), unknown, cost, std::move(reason)});
}

void Optimizer::State::tell(const Configuration& configuration, const Evaluation& evaluation, Origin origin) {
  if (std::isnan(evaluation.cost)) internal::check_cost(evaluation.cost, internal::Subject(configuration));
  tell(
      {std::nullopt, configuration, ObservationStatus::succeeded, origin, evaluation.objective, evaluation.cost, ""});
}

void Optimizer::State::tell_prior(const Configuration& configuration, double objective) {
  tell({std::nullopt, configuration, ObservationStatus::succeeded, Origin::prior, objective, unknown, ""});
}

void Optimizer::State::fail(const Configuration& configuration, double cost, std::string reason, bool timed_out,
                            Origin origin) {
  internal::check_failure_cost(cost, timed_out, internal::Subject(configuration));
  tell({std::nullopt, configuration, failure(timed_out), origin, unknown, cost, std::move(reason)});
}

void Optimizer::State::tell(Observation observation) {
  observation.id.reset();
  observation.configuration = own(observation.configuration);
  internal::check_told(observation, options_.transform);
  if (observation.status != ObservationStatus::succeeded) observation.objective = unknown;
  record(std::move(observation));
}

void Optimizer::State::withdraw(std::uint64_t id) {
  history_.pending_point(id);
  history_.withdraw(id);
  ledger_.withdraw(id);
  store_.invalidate();
  blocked_.reset();
}

std::vector<Suggestion> Optimizer::State::pending_suggestions() const {
  std::vector<Suggestion> suggestions;
  for (const auto& [id, point] : history_.pending()) {
    suggestions.push_back(internal::suggestion_of(id, point));
    suggestions.back().slot = ledger_.place(id).slot;
  }
  return suggestions;
}

Phase Optimizer::State::phase() const {
  if (plan_.ended()) return Phase::search;
  return plan_.warm_start_left(points_known()) > 0 ? Phase::warm_start : Phase::design;
}

StopReason Optimizer::State::stop_reason() const {
  internal::RunTotals totals;
  if (const Observation* const found = options_.target ? best() : nullptr) totals.best = found->objective;
  totals.failures_in_a_row = history_.failures_in_a_row();
  totals.evaluated = history_.evaluated_in_run();
  totals.pending = history_.pending().size();
  totals.spent = ledger_.spent();
  totals.blocked = blocked_;
  return internal::stop_reason(options_, totals);
}

std::vector<std::string> Optimizer::State::warnings() const {
  internal::RunFacts facts{space_, options_, history_.observations()};
  facts.accounting_automatic = accounting_automatic_;
  facts.spent = ledger_.spent();
  facts.searched = plan_.ended();
  facts.suggested = next_id_;
  if (store_.fixed()) facts.candidates = store_.candidates();
  facts.reason = stop_reason();
  std::vector<std::string> warnings = internal::warnings_of(facts);
  warnings.insert(warnings.begin(), restore_warnings_.begin(), restore_warnings_.end());
  return warnings;
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
    const ToldBatch batch = told_batch_of(observation);
    ledger_.add_unsuggested(observation.cost, {observation.batch, observation.slot});
    // Nothing fails from here on.
    told_batch_ = batch;
    follow_design(batch, observation.phase);
    pass_told_points(observation);
  }
  history_.record(std::move(observation), pool_row);
  blocked_.reset();
}

}  // namespace carbo
