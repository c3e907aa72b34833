// The optimizer behind a study: restored from the state of the last `ask`, with all that happened since.

#include <algorithm>
#include <utility>

#include <carbo/error.hpp>
#include <carbo/json.hpp>

#include "engine/time_unit.hpp"
#include "engine/validate_options.hpp"
#include "study/state_text.hpp"
#include "study/study_state.hpp"
#include "support/text.hpp"

namespace carbo {

using internal::Query;
using internal::text;
using internal::TrialRow;
using internal::Trials;

/// What an optimizer is made of, read in one moment of the file: nobody has to wait while it is made.
struct Study::State::Snapshot {
  struct Event {
    std::uint64_t sequence = 0;
    std::string kind;
    std::optional<TrialRow> row;
    std::string configuration;
  };

  std::int64_t asks = 0;
  std::uint64_t next_batch = 0;
  bool whole = false;  ///< not only what happened since
  // Where it is whole: the state of the last `ask`, or else all that there is.
  std::optional<std::string> state;
  double spent_since = 0;      ///< since that state
  std::uint64_t sequence = 0;  ///< of the last event that these have
  std::uint64_t next_id = 0;
  std::vector<TrialRow> ended, pending;
  std::optional<TrialRow> last;  ///< the trial of the last id
  std::vector<Configuration> enqueued;
  std::vector<Event> events;  ///< since then
};

Optimizer& Study::State::up_to_date(bool for_ask) {
  check_code();
  const Snapshot snapshot = read_snapshot(for_ask);
  try {
    if (snapshot.whole) load(snapshot);
    if (!rebuilt_) batches_ = snapshot.next_batch;
    for (const Snapshot::Event& event : snapshot.events) {
      replay(event.kind, event.row ? &event.row->trial : nullptr, event.configuration);
      sequence_ = event.sequence;
    }
  } catch (...) {
    optimizer_.reset();
    throw;
  }
  return *optimizer_;
}

Study::State::Snapshot Study::State::read_snapshot(bool for_ask) {
  Snapshot snapshot;
  const internal::Transaction moment(*database_, internal::Transaction::Kind::read);
  {
    Query query(*database_, "SELECT asks, next_batch, next_id FROM studies WHERE study = ?1", study_);
    query.next();
    snapshot.asks = query.whole(0);
    snapshot.next_batch = static_cast<std::uint64_t>(query.whole(1));
    snapshot.next_id = static_cast<std::uint64_t>(query.whole(2));
  }
  snapshot.sequence = sequence_;
  snapshot.whole = !optimizer_ || snapshot.asks != asks_ || (for_ask && disturbed_);
  if (snapshot.whole) {
    {
      Query query(
          *database_,
          "SELECT sequence, state, studies.spent - states.spent FROM states JOIN studies USING (study) WHERE study "
          "= ?1",
          study_);
      if (query.next()) {
        snapshot.sequence = static_cast<std::uint64_t>(query.whole(0));
        snapshot.state = query.text(1);
        snapshot.spent_since = query.real(2);
      }
    }
    if (!snapshot.state) read_everything(snapshot);
  }
  std::vector<std::int64_t> trials;
  {
    Query query(*database_,
                "SELECT sequence, kind, configuration, trial FROM events WHERE study = ?1 AND sequence > ?2 ORDER BY "
                "sequence",
                study_, snapshot.sequence);
    while (query.next()) {
      snapshot.events.push_back({static_cast<std::uint64_t>(query.whole(0)), query.text(1), {}, query.text(2)});
      trials.push_back(query.is_null(3) ? -1 : query.whole(3));
    }
  }
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (trials[i] < 0) continue;
    snapshot.events[i].row =
        internal::read_trial(*database_, space_, study_, Trials::by_key, static_cast<std::uint64_t>(trials[i]));
    if (!snapshot.events[i].row) database_->refuse(text("it has an event of trial ", trials[i], ", which it lacks"));
  }
  return snapshot;
}

