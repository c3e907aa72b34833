#include <carbo/error.hpp>
#include <carbo/json.hpp>

#include <limits>
#include <map>

#include "study/study_state.hpp"
#include "study/summaries.hpp"
#include "support/text.hpp"

namespace carbo {

using internal::Query;
using internal::TrialRow;
using internal::Trials;

StudySummary Study::State::summary() {
  const internal::Transaction moment(*database_, internal::Transaction::Kind::read);
  return internal::read_summary(*database_, study_, space_, options_);
}

std::vector<Trial> Study::State::read(Trials which, std::uint64_t value) {
  std::vector<TrialRow> rows;
  {
    const internal::Transaction moment(*database_, internal::Transaction::Kind::read);
    rows = internal::read_trials(*database_, space_, study_, which, value);
  }
  const double time = now();
  std::map<std::string, bool> dead;  // by the mark of the process
  std::vector<Trial> trials;
  for (TrialRow& row : rows) {
    if (internal::is_pending(row.trial.state)) {
      const auto [known, fresh] = dead.try_emplace(row.process, false);
      if (fresh && !row.process.empty() && row.process != process_)
        known->second = internal::certainly_dead(row.process);
      row.trial.lost = known->second || row.trial.lease_end.value_or(0) <= time;
    }
    trials.push_back(std::move(row.trial));
  }
  return trials;
}

std::optional<Trial> Study::State::trial(std::uint64_t id) {
  std::vector<Trial> found = read(Trials::by_id, id);
  return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
}

std::vector<Report> Study::State::reports(std::uint64_t id) {
  std::vector<Report> reports;
  std::int64_t last = -1;
  Query query(
      *database_,
      "SELECT r.report, r.step, r.time, r.name, r.value FROM trials t JOIN reports r ON r.trial = t.trial WHERE "
      "t.study = ?1 AND t.id = ?2 ORDER BY r.report, r.name",
      study_, id);
  for (; query.next(); last = query.whole(0)) {
    if (reports.empty() || query.whole(0) != last) reports.push_back({query.real(1), query.real(2), {}});
    reports.back().values.emplace(query.text(3),
                                  query.maybe_real(4).value_or(std::numeric_limits<double>::quiet_NaN()));
  }
  return reports;
}

std::optional<Receipt> Study::State::receipt(std::uint64_t id) {
  std::string suggestion;
  {
    Query query(
        *database_,
        "SELECT r.suggestion FROM trials t JOIN receipts r ON r.trial = t.trial WHERE t.study = ?1 AND t.id = ?2",
        study_, id);
    if (!query.next()) return std::nullopt;
    suggestion = query.text(0);
  }
  return suggestion_from_json(space_, suggestion).receipt;
}

Suggestion Study::State::stored_suggestion(const TrialRow& row) {
  Suggestion suggestion;
  {
    Query query(*database_, "SELECT suggestion FROM receipts WHERE trial = ?1", row.key);
    if (query.next()) suggestion = suggestion_from_json(space_, query.text(0));
  }
  suggestion.id = row.trial.id.value_or(0);
  suggestion.configuration = row.trial.configuration;
  if (row.trial.slot) suggestion.slot = *row.trial.slot;
  return suggestion;
}

std::vector<Suggestion> Study::State::pending_suggestions() {
  const internal::Transaction moment(*database_, internal::Transaction::Kind::read);
  std::vector<Suggestion> suggestions;
  for (const TrialRow& row : internal::read_trials(*database_, space_, study_, Trials::pending))
    suggestions.push_back(stored_suggestion(row));
  return suggestions;
}

std::vector<Configuration> Study::State::enqueued() {
  std::vector<Configuration> configurations;
  Query query(*database_, "SELECT configuration FROM enqueued WHERE study = ?1 ORDER BY sequence", study_);
  while (query.next()) configurations.push_back(configuration_from_json(space_, query.text(0)));
  return configurations;
}

void Study::State::set_attribute(const std::string& key, const std::string& value) {
  if (key.starts_with("carbo."))
    throw InvalidOptions(internal::text(
        "the attribute '", key, "' would be the library's own; give it a name that does not begin with 'carbo.'"));
  internal::Transaction transaction(*database_, internal::Transaction::Kind::write);
  Query(*database_, "INSERT INTO attributes VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET value = ?3", study_, key,
        value)
      .run();
  transaction.commit();
}

std::optional<std::string> Study::State::attribute(const std::string& key) {
  Query query(*database_, "SELECT value FROM attributes WHERE study = ?1 AND key = ?2", study_, key);
  return query.next() ? std::optional(query.text(0)) : std::nullopt;
}

}  // namespace carbo
