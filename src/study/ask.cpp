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
  check_not_paused();  // before it waits for others
  const internal::HeldByte alone = asking_alone();
  if (how_.lost == LostPoint::charge) charge_lost();
  if (how_.lost == LostPoint::hand_out && state == TrialState::running) {
    std::vector<Suggestion> lost = hand_out_lost(count);
    if (!lost.empty()) return lost;
  }
  return suggest(count, state);
}

void Study::State::check_not_paused() {
  if (paused())
    throw StudyPaused(text("study '", name_, "' of ", database_->file().string(),
                           " is paused: nothing is suggested until it is resumed (Study::resume, carbo resume)"));
}

/// Leases may have ended while this object waited for its turn, or made suggestions.
void Study::State::renew_held(double time) {
  for (const std::uint64_t id : held) renew_one(id, time);
}

/// Pending points whose lease has ended, or whose process is dead. A lease that ends later than one that began now
/// was given by a clock that has been set back since: it begins anew.
std::vector<TrialRow> Study::State::lost_trials() {
  const double time = now();
  renew_held(time);
  std::vector<TrialRow> rows = internal::read_trials(*database_, space_, study_, Trials::pending);
  std::map<std::string, bool> dead;
  std::erase_if(rows, [&](const TrialRow& row) {
    if (row.trial.id && held.contains(*row.trial.id)) return true;
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
  check_not_paused();
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

/// In one transaction: no result and no renewal comes between the look at a lease and the charge.
void Study::State::charge_lost() {
  Transaction transaction(*database_, Transaction::Kind::write);
  for (const TrialRow& row : lost_trials())
    fail(*row.trial.id, stored_suggestion(row).receipt.predicted_cost.value_or(0),
         "its lease ended: whoever ran it is gone", false, {});
  transaction.commit();
}

std::vector<Suggestion> Study::State::suggest(std::size_t count, TrialState state) {
  while (true) {
    Optimizer& optimizer = up_to_date(true);
    try {
      std::vector<Suggestion> suggestions = optimizer.ask(count);
      const std::string saved = optimizer.save();
      const std::size_t hash = std::hash<std::string>{}(saved);
      const bool stored =
          (suggestions.empty() && hash == state_hash_) || store_suggestions(suggestions, state, saved);
      state_hash_ = hash;
      if (stored) return suggestions;
    } catch (...) {
      optimizer_.reset();  // it knows of suggestions that the file does not have
      throw;
    }
    optimizer_.reset();
    refresh();
  }
}

void Study::State::insert_suggestions(const std::vector<Suggestion>& suggestions, TrialState state, double time) {
  TrialRow row;
  row.process = process_;
  row.lease = lease_seconds();
  row.trial.state = state;
  row.trial.owner = owner_;
  if (state == TrialState::running) row.trial.started = time;
  row.trial.lease_end = time + row.lease;
  row.trial.handed_out = 1;
  row.trial.batch = batches_;
  for (const Suggestion& suggestion : suggestions) {
    row.trial.id = suggestion.id;
    row.trial.configuration = suggestion.configuration;
    row.trial.slot = suggestion.slot;
    row.trial.phase = suggestion.receipt.phase;
    const std::int64_t key = internal::insert_trial(*database_, study_, row);
    Query(*database_, "INSERT INTO receipts VALUES (?1, ?2)", key, to_json(suggestion)).run();
    if (suggestion.receipt.enqueued) take_from_queue(to_json(suggestion.configuration));
  }
}

bool Study::State::store_suggestions(const std::vector<Suggestion>& suggestions, TrialState state,
                                     const std::string& saved) {
  const double time = now();
  Transaction transaction(*database_, Transaction::Kind::write);
  std::uint64_t last_event = 0;
  std::uint64_t told_batches = 0;  // those of results that came meanwhile included
  {
    Query query(
        *database_,
        "SELECT asks, next_batch, (SELECT max(sequence) FROM events WHERE study = ?1) FROM studies WHERE study "
        "= ?1",
        study_);
    if (!query.next() || query.whole(0) != asks_) return false;
    if (!rebuilt_) told_batches = static_cast<std::uint64_t>(query.whole(1));
    last_event = static_cast<std::uint64_t>(query.whole(2));
  }
  if (!suggestions.empty()) check_not_paused();
  insert_suggestions(suggestions, state, time);
  renew_held(time);
  for (const auto& [id, batch] : adopted_again_)
    Query(*database_, "UPDATE trials SET batch = ?3, slot = NULL WHERE study = ?1 AND id = ?2", study_, id, batch)
        .run();
  const std::uint64_t next_batch = std::max(told_batches, batches_ + (suggestions.empty() ? 0 : 1));
  Query(*database_,
        state == TrialState::waiting ? "UPDATE studies SET waiting = waiting + ?2 WHERE study = ?1"
                                     : "UPDATE studies SET running = running + ?2 WHERE study = ?1",
        study_, suggestions.size())
      .run();
  const bool nothing_since = last_event == sequence_;
  const StopReason reason = optimizer_->stop_reason();
  const bool blocked = nothing_since && is_blocked(reason);
  Query(*database_,
        "UPDATE studies SET asks = asks + 1, next_id = max(next_id, ?2), next_batch = ?3, phase = ?4, blocked = ?5, "
        "changed = max(changed, ?6) WHERE study = ?1",
        study_, suggestions.empty() ? 0 : suggestions.back().id + 1, next_batch, to_string(optimizer_->phase()),
        blocked ? std::optional<std::string>(to_string(reason)) : std::nullopt, time)
      .run();
  const double spent = optimizer_->spent();
  // What was told meanwhile has been counted where it was told.
  if (nothing_since) Query(*database_, "UPDATE studies SET spent = ?2 WHERE study = ?1", study_, spent).run();
  Query(*database_,
        "INSERT INTO states VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO UPDATE SET sequence = ?2, state = ?3, spent = ?4",
        study_, sequence_, saved, spent)
      .run();
  transaction.commit();
  ++asks_;
  batches_ = next_batch;
  adopted_again_.clear();
  rebuilt_ = false;
  return true;
}

}  // namespace carbo
