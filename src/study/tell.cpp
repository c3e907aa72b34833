// Results: each is a row, a place among the study's events, and what the summary counts.

#include <algorithm>
#include <cmath>
#include <limits>

#include <carbo/error.hpp>
#include <carbo/to_string.hpp>

#include "engine/observation_checks.hpp"
#include "engine/validate_options.hpp"
#include "study/study_state.hpp"
#include "support/text.hpp"

namespace carbo {

using internal::Query;
using internal::text;
using internal::Transaction;
using internal::TrialRow;
using internal::Trials;

namespace {

/// The column of the study's row that counts trials of a state.
std::string column_of(const Trial& trial) { return trial.origin == Origin::prior ? "prior" : to_string(trial.state); }

std::optional<double> unless_nan(double value) { return std::isnan(value) ? std::nullopt : std::optional(value); }

}  // namespace

std::uint64_t Study::State::add_event(const char* kind, std::optional<std::int64_t> trial, double time,
                                      const std::optional<std::string>& configuration) {
  Query(*database_,
        "INSERT INTO events (study, time, kind, trial, owner, configuration) VALUES (?1, ?2, ?3, ?4, ?5, ?6)", study_,
        time, kind, trial, owner_, configuration)
      .run();
  const auto sequence = static_cast<std::uint64_t>(database_->last_row());
  Query(*database_, "UPDATE studies SET changed = max(changed, ?2) WHERE study = ?1", study_, time).run();
  return sequence;
}

TrialRow Study::State::pending_trial(std::uint64_t id) {
  auto row = internal::read_trial(*database_, space_, study_, Trials::by_id, id);
  if (!row) throw UnknownSuggestion(text("suggestion ", id, " was never given out by study '", name_, "'"));
  if (!internal::is_pending(row->trial.state))
    throw UnknownSuggestion(text("suggestion ", id, " is not pending any more: it ",
                                 row->trial.state == TrialState::withdrawn ? "was " : "has ",
                                 to_string(row->trial.state), " and stays so"));
  return std::move(*row);
}

double Study::State::spent_after(const TrialRow& row) {
  const Trial& trial = row.trial;
  double spent = 0;
  {
    Query query(*database_, "SELECT spent FROM studies WHERE study = ?1", study_);
    if (query.next()) spent = query.real(0);
  }
  const double cost = trial.cost.value_or(0);
  const Accounting accounting = internal::resolved_accounting(options_);
  const bool asynchronous = options_.execution == Execution::asynchronous;
  if (accounting == Accounting::wall_clock) return optimizer_ ? optimizer_->spent() : spent;
  const bool alone = asynchronous ? !trial.slot : !trial.batch;
  if (accounting == Accounting::sum || alone) return std::min(spent + cost, std::numeric_limits<double>::max());
  double longest = 0;
  double own_slot = cost;
  const auto count = [&](Query&& query) {
    while (query.next()) {
      const double used = query.real(1);
      longest = std::max(longest, used);
      if (trial.slot && query.maybe_whole(0) == trial.slot) own_slot += used;
    }
  };
  if (asynchronous) {
    count(Query(*database_, "SELECT slot, used FROM slots WHERE study = ?1", study_));
    Query(*database_, "INSERT INTO slots VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET used = used + ?3", study_,
          trial.slot, cost)
        .run();
  } else {
    count(Query(
        *database_,
        "SELECT slot, sum(cost) FROM trials WHERE study = ?1 AND batch = ?2 AND trial <> ?3 AND result IS NOT NULL "
        "AND origin = 'this_run' AND cost IS NOT NULL GROUP BY coalesce(slot, -trial)",
        study_, trial.batch, row.key));
  }
  return std::min(spent + std::max(0.0, own_slot - longest), std::numeric_limits<double>::max());
}

void Study::State::store_result(const TrialRow& row, const TrialNotes& notes) {
  const Trial& trial = row.trial;
  Query(*database_,
        "UPDATE trials SET state = ?2, objective = ?3, cost = ?4, reason = ?5, started = ?6, ended = ?7, lease_end = "
        "NULL, "
        "result = ?8 WHERE trial = ?1",
        row.key, to_string(trial.state), trial.objective, trial.cost,
        trial.reason.empty() ? std::nullopt : std::optional(trial.reason), trial.started, trial.ended,
        row.trial.sequence)
      .run();
  internal::insert_metrics(*database_, row.key, notes.metrics);
  if (trial.state != TrialState::withdrawn && trial.origin == Origin::this_run) {
    const double spent = spent_after(row);
    Query(*database_, "UPDATE studies SET spent = ?2 WHERE study = ?1", study_, spent).run();
  }
  const std::string column = column_of(trial);
  Query(*database_,
        internal::joined({"UPDATE studies SET blocked = NULL, ", column, " = ", column, " + 1 WHERE study = ?1"})
            .c_str(),
        study_)
      .run();
  if (trial.state != TrialState::succeeded) return;
  if (trial.id)
    Query(*database_, "UPDATE studies SET last_success = max(last_success, ?2) WHERE study = ?1", study_, *trial.id)
        .run();
  const char* const better = options_.goal == Goal::minimize
                                 ? "UPDATE studies SET best = ?2 WHERE study = ?1 AND (best IS NULL OR ?3 < (SELECT "
                                   "objective FROM trials WHERE trial = best))"
                                 : "UPDATE studies SET best = ?2 WHERE study = ?1 AND (best IS NULL OR ?3 > (SELECT "
                                   "objective FROM trials WHERE trial = best))";
  Query(*database_, better, study_, row.key, trial.objective).run();
}

void Study::State::resolve(TrialRow row, const TrialNotes& notes) {
  const double time = now();
  Trial& trial = row.trial;
  Transaction transaction(*database_, Transaction::Kind::write);
  const TrialRow before = pending_trial(*trial.id);
  row.key = before.key;
  trial.origin = before.trial.origin;
  trial.batch = before.trial.batch;
  trial.slot = before.trial.slot;
  trial.started = notes.started ? notes.started : before.trial.started;
  trial.ended = notes.ended ? *notes.ended : std::max(time, trial.started.value_or(time));
  const char* const kind = trial.state == TrialState::withdrawn   ? "withdraw"
                           : trial.state == TrialState::succeeded ? "tell"
                                                                  : "fail";
  row.trial.sequence = add_event(kind, row.key, time);
  const std::string column = to_string(before.trial.state);
  Query(*database_, internal::joined({"UPDATE studies SET ", column, " = ", column, " - 1 WHERE study = ?1"}).c_str(),
        study_)
      .run();
  store_result(row, notes);
  transaction.commit();
}

void Study::State::tell(std::uint64_t id, const Evaluation& evaluation, const TrialNotes& notes) {
  internal::check_objective(evaluation.objective, options_.transform, internal::Subject(id));
  internal::check_cost(evaluation.cost, internal::Subject(id));
  TrialRow row;
  row.trial.id = id;
  row.trial.state = TrialState::succeeded;
  row.trial.objective = evaluation.objective;
  row.trial.cost = evaluation.cost;
  resolve(std::move(row), notes);
}

void Study::State::fail(std::uint64_t id, double cost, std::string reason, bool timed_out, const TrialNotes& notes) {
  internal::check_failure_cost(cost, timed_out, internal::Subject(id));
  TrialRow row;
  row.trial.id = id;
  row.trial.state = timed_out ? TrialState::timed_out : TrialState::failed;
  row.trial.cost = cost;
  row.trial.reason = std::move(reason);
  resolve(std::move(row), notes);
}

void Study::State::withdraw(std::uint64_t id) {
  TrialRow row;
  row.trial.id = id;
  row.trial.state = TrialState::withdrawn;
  resolve(std::move(row), {});
}

void Study::State::tell(const Observation& observation, const TrialNotes& notes) {
  const double time = now();
  Observation told = observation;
  told.configuration = own(observation.configuration);
  internal::check_told(told, options_.transform);
  TrialRow row;
  Trial& trial = row.trial;
  trial.state = internal::state_of(told.status);
  trial.origin = told.origin;
  trial.configuration = told.configuration;
  trial.objective = told.status == ObservationStatus::succeeded ? unless_nan(told.objective) : std::nullopt;
  trial.cost = unless_nan(told.cost);
  trial.reason = told.reason;
  trial.batch = told.batch;
  trial.slot = told.slot;
  trial.phase = told.phase;
  trial.owner = owner_;
  trial.started = notes.started;
  trial.ended = notes.ended.value_or(time);
  Transaction transaction(*database_, Transaction::Kind::write);
  row.key = internal::insert_trial(*database_, study_, row);
  row.trial.sequence = add_event("tell", row.key, time);
  if (told.batch && told.origin == Origin::this_run)
    Query(*database_, "UPDATE studies SET next_batch = max(next_batch, ?2) WHERE study = ?1", study_, *told.batch + 1)
        .run();
  store_result(row, notes);
  transaction.commit();
}

void Study::State::begin(std::uint64_t id, const std::string& worker) {
  const double time = now();
  Transaction transaction(*database_, Transaction::Kind::write);
  const TrialRow row = pending_trial(id);
  if (row.trial.state == TrialState::waiting)
    Query(*database_, "UPDATE studies SET waiting = waiting - 1, running = running + 1 WHERE study = ?1", study_)
        .run();
  Query(*database_, "UPDATE trials SET state = 'running', started = ?2, worker = ?3 WHERE trial = ?1", row.key, time,
        worker.empty() ? std::nullopt : std::optional(worker))
      .run();
  transaction.commit();
}

void Study::State::report(std::uint64_t id, const Report& report) {
  const double time = report.time.value_or(now());
  if (!std::isfinite(report.step))
    throw InvalidObservation(text("suggestion ", id, ": a report's step is ", report.step, "; give a finite number"));
  Transaction transaction(*database_, Transaction::Kind::write);
  const TrialRow row = pending_trial(id);
  std::int64_t number = 0;
  {
    Query query(*database_, "SELECT coalesce(max(report) + 1, 0) FROM reports WHERE trial = ?1", row.key);
    if (query.next()) number = query.whole(0);
  }
  for (const auto& [name, value] : report.values)
    Query(*database_, "INSERT INTO reports VALUES (?1, ?2, ?3, ?4, ?5, ?6)", row.key, number, report.step, time, name,
          value)
        .run();
  transaction.commit();
}

}  // namespace carbo
