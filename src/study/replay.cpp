// The optimizer behind a study: restored from the state of the last `ask`, with all that happened since.

#include <algorithm>
#include <utility>

#include <carbo/error.hpp>
#include <carbo/json.hpp>

#include "study/study_state.hpp"
#include "support/text.hpp"

namespace carbo {

using internal::Query;
using internal::text;
using internal::TrialRow;
using internal::Trials;

Optimizer& Study::State::up_to_date(bool for_ask) {
  check_code();
  const internal::Transaction moment(*database_, internal::Transaction::Kind::read);
  std::int64_t asks = 0;
  std::uint64_t next_batch = 0;
  {
    Query query(*database_, "SELECT asks, next_batch FROM studies WHERE study = ?1", study_);
    if (!query.next()) database_->refuse(text("study '", name_, "' was removed while it was open"));
    asks = query.whole(0);
    next_batch = static_cast<std::uint64_t>(query.whole(1));
  }
  try {
    if (!optimizer_ || asks != asks_ || (for_ask && disturbed_)) {
      batches_ = next_batch;
      load(asks);
    } else if (!rebuilt_) {
      batches_ = next_batch;
    }
    replay_events();
  } catch (...) {
    optimizer_.reset();
    throw;
  }
  return *optimizer_;
}

void Study::State::load(std::int64_t asks) {
  optimizer_.reset();
  adopted_again_.clear();
  rebuilt_ = false;
  std::optional<std::string> state;
  {
    Query query(*database_, "SELECT sequence, state FROM states WHERE study = ?1", study_);
    if (query.next()) {
      sequence_ = static_cast<std::uint64_t>(query.whole(0));
      state = query.text(1);
    }
  }
  if (state) {
    try {
      optimizer_ = Optimizer::restore(*state, code_);
    } catch (const InvalidState& error) {
      database_->refuse(text("the state of study '", name_, "' cannot be restored: ", error.what()));
    }
    state_hash_ = std::hash<std::string>{}(*state);
  } else {
    rebuild();
    rebuilt_ = true;
    state_hash_ = 0;
  }
  asks_ = asks;
  disturbed_ = false;
}

/// From all that was observed, and what is pending under its ids; of a study whose space or options have changed, or
/// that has not been asked yet.
void Study::State::rebuild() {
  std::vector<TrialRow> ended = internal::read_trials(*database_, space_, study_, Trials::ended);
  std::ranges::sort(ended, {}, [](const TrialRow& row) { return row.trial.sequence; });
  std::ranges::stable_sort(ended, {}, [](const TrialRow& row) { return row.trial.batch.value_or(0); });
  std::uint64_t next_id = 0;
  {
    Query query(
        *database_,
        "SELECT next_id, (SELECT coalesce(max(sequence), 0) FROM events WHERE study = ?1) FROM studies WHERE study "
        "= ?1",
        study_);
    query.next();
    next_id = static_cast<std::uint64_t>(query.whole(0));
    sequence_ = static_cast<std::uint64_t>(query.whole(1));
  }
  Optimizer optimizer(space_, options_);
  std::uint64_t batches = 0;
  for (const TrialRow& row : ended) {
    optimizer.tell(internal::observation_of(row.trial));
    if (row.trial.origin == Origin::this_run && row.trial.batch) batches = std::max(batches, *row.trial.batch + 1);
  }
  const std::vector<TrialRow> pending = internal::read_trials(*database_, space_, study_, Trials::pending);
  const auto configuration_of = [&](std::uint64_t id) {
    const auto found = std::ranges::find(pending, id, [](const TrialRow& row) { return *row.trial.id; });
    return found == pending.end() ? std::nullopt : std::optional(found->trial.configuration);
  };
  // Ids that have been given out are passed over.
  const auto last = internal::read_trial(*database_, space_, study_, Trials::by_id, next_id - 1);
  if (next_id > 0 && !last) database_->refuse(text("the trial of suggestion ", next_id - 1, " is not there"));
  for (std::uint64_t id = 0; id < next_id; ++id, ++batches) {
    const auto waiting = configuration_of(id);
    const std::uint64_t given = optimizer.adopt(waiting ? *waiting : last->trial.configuration);
    if (waiting)
      adopted_again_.emplace_back(id, batches);
    else
      optimizer.withdraw(given);
  }
  for (const Configuration& configuration : enqueued()) optimizer.enqueue(configuration);
  batches_ = batches;
  optimizer_.emplace(std::move(optimizer));
}

void Study::State::replay_events() {
  struct Event {
    std::uint64_t sequence = 0;
    std::string kind;
    std::int64_t trial = 0;
    std::string configuration;
  };
  std::vector<Event> events;
  {
    Query query(*database_,
                "SELECT sequence, kind, trial, configuration FROM events WHERE study = ?1 AND sequence > ?2 ORDER BY "
                "sequence",
                study_, sequence_);
    while (query.next())
      events.push_back({static_cast<std::uint64_t>(query.whole(0)), query.text(1), query.whole(2), query.text(3)});
  }
  for (const Event& event : events) {
    replay(event.kind, event.trial, event.configuration);
    sequence_ = event.sequence;
  }
}

void Study::State::replay(const std::string& kind, std::int64_t trial, const std::string& configuration) {
  if (kind == "hand_out") return;
  if (kind == "enqueue") return optimizer_->enqueue(configuration_from_json(space_, configuration));
  if (kind == "dequeue") {
    optimizer_->dequeue(configuration_from_json(space_, configuration));
    return;
  }
  const auto row =
      internal::read_trial(*database_, space_, study_, Trials::by_key, static_cast<std::uint64_t>(trial));
  if (!row) database_->refuse(text("it has an event '", kind, "' of a trial ", trial, " that is not there"));
  const Trial& told = row->trial;
  if (kind == "adopt") {
    if (const std::uint64_t id = optimizer_->adopt(told.configuration); id != told.id)
      database_->refuse(text("trial ", trial, " has the id ", told.id.value_or(0), " where it should have ", id));
    if (rebuilt_) ++batches_;
  } else if (kind == "withdraw") {
    optimizer_->withdraw(*told.id);
  } else if (!told.id) {
    optimizer_->tell(internal::observation_of(told));
    if (rebuilt_ && told.origin == Origin::this_run && told.batch) batches_ = std::max(batches_, *told.batch + 1);
  } else if (kind == "tell") {
    optimizer_->tell(*told.id, {told.objective.value_or(0), told.cost.value_or(0)});
  } else {
    optimizer_->fail(*told.id, told.cost.value_or(0), told.reason, told.state == TrialState::timed_out);
  }
}

}  // namespace carbo
