#include "evaluation/closed_loop.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include <carbo/error.hpp>

#include "engine/time_unit.hpp"
#include "evaluation/evaluation_fault.hpp"
#include "support/room.hpp"

namespace carbo::internal {
namespace {

constexpr double between_asks = 0.1;  // seconds, where another process was in the way

}  // namespace

ClosedLoop::ClosedLoop(Suggester& suggester, const CancellableObjective& objective, const Hooks& hooks,
                       bool sees_context)
    : suggester_(suggester),
      result_(roomy_result(suggester)),
      hooks_(hooks),
      seconds_per_unit_(seconds_per_unit(suggester.options().cost.unit)),
      sees_context_(sees_context),
      reserve_(hooks.prepare && !suggester.options().strict),
      workers_(objective, suggester.options().batch_size, over_.get_token()) {}

Result ClosedLoop::finish() {
  guarded([&] {
    tell_prior();
    loop();
  });
  workers_.halt();
  guarded([&] { give_back(queues_.take_all()); });
  guarded([&] { give_back(workers_.take_waiting()); });
  while (!running_.empty()) {
    guarded([&] { ended_ = next_outcome(infinity); });
    while (!ended_ && !running_.empty()) ended_ = workers_.wait(infinity);
    if (ended_) guarded([&] { absorb(*std::exchange(ended_, std::nullopt)); });
  }
  return result();
}

/// The first error is the one that is told; of one that there is no memory for, as much as needs none.
void ClosedLoop::note(const char* message) noexcept {
  if (!error_.empty()) return;
  try {
    error_ = message;
  } catch (const std::bad_alloc&) {
    error_ = "out of memory";
  }
}

void ClosedLoop::tell_prior() {
  // In the order in which batches began; results have them in the order in which evaluations ended.
  std::vector<const Observation*> prior;
  for (const Observation& seen : hooks_.prior) prior.push_back(&seen);
  std::ranges::stable_sort(prior, {}, [](const Observation* seen) { return seen->batch.value_or(0); });
  for (const Observation* const seen : prior) suggester_.tell_earlier(*seen);
  spent_before_ = suggester_.spent();
}

void ClosedLoop::loop() {
  const std::size_t workers = suggester_.options().batch_size;
  const bool asynchronous = suggester_.options().execution == Execution::asynchronous;
  settings_ = suggester_.wishes().settings;
  while (true) {
    if (running_.size() < (asynchronous ? workers : 1) && may_start())
      start(timed([&] { return suggester_.ask(workers - running_.size()); }));
    const std::size_t ahead = reserve_.wanted(workers);
    if (asynchronous && running_.size() >= workers && running_.size() < workers + ahead && may_start())
      start(timed([&] { return suggester_.prepare(workers + ahead - running_.size()); }));
    const bool again = suggester_.kept_waiting() && may_start();
    changed_ = false;
    std::optional<Outcome> outcome = next_outcome(again ? between_asks : infinity);
    if (!outcome && !again && !changed_) return;
    if (!outcome) continue;
    absorb(std::move(*outcome));
    if (asynchronous) absorb_others();
  }
}

/// What else has ended, or ends in a moment, is told before anybody asks: one `ask` for all.
void ClosedLoop::absorb_others() {
  const double until = steady_seconds() + reserve_.linger();
  while (!running_.empty()) {
    const double left = until - steady_seconds();
    if (std::optional<Outcome> outcome = workers_.wait(std::max(0.0, left)))
      absorb(std::move(*outcome));
    else if (left <= 0)
      return;
  }
}

/// Waits for the next evaluation to end, at most so many seconds (infinity: as long as it takes, and not at all where
/// none is left to wait for). One that has ended stays in `ended_` where anything throws.
std::optional<Outcome> ClosedLoop::next_outcome(double patience) {
  const double until = steady_seconds() + patience;
  while (true) {
    if (stopping()) {
      if (reason_ == StopReason::running) reason_ = StopReason::cancelled;
      give_back(workers_.take_waiting());
    }
    if (running_.empty() && patience == infinity) return std::nullopt;
    const double tick = hooks_.tick ? hooks_.tick_seconds : infinity;
    const double due = std::min(
        {ticked_ + tick, renewed_ + suggester_.renewal_seconds(), watched_ + suggester_.watch_seconds(), until});
    if (!ended_) ended_ = workers_.wait(std::max(0.0, due - steady_seconds()));
    tell_begun();
    look_after(tick);
    if (ended_) return std::exchange(ended_, std::nullopt);
    if (changed_ || steady_seconds() >= until) return std::nullopt;
  }
}

void ClosedLoop::tell_begun() {
  for (const auto& [id, worker] : workers_.begun()) {
    if (!suggester_.begin(id, worker, false)) return;
    workers_.begin_told(id);
  }
}

/// What is due by the clock: the caller's tick, and to say what still runs.
void ClosedLoop::look_after(double tick) {
  const double now = steady_seconds();
  if (now >= ticked_ + tick && reason_ != StopReason::error) {
    ticked_ = now;
    hooks_.tick();
  }
  if (now >= watched_ + suggester_.watch_seconds()) watch();
  if (now < renewed_ + suggester_.renewal_seconds()) return;
  renewed_ = now;
  std::vector<std::uint64_t> ids;
  for (const auto& [id, one] : running_) ids.push_back(id);
  suggester_.renew(ids);
}

void ClosedLoop::watch() {
  watched_ = steady_seconds();
  const Suggester::Wishes wishes = suggester_.wishes();
  if (wishes.paused) hold_back();
  changed_ = changed_ || wishes.settings != settings_;
  settings_ = wishes.settings;
}

/// What has not begun is given back; where nothing is left to wait for, somebody has to be asked again.
void ClosedLoop::hold_back() {
  give_back(queues_.take_all());
  give_back(workers_.take_waiting());
  changed_ = changed_ || running_.empty();
}

bool ClosedLoop::may_start() {
  if (stopping()) reason_ = StopReason::cancelled;
  if (reason_ != StopReason::running || suggester_.stop_reason() != StopReason::running) return false;
  return running_.empty() || strict_limit(1) > 0;  // what runs may yet leave something of its share
}

void ClosedLoop::start(std::vector<Suggestion> suggestions) {
  if (stopping()) {
    for (const Suggestion& suggestion : suggestions) suggester_.withdraw(suggestion.id);
    reason_ = StopReason::cancelled;
    return;
  }
  std::erase_if(suggestions, [&](const Suggestion& one) { return running_.contains(one.id); });
  const double share = strict_limit(suggestions.size());
  const double deadline = deadline_of(share);
  // What can fail comes before anything runs.
  std::map<std::uint64_t, Running> starting;
  EvaluationWorkers::Tasks tasks;
  SlotQueues queues(share);
  for (const Suggestion& suggestion : suggestions) {
    const double timeout = std::min(suggestion.timeout.value_or(infinity), share);
    const double seconds = suggestion.timeout && is_time() ? *suggestion.timeout * seconds_per_unit_ : infinity;
    starting.emplace(suggestion.id,
                     Running{suggestion.receipt.predicted_cost.value_or(0.0), timeout, suggestion.slot});
    Job job{suggestion.id, suggestion.configuration, deadline, timeout, seconds};
    if (suggestion.order == 0)
      tasks.emplace_back(std::move(job));
    else
      queues.add(suggestion.slot, std::move(job));
  }
  make_room(suggestions_, suggestions.size());
  running_.merge(starting);
  queues_ = std::move(queues);  // those of the round before are empty, and what is asynchronous has none
  workers_.submit(std::move(tasks));
  for (Suggestion& suggestion : suggestions) suggestions_.push_back(std::move(suggestion));
  if (!suggestions.empty()) report(nullptr);
}

/// An evaluation of `slot` ended after `cost`: the next one of its queue begins, whatever became of that one. What
/// cannot begin any more is taken back.
void ClosedLoop::start_next(std::size_t slot, double cost) {
  if (stopping() && reason_ == StopReason::running) reason_ = StopReason::cancelled;
  if (reason_ != StopReason::running) return give_back(queues_.take_all());
  if (queues_.size() > 0) watch();  // the next one begins unasked
  EvaluationWorkers::Tasks next = queues_.next(slot, cost);
  if (queues_.spent(slot)) return give_back(queues_.take(slot));
  if (next.empty()) return;
  const Job& job = next.front().job;
  running_.find(job.id)->second.timeout = job.timeout;
  workers_.submit(std::move(next));
}

void ClosedLoop::give_back(const EvaluationWorkers::Tasks& tasks) {
  for (const auto& task : tasks) running_.erase(task.job.id);
  for (const auto& task : tasks) suggester_.withdraw(task.job.id);
}

/// What each of `more` evaluations may cost of a strict budget. One of summed costs is shared: by those, and by
/// what runs, as much as it was given.
double ClosedLoop::strict_limit(std::size_t more) const {
  const Options& options = suggester_.options();
  if (!options.strict) return infinity;
  double left = options.budget - suggester_.spent();
  if (options.accounting != Accounting::sum) return left;
  for (const auto& [id, one] : running_) left -= one.timeout;
  return left / static_cast<double>(more);
}

/// When a strict budget that is counted in time is over, on the steady clock; `share` of it is the evaluation's.
double ClosedLoop::deadline_of(double share) const {
  const Options& options = suggester_.options();
  if (!options.strict || !is_time()) return infinity;
  const bool slots = options.accounting == Accounting::longest && options.execution == Execution::asynchronous;
  return slots ? began_ + (options.budget - spent_before_) * seconds_per_unit_
               : steady_seconds() + share * seconds_per_unit_;
}

/// Up to the report nothing here needs memory that is not there yet: the result of a suggestion is always kept.
void ClosedLoop::absorb(Outcome outcome) {
  const auto found = running_.find(outcome.id);
  if (found == running_.end()) return;
  const auto [predicted, timeout, slot] = found->second;
  running_.erase(found);
  if (!outcome.begun_told) suggester_.begin(outcome.id, outcome.worker, true);
  if (outcome.interrupted) return suggester_.release(outcome.id);
  reserve_.ended(outcome.seconds);
  const auto [cost, known] = cost_of_failure(outcome, predicted, seconds_per_unit_);
  const bool cut_off = outcome.timed_out || (known && cost >= timeout);
  Fault fault = fault_of(outcome, suggester_.options().transform);
  const Observation& seen = fault.reason.empty()
                                ? suggester_.tell(outcome.id, *outcome.evaluation)
                                : suggester_.fail(outcome.id, cost, std::move(fault.reason), cut_off && cost > 0);
  if (!fault.ends_run) start_next(slot, seen.cost);
  report(&seen);
  if (fault.ends_run) throw Error(seen.reason);
}

Result evaluate(Suggester& suggester, const CancellableObjective& objective, const Hooks& hooks, bool sees_context) {
  return ClosedLoop(suggester, objective, hooks, sees_context).finish();
}

}  // namespace carbo::internal
