// Suggestions: made outside every transaction by one asker at a time, and stored with the optimizer's state in a
// short one. What was lost is handed out first.

#include <algorithm>
#include <map>
#include <utility>

#include <carbo/error.hpp>
#include <carbo/json.hpp>
#include <carbo/to_string.hpp>

#include "study/study_state.hpp"
#include "support/text.hpp"

namespace carbo {

using internal::Query;
using internal::text;
using internal::Transaction;
using internal::TrialRow;
using internal::Trials;

namespace {

bool is_blocked(StopReason reason) {
  return reason == StopReason::exhausted || reason == StopReason::strict_budget || reason == StopReason::price;
}

}  // namespace

std::vector<Suggestion> Study::State::ask(std::size_t count, TrialState state) {
  check_code();
  const internal::HeldByte alone = asking_alone();
  if (how_.lost == LostPoint::charge) charge_lost();
  if (how_.lost == LostPoint::hand_out && state == TrialState::running) {
    std::vector<Suggestion> lost = hand_out_lost(count);
    if (!lost.empty()) return lost;
  }
  return suggest(count, state);
}

/// Pending points whose lease has ended, or whose process is dead. A lease that ends later than one that began now
/// was given by a clock that has been set back since: it begins anew.
std::vector<TrialRow> Study::State::lost_trials() {
  const double time = now();
  std::vector<TrialRow> rows = internal::read_trials(*database_, space_, study_, Trials::pending);
  std::map<std::string, bool> dead;
  std::erase_if(rows, [&](const TrialRow& row) {
    const auto [known, fresh] = dead.try_emplace(row.process, false);
    if (fresh && !row.process.empty() && row.process != process_)
      known->second = internal::certainly_dead(row.process);
    if (known->second) return false;
    const double end = row.trial.lease_end.value_or(0);
    if (end > time + row.lease)
      Query(*database_, "UPDATE trials SET lease_end = ?2 WHERE trial = ?1", row.key, time + row.lease).run();
    return end > time;
  });
  return rows;
}

std::vector<Suggestion> Study::State::hand_out_lost(std::size_t count) {
  const bool queued = options_.batches != Batches::fixed;
  Transaction transaction(*database_, Transaction::Kind::write);
  std::map<std::size_t, std::size_t> order;  // of the next one in each slot
  std::vector<Suggestion> suggestions;
  const double time = now();
  for (const TrialRow& row : lost_trials()) {
    Suggestion suggestion = stored_suggestion(row);
    const bool behind_another = queued && order.contains(suggestion.slot);
    if (!behind_another && (queued ? order.size() : suggestions.size()) >= count) continue;
    suggestion.order = queued ? order[suggestion.slot]++ : 0;
    if (row.trial.state == TrialState::waiting)
      Query(*database_, "UPDATE studies SET waiting = waiting - 1, running = running + 1 WHERE study = ?1", study_)
          .run();
    Query(*database_,
          "UPDATE trials SET state = 'running', owner = ?2, process = ?3, worker = NULL, started = ?4, lease = ?5, "
          "lease_end = ?4 + ?5, handed_out = handed_out + 1 WHERE trial = ?1",
          row.key, owner_, process_.empty() ? std::nullopt : std::optional(process_), time, lease_seconds())
        .run();
    add_event("hand_out", row.key, time);
    suggestions.push_back(std::move(suggestion));
  }
  transaction.commit();
  return suggestions;
}

void Study::State::charge_lost() {
  std::vector<std::pair<std::uint64_t, double>> lost;
  {
    Transaction transaction(*database_, Transaction::Kind::write);
    for (const TrialRow& row : lost_trials())
      lost.emplace_back(*row.trial.id, stored_suggestion(row).receipt.predicted_cost.value_or(0));
    transaction.commit();
  }
  for (const auto& [id, cost] : lost) {
    try {
      fail(id, cost, "its lease ended: whoever ran it is gone", false, {});
    } catch (const UnknownSuggestion&) {
      // Its result came at the last moment, and counts.
    }
  }
}

std::vector<Suggestion> Study::State::suggest(std::size_t count, TrialState state) {
  Optimizer& optimizer = up_to_date(true);
  try {
    std::vector<Suggestion> suggestions = optimizer.ask(count);
    const std::string text = optimizer.save();
    const std::size_t hash = std::hash<std::string>{}(text);
    if (!suggestions.empty() || hash != state_hash_) store_suggestions(suggestions, state, text);
    state_hash_ = hash;
    return suggestions;
  } catch (...) {
    optimizer_.reset();  // it knows of suggestions that the file does not have
    throw;
  }
}

void Study::State::store_suggestions(const std::vector<Suggestion>& suggestions, TrialState state,
                                     const std::string& saved) {
  const double time = now();
  Transaction transaction(*database_, Transaction::Kind::write);
  std::uint64_t last_event = 0;
  std::uint64_t told_batches = 0;  // those of results that came meanwhile included
  {
    Query query(
        *database_,
        "SELECT asks, next_batch, (SELECT max(sequence) FROM events WHERE study = ?1) FROM studies WHERE study = ?1",
        study_);
    if (!query.next()) database_->refuse(text("study '", name_, "' was removed while it was open"));
    if (query.whole(0) != asks_)
      throw StudyBusy(text("study '", name_, "' was asked by another process at the same time; ask again"));
    if (!rebuilt_) told_batches = static_cast<std::uint64_t>(query.whole(1));
    last_event = static_cast<std::uint64_t>(query.whole(2));
  }
  TrialRow row;
  row.process = process_;
  row.lease = lease_seconds();
  for (const Suggestion& suggestion : suggestions) {
    row.trial.id = suggestion.id;
    row.trial.state = state;
    row.trial.configuration = suggestion.configuration;
    row.trial.owner = owner_;
    if (state == TrialState::running) row.trial.started = time;
    row.trial.lease_end = time + row.lease;
    row.trial.handed_out = 1;
    row.trial.batch = batches_;
    row.trial.slot = suggestion.slot;
    row.trial.phase = suggestion.receipt.phase;
    const std::int64_t key = internal::insert_trial(*database_, study_, row);
    Query(*database_, "INSERT INTO receipts VALUES (?1, ?2)", key, to_json(suggestion)).run();
    if (suggestion.receipt.enqueued)
      Query(*database_,
            "DELETE FROM enqueued WHERE sequence = (SELECT min(sequence) FROM enqueued WHERE study = ?1 AND "
            "configuration "
            "= ?2)",
            study_, to_json(suggestion.configuration))
          .run();
  }
  for (const auto& [id, batch] : adopted_again_)
    Query(*database_, "UPDATE trials SET batch = ?3, slot = NULL WHERE study = ?1 AND id = ?2", study_, id, batch)
        .run();
  const std::uint64_t next_batch = std::max(told_batches, batches_ + (suggestions.empty() ? 0 : 1));
  const StopReason reason = optimizer_->stop_reason();
  Query(*database_,
        text("UPDATE studies SET asks = asks + 1, ", to_string(state), " = ", to_string(state),
             " + ?2, next_id = max(next_id, ?3), next_batch = ?4, phase = ?5, blocked = ?6, changed = "
             "max(changed, ?7) WHERE study = ?1")
            .c_str(),
        study_, suggestions.size(), suggestions.empty() ? 0 : suggestions.back().id + 1, next_batch,
        to_string(optimizer_->phase()),
        is_blocked(reason) ? std::optional<std::string>(to_string(reason)) : std::nullopt, time)
      .run();
  // What was told meanwhile has been counted where it was told.
  if (last_event == sequence_)
    Query(*database_, "UPDATE studies SET spent = ?2 WHERE study = ?1", study_, optimizer_->spent()).run();
  Query(*database_, "INSERT INTO states VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET sequence = ?2, state = ?3",
        study_, sequence_, saved)
      .run();
  transaction.commit();
  ++asks_;
  batches_ = next_batch;
  adopted_again_.clear();
  rebuilt_ = false;
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
  Query(*database_,
        "DELETE FROM enqueued WHERE sequence = (SELECT min(sequence) FROM enqueued WHERE study = ?1 AND "
        "configuration = "
        "?2)",
        study_, point)
      .run();
  if (database_->changed_rows() == 0) return false;
  add_event("dequeue", std::nullopt, now(), point);
  transaction.commit();
  return true;
}

void Study::State::renew(std::span<const std::uint64_t> ids) {
  const double time = now();
  std::string lost;
  Transaction transaction(*database_, Transaction::Kind::write);
  for (const std::uint64_t id : ids) {
    Query(*database_,
          "UPDATE trials SET lease = ?5, lease_end = ?4 + ?5 WHERE study = ?1 AND id = ?2 AND state IN ('waiting', "
          "'running') AND owner = ?3 AND coalesce(process, '') = ?6",
          study_, id, owner_, time, lease_seconds(), process_)
        .run();
    if (database_->changed_rows() == 0) lost += text(lost.empty() ? "" : ", ", id);
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