void Study::State::read_everything(Snapshot& snapshot) {
  {
    Query query(*database_, "SELECT coalesce(max(sequence), 0) FROM events WHERE study = ?1", study_);
    query.next();
    snapshot.sequence = static_cast<std::uint64_t>(query.whole(0));
  }
  snapshot.ended = internal::read_trials(*database_, space_, study_, Trials::ended);
  snapshot.pending = internal::read_trials(*database_, space_, study_, Trials::pending);
  snapshot.enqueued = enqueued();
  if (snapshot.next_id == 0) return;
  snapshot.last = internal::read_trial(*database_, space_, study_, Trials::by_id, snapshot.next_id - 1);
  if (!snapshot.last) database_->refuse(text("it lacks the trial of suggestion ", snapshot.next_id - 1));
}

void Study::State::load(const Snapshot& snapshot) {
  optimizer_.reset();
  adopted_again_.clear();
  rebuilt_ = !snapshot.state;
  state_hash_ = 0;
  if (snapshot.state) {
    try {
      const bool timed = internal::resolved_accounting(options_) == Accounting::wall_clock &&
                         !code_.count_time_between && snapshot.spent_since > 0;
      optimizer_ = Optimizer::restore(
          timed ? internal::later(*snapshot.state,
                                  snapshot.spent_since * internal::seconds_per_unit(options_.cost.unit))
                : *snapshot.state,
          code_);
    } catch (const InvalidState& error) {
      database_->refuse(text("the state of study '", name_, "' cannot be restored: ", error.what()));
    }
    state_hash_ = std::hash<std::string>{}(*snapshot.state);
  } else {
    rebuild(snapshot);
  }
  sequence_ = snapshot.sequence;
  asks_ = snapshot.asks;
  disturbed_ = false;
}

/// From all that was observed, and what is pending under its ids; of a study whose space or options have changed, or
/// that has not been asked yet.
void Study::State::rebuild(const Snapshot& snapshot) {
  std::vector<const Trial*> ended;
  for (const TrialRow& row : snapshot.ended) ended.push_back(&row.trial);
  std::ranges::sort(ended, {}, [](const Trial* trial) { return trial->sequence; });
  std::ranges::stable_sort(ended, {}, [](const Trial* trial) { return trial->batch.value_or(0); });
  Optimizer optimizer(space_, options_);
  batches_ = 0;
  for (const Trial* const trial : ended) {
    optimizer.tell(internal::observation_of(*trial));
    if (trial->origin == Origin::this_run && trial->batch) batches_ = std::max(batches_, *trial->batch + 1);
  }
  // Ids that have been given out are passed over.
  auto pending = snapshot.pending.begin();
  for (std::uint64_t id = 0; id < snapshot.next_id; ++id, ++batches_) {
    if (pending != snapshot.pending.end() && pending->trial.id == id) {
      optimizer.adopt((pending++)->trial.configuration);
      adopted_again_.emplace_back(id, batches_);
    } else {
      optimizer.withdraw(optimizer.adopt(snapshot.last->trial.configuration));
    }
  }
  for (const Configuration& configuration : snapshot.enqueued) optimizer.enqueue(configuration);
  optimizer_.emplace(std::move(optimizer));
}

void Study::State::replay(const std::string& kind, const Trial* trial, const std::string& configuration) {
  if (kind == "enqueue") return optimizer_->enqueue(configuration_from_json(space_, configuration));
  if (kind == "dequeue") {
    optimizer_->dequeue(configuration_from_json(space_, configuration));
    return;
  }
  if (kind == "hand_out" || trial == nullptr) return;
  if (kind == "adopt") {
    if (const std::uint64_t id = optimizer_->adopt(trial->configuration); id != trial->id)
      database_->refuse(text("trial ", trial->number, " has the id ", trial->id.value_or(0), ", not ", id));
    if (rebuilt_) ++batches_;
  } else if (kind == "withdraw") {
    optimizer_->withdraw(*trial->id);
  } else if (!trial->id) {
    optimizer_->tell(internal::observation_of(*trial));
    if (rebuilt_ && trial->origin == Origin::this_run && trial->batch)
      batches_ = std::max(batches_, *trial->batch + 1);
  } else if (kind == "tell") {
    optimizer_->tell(*trial->id, {trial->objective.value_or(0), trial->cost.value_or(0)});
  } else {
    optimizer_->fail(*trial->id, trial->cost.value_or(0), trial->reason, trial->state == TrialState::timed_out);
  }
}

}  // namespace carbo
