// Points of the caller's own, and who holds what is pending.

#include <carbo/error.hpp>
#include <carbo/json.hpp>

#include "study/study_state.hpp"
#include "support/text.hpp"

namespace carbo {

using internal::Query;
using internal::text;
using internal::Transaction;
using internal::TrialRow;

bool Study::State::take_from_queue(const std::string& configuration) {
  Query(*database_,
        "DELETE FROM enqueued WHERE sequence = (SELECT min(sequence) FROM enqueued WHERE study = ?1 AND "
        "configuration = "
        "?2)",
        study_, configuration)
      .run();
  return database_->changed_rows() > 0;
}

std::uint64_t Study::State::adopt(const Configuration& configuration) {
  check_code();
  TrialRow row;
  row.trial.configuration = own(configuration);
  check_in_pool(row.trial.configuration);
  const internal::HeldByte alone = asking_alone();
  const double time = now();
  Transaction transaction(*database_, Transaction::Kind::write);
  {
    Query query(*database_, "SELECT next_id, phase, running + waiting FROM studies WHERE study = ?1", study_);
    if (!query.next()) database_->refuse(text("study '", name_, "' was removed while it was open"));
    row.trial.id = static_cast<std::uint64_t>(query.whole(0));
    row.trial.phase = internal::named<Phase>(*database_, query.text(1));
    if (query.whole(2) >= static_cast<std::int64_t>(Optimizer::most_running))
      throw InvalidOptions(text("adopt with ", query.whole(2), " suggestions running; at most ",
                                Optimizer::most_running, " may run at once: tell or withdraw some before"));
  }
  row.process = process_;
  row.lease = lease_seconds();
  row.trial.owner = owner_;
  row.trial.started = time;
  row.trial.lease_end = time + row.lease;
  row.trial.handed_out = 1;
  const std::int64_t key = internal::insert_trial(*database_, study_, row);
  Query(
      *database_,
      "UPDATE studies SET running = running + 1, next_id = next_id + 1, next_batch = next_batch + 1 WHERE study = ?1",
      study_)
      .run();
  add_event("adopt", key, time);
  transaction.commit();
  return *row.trial.id;
}

void Study::State::enqueue(const Configuration& configuration) {
  check_code();
  const Configuration point = own(configuration);
  if (const std::string violated = space_.violated(point); !violated.empty())
    throw InvalidConfiguration(text("configuration ", point.to_string(), " violates the constraint '", violated,
                                    "', so that it is never suggested; enqueue one that satisfies it"));
  check_in_pool(point);
  Transaction transaction(*database_, Transaction::Kind::write);
  const std::uint64_t sequence = add_event("enqueue", std::nullopt, now(), to_json(point));
  Query(*database_, "INSERT INTO enqueued VALUES (?1, ?2, ?3)", sequence, study_, to_json(point)).run();
  Query(*database_, "UPDATE studies SET blocked = NULL WHERE study = ?1", study_).run();
  transaction.commit();
}

bool Study::State::dequeue(const Configuration& configuration) {
  const std::string point = to_json(own(configuration));
  const internal::HeldByte alone = asking_alone();
  Transaction transaction(*database_, Transaction::Kind::write);
  if (!take_from_queue(point)) return false;
  add_event("dequeue", std::nullopt, now(), point);
  transaction.commit();
  return true;
}

bool Study::State::renew_one(std::uint64_t id, double time) {
  Query(*database_,
        "UPDATE trials SET lease = ?5, lease_end = ?4 + ?5 WHERE study = ?1 AND id = ?2 AND state IN ('waiting', "
        "'running') AND owner = ?3 AND coalesce(process, '') = ?6",
        study_, id, owner_, time, lease_seconds(), process_)
      .run();
  return database_->changed_rows() > 0;
}

void Study::State::renew(std::span<const std::uint64_t> ids) {
  const double time = now();
  std::string lost;
  Transaction transaction(*database_, Transaction::Kind::write);
  for (const std::uint64_t id : ids) {
    if (!renew_one(id, time)) lost += text(lost.empty() ? "" : ", ", id);
  }
  transaction.commit();
  if (!lost.empty())
    throw UnknownSuggestion(text("suggestions ", lost, " are not pending any more, or not ", owner_, "'s"));
}

void Study::State::release(std::span<const std::uint64_t> ids) {
  Transaction transaction(*database_, Transaction::Kind::write);
  for (const std::uint64_t id : ids) {
    const TrialRow row = pending_trial(id);
    Query(*database_, "UPDATE trials SET lease_end = 0 WHERE trial = ?1", row.key).run();
  }
  transaction.commit();
}

void Study::State::release_own() {
  if (how_.owner.empty()) return;
  Transaction transaction(*database_, Transaction::Kind::write);
  Query(*database_,
        "UPDATE trials SET lease_end = 0 WHERE study = ?1 AND state IN ('waiting', 'running') AND owner = ?2 AND "
        "process "
        "IS NULL",
        study_, owner_)
      .run();
  transaction.commit();
}

}  // namespace carbo
