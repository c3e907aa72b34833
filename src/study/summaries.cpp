#include "study/summaries.hpp"

#include <carbo/error.hpp>
#include <carbo/to_string.hpp>

#include "engine/run_totals.hpp"
#include "study/trial_rows.hpp"
#include "support/text.hpp"

namespace carbo::internal {
namespace {

std::size_t count_of(Database& database, const char* sql, std::int64_t study) {
  Query query(database, sql, study);
  return query.next() ? static_cast<std::size_t>(query.whole(0)) : 0;
}

}  // namespace

std::optional<std::int64_t> find_study(Database& database, const std::string& name) {
  Query query(database, "SELECT study FROM studies WHERE name = ?1", name);
  return query.next() ? std::optional(query.whole(0)) : std::nullopt;
}

std::vector<NamedStudy> named_studies(Database& database) {
  std::vector<NamedStudy> studies;
  Query query(database, "SELECT study, name FROM studies ORDER BY name");
  while (query.next()) studies.push_back({query.whole(0), query.text(1)});
  return studies;
}

NamedStudy named_study(Database& database, const std::string& name) {
  const std::vector<NamedStudy> studies = named_studies(database);
  if (name.empty() && studies.size() == 1) return studies.front();
  std::string names;
  for (const NamedStudy& one : studies) {
    if (!name.empty() && one.name == name) return one;
    names += text(names.empty() ? "'" : ", '", one.name, "'");
  }
  const std::string has = studies.empty() ? "it has none" : text("it has ", names);
  throw UnknownStudy(name.empty()
                         ? text("study file ", database.file().string(), ": name one of its studies; ", has)
                         : text("study file ", database.file().string(), " has no study '", name, "'; ", has));
}

std::optional<double> paused_since(Database& database, std::int64_t study) {
  Query query(database, "SELECT CAST(value AS REAL) FROM attributes WHERE study = ?1 AND key = 'carbo.paused'",
              study);
  return query.next() ? std::optional(query.real(0)) : std::nullopt;
}

StudySummary read_summary(Database& database, std::int64_t study, const Space& space, const Options& options) {
  StudySummary summary;
  RunTotals totals;
  std::optional<std::uint64_t> best;
  {
    Query query(
        database,
        "SELECT name, created, changed, budget, spent, unit, goal, phase, blocked, succeeded, failed, timed_out, "
        "running, waiting, withdrawn, prior, best FROM studies WHERE study = ?1",
        study);
    if (!query.next()) database.refuse("the study was removed while it was open");
    const auto count = [&](int column) { return static_cast<std::size_t>(query.whole(column)); };
    summary.name = query.text(0);
    summary.created = query.real(1);
    summary.changed = query.real(2);
    summary.budget = query.real(3);
    summary.spent = query.real(4);
    summary.cost_unit = query.text(5);
    summary.goal = named<Goal>(database, query.text(6));
    summary.phase = named<Phase>(database, query.text(7));
    if (!query.is_null(8)) totals.blocked = named<StopReason>(database, query.text(8));
    summary.succeeded = count(9);
    summary.failed = count(10);
    summary.timed_out = count(11);
    summary.running = count(12);
    summary.waiting = count(13);
    summary.withdrawn = count(14);
    summary.prior = count(15);
    best = query.maybe_whole(16);
  }
  summary.paused = paused_since(database, study);
  summary.enqueued = count_of(database, "SELECT count(*) FROM enqueued WHERE study = ?1", study);
  if (best) {
    if (auto row = read_trial(database, space, study, Trials::by_key, *best)) summary.best = std::move(row->trial);
  }
  if (summary.best) totals.best = summary.best->objective;
  totals.failures_in_a_row = count_of(
      database,
      "SELECT count(*) FROM trials WHERE study = ?1 AND state = 'failed' AND id > (SELECT last_success FROM studies "
      "WHERE study = ?1)",
      study);
  totals.evaluated = summary.succeeded + summary.failed + summary.timed_out;
  totals.pending = summary.running + summary.waiting;
  totals.spent = summary.spent;
  summary.stop_reason = stop_reason(options, totals);
  return summary;
}

}  // namespace carbo::internal
