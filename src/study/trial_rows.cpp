#include "study/trial_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <carbo/error.hpp>
#include <carbo/to_string.hpp>

#include "support/text.hpp"

namespace carbo::internal {
namespace {

const char* filter_of(Trials which) {
  switch (which) {
    case Trials::all:
      return "t.study = ?1 AND ?2 = ?2";
    case Trials::pending:
      return "t.study = ?1 AND ?2 = ?2 AND t.state IN ('waiting', 'running')";
    case Trials::by_id:
      return "t.study = ?1 AND t.id = ?2";
    case Trials::by_key:
      return "t.study = ?1 AND t.trial = ?2";
    case Trials::ended:
      break;
  }
  return "t.study = ?1 AND ?2 = ?2 AND t.result IS NOT NULL AND t.state <> 'withdrawn'";
}

TrialRow read_row(const Database& database, const Query& query) {
  TrialRow row;
  Trial& trial = row.trial;
  row.key = query.whole(0);
  trial.number = static_cast<std::uint64_t>(query.whole(1));
  trial.id = query.maybe_whole(2);
  trial.state = named<TrialState>(database, query.text(3));
  trial.origin = named<Origin>(database, query.text(4));
  trial.objective = query.maybe_real(5);
  trial.cost = query.maybe_real(6);
  trial.reason = query.text(7);
  trial.owner = query.text(8);
  row.process = query.text(9);
  trial.worker = query.text(10);
  trial.started = query.maybe_real(11);
  trial.ended = query.maybe_real(12);
  row.lease = query.real(13);
  trial.lease_end = query.maybe_real(14);
  trial.handed_out = static_cast<std::size_t>(query.whole(15));
  trial.batch = query.maybe_whole(16);
  trial.slot = query.maybe_whole(17);
  if (!query.is_null(18)) trial.phase = named<Phase>(database, query.text(18));
  trial.sequence = query.maybe_whole(19);
  return row;
}

double number_of(const Database& database, const Query& query, const Parameter& parameter) {
  if (parameter.labels().empty()) return query.real(2);
  const std::string label = query.text(2);
  const auto found = std::ranges::find(parameter.labels(), label);
  if (found == parameter.labels().end())
    database.refuse(text("trial ", query.whole(0), ": parameter '", parameter.name(), "' has the value '", label,
                         "', which it does not have"));
  return static_cast<double>(found - parameter.labels().begin());
}

/// Values come in the order of the trials.
void read_values(Database& database, const Space& space, std::int64_t study, Trials which, std::uint64_t value,
                 std::vector<TrialRow>& rows) {
  const std::string sql =
      joined({"SELECT v.trial, v.position, v.value FROM trials t JOIN trial_values v ON v.trial = t.trial WHERE ",
              filter_of(which), " ORDER BY t.number, v.position"});
  Query query(database, sql.c_str(), study, value);
  std::vector<double> numbers(space.parameters().size());
  bool more = query.next();
  for (TrialRow& row : rows) {
    std::size_t count = 0;
    for (; more && query.whole(0) == row.key; more = query.next(), ++count) {
      const auto position = static_cast<std::size_t>(query.whole(1));
      if (position >= numbers.size()) database.refuse(text("trial ", row.key, " has a value of no parameter"));
      numbers[position] = number_of(database, query, space.parameters()[position]);
    }
    if (count != numbers.size()) database.refuse(text("trial ", row.key, " lacks values"));
    try {
      row.trial.configuration = space.configuration(numbers);
    } catch (const InvalidConfiguration& error) {
      database.refuse(text("trial ", row.key, ": ", error.what()));
    }
  }
}

void read_metrics(Database& database, std::int64_t study, Trials which, std::uint64_t value,
                  std::vector<TrialRow>& rows) {
  const std::string sql =
      joined({"SELECT m.trial, m.name, m.value FROM trials t JOIN metrics m ON m.trial = t.trial WHERE ",
              filter_of(which), " ORDER BY t.number"});
  Query query(database, sql.c_str(), study, value);
  auto row = rows.begin();
  while (query.next()) {
    while (row != rows.end() && row->key != query.whole(0)) ++row;
    if (row == rows.end()) return;
    row->trial.metrics.emplace(query.text(1), query.maybe_real(2).value_or(std::numeric_limits<double>::quiet_NaN()));
  }
}

std::optional<std::string> unless_empty(const std::string& words) {
  return words.empty() ? std::nullopt : std::optional(words);
}

}  // namespace

std::vector<TrialRow> read_trials(Database& database, const Space& space, std::int64_t study, Trials which,
                                  std::uint64_t value) {
  std::vector<TrialRow> rows;
  {
    const std::string sql = joined(
        {"SELECT trial, number, id, state, origin, objective, cost, reason, owner, process, worker, started, ended, "
         "lease, lease_end, handed_out, batch, slot, phase, result FROM trials t WHERE ",
         filter_of(which), " ORDER BY number"});
    Query query(database, sql.c_str(), study, value);
    while (query.next()) rows.push_back(read_row(database, query));
  }
  read_values(database, space, study, which, value, rows);
  read_metrics(database, study, which, value, rows);
  return rows;
}

std::optional<TrialRow> read_trial(Database& database, const Space& space, std::int64_t study, Trials which,
                                   std::uint64_t value) {
  std::vector<TrialRow> rows = read_trials(database, space, study, which, value);
  if (rows.empty()) return std::nullopt;
  return std::move(rows.front());
}

std::int64_t insert_trial(Database& database, std::int64_t study, const TrialRow& row) {
  const Trial& trial = row.trial;
  const bool leased = is_pending(trial.state);
  Query(
      database,
      "INSERT INTO trials (study, number, id, state, origin, objective, cost, reason, owner, process, worker, "
      "started, "
      "ended, lease, lease_end, handed_out, batch, slot, phase, result) VALUES (?1, (SELECT next_number FROM studies "
      "WHERE study = ?1), ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)",
      study, trial.id, to_string(trial.state), to_string(trial.origin), trial.objective, trial.cost,
      unless_empty(trial.reason), unless_empty(trial.owner), unless_empty(row.process), unless_empty(trial.worker),
      trial.started, trial.ended, leased ? std::optional(row.lease) : std::nullopt, trial.lease_end,
      std::uint64_t{trial.handed_out}, trial.batch, trial.slot,
      trial.phase ? std::optional<std::string>(to_string(*trial.phase)) : std::nullopt, row.trial.sequence)
      .run();
  const std::int64_t key = database.last_row();
  Query(database, "UPDATE studies SET next_number = next_number + 1 WHERE study = ?1", study).run();
  for (std::size_t i = 0; i < trial.configuration.parameters().size(); ++i) {
    const Parameter& parameter = trial.configuration.parameters()[i];
    const double number = trial.configuration.numbers()[i];
    constexpr const char* sql = "INSERT INTO trial_values VALUES (?1, ?2, ?3)";
    if (!parameter.labels().empty())
      Query(database, sql, key, i, parameter.labels()[static_cast<std::size_t>(number)]).run();
    else if (parameter.kind() == ParameterKind::integer)
      Query(database, sql, key, i, static_cast<std::int64_t>(number)).run();
    else
      Query(database, sql, key, i, number).run();
  }
  insert_metrics(database, key, trial.metrics);
  return key;
}

void insert_metrics(Database& database, std::int64_t key, const std::map<std::string, double>& metrics) {
  for (const auto& [name, value] : metrics)
    Query(database, "INSERT INTO metrics VALUES (?1, ?2, ?3)", key, name, value).run();
}

Observation observation_of(const Trial& trial) {
  constexpr double unknown_number = std::numeric_limits<double>::quiet_NaN();
  return {trial.id,
          trial.configuration,
          status_of(trial.state),
          trial.origin,
          trial.objective.value_or(unknown_number),
          trial.cost.value_or(unknown_number),
          trial.reason,
          trial.batch,
          trial.slot,
          trial.phase};
}

ObservationStatus status_of(TrialState state) {
  if (state == TrialState::succeeded) return ObservationStatus::succeeded;
  return state == TrialState::timed_out ? ObservationStatus::timed_out : ObservationStatus::failed;
}

TrialState state_of(ObservationStatus status) {
  switch (status) {
    case ObservationStatus::succeeded:
      return TrialState::succeeded;
    case ObservationStatus::failed:
      return TrialState::failed;
    case ObservationStatus::timed_out:
      break;
  }
  return TrialState::timed_out;
}

}  // namespace carbo::internal
