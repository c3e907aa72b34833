#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <map>
#include <new>
#include <utility>

#include <carbo/error.hpp>

#include "engine/history.hpp"
#include "engine/time_unit.hpp"
#include "evaluation/evaluation_fault.hpp"
#include "evaluation/evaluation_workers.hpp"
#include "evaluation/reserve.hpp"
#include "evaluation/slot_queues.hpp"
#include "evaluation/suggester.hpp"
#include "support/calls.hpp"
#include "support/room.hpp"
#include "support/stopwatch.hpp"

namespace carbo::internal {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// What is known of an evaluation before it ends.
struct Running {
  double predicted = 0;  ///< cost; 0 where there is no prediction
  double timeout = infinity;
  std::size_t slot = 0;
};

/// One closed-loop run. All of it but the objective runs on the calling thread.
class Run {
 public:
  Run(Suggester& suggester, const CancellableObjective& objective, const Hooks& hooks, bool sees_context)
      : suggester_(suggester),
        result_(roomy_result(suggester)),
        hooks_(hooks),
        seconds_per_unit_(seconds_per_unit(suggester.options().cost.unit)),
        sees_context_(sees_context),
        reserve_(hooks.prepare && !suggester.options().strict),
        workers_(objective, suggester.options().batch_size, over_.get_token()) {}

  Result finish() {
    guarded([&] {
      tell_prior();
      loop();
    });
    workers_.halt();
    guarded([&] { give_back(queues_.take_all()); });
    guarded([&] { give_back(workers_.take_waiting()); });
    while (!running_.empty()) {
      std::optional<Outcome> outcome;
      guarded([&] { outcome = next_outcome(); });
      while (!outcome && !running_.empty()) outcome = workers_.wait(infinity);
      if (outcome) guarded([&] { absorb(std::move(*outcome)); });
    }
    return result();
  }

 private:
  /// What anything but the objective throws (the engine, a cost function, a constraint, the progress callback) ends
  /// the run and not the result; the callback is not called again.
  template <typename Action>
  void guarded(const Action& action) {
    try {
      with_typed_exhaustion(action);
      return;
    } catch (const std::exception& error) {
      note(error.what());
    } catch (...) {
      note("something that is not a std::exception was thrown");
    }
    reason_ = StopReason::error;
    over_.request_stop();
    workers_.halt();
  }

  /// The first error is the one that is told; of one that there is no memory for, as much as needs none.
  void note(const char* message) noexcept {
    if (!error_.empty()) return;
    try {
      error_ = message;
    } catch (const std::bad_alloc&) {
      error_ = "out of memory";
    }
  }

  void tell_prior() {
    // In the order in which batches began; results have them in the order in which evaluations ended.
    std::vector<const Observation*> prior;
    for (const Observation& seen : hooks_.prior) prior.push_back(&seen);
    std::ranges::stable_sort(prior, {}, [](const Observation* seen) { return seen->batch.value_or(0); });
    for (const Observation* const seen : prior) suggester_.tell_earlier(*seen);
    spent_before_ = suggester_.spent();
  }

  void loop() {
    const std::size_t workers = suggester_.options().batch_size;
    const bool asynchronous = suggester_.options().execution == Execution::asynchronous;
    while (true) {
      if (running_.size() < (asynchronous ? workers : 1) && may_start())
        start(timed([&] { return suggester_.ask(workers - running_.size()); }));
      const std::size_t ahead = reserve_.wanted(workers);
      if (asynchronous && running_.size() >= workers && running_.size() < workers + ahead && may_start())
        start(timed([&] { return suggester_.prepare(workers + ahead - running_.size()); }));
      std::optional<Outcome> outcome = next_outcome();
      if (!outcome) return;
      absorb(std::move(*outcome));
      if (asynchronous) absorb_others();
    }
  }

  /// What else has ended, or ends in a moment, is told before anybody asks: one `ask` for all.
  void absorb_others() {
    const double until = steady_seconds() + reserve_.linger();
    while (!running_.empty()) {
      const double left = until - steady_seconds();
      std::optional<Outcome> outcome = workers_.wait(std::max(0.0, left));
      if (outcome)
        absorb(std::move(*outcome));
      else if (left <= 0)
        return;
    }
  }

  template <typename Ask>
  std::vector<Suggestion> timed(const Ask& ask) {
    const double start = steady_seconds();
    std::vector<Suggestion> suggestions = ask();
    reserve_.asked(steady_seconds() - start);
    return suggestions;
  }

  /// Waits for the next evaluation to end; none where none is left to wait for.
  std::optional<Outcome> next_outcome() {
    while (true) {
      if (stopping()) {
        if (reason_ == StopReason::running) reason_ = StopReason::cancelled;
        give_back(workers_.take_waiting());
      }
      if (running_.empty()) return std::nullopt;
      const double tick = hooks_.tick ? hooks_.tick_seconds : infinity;
      std::optional<Outcome> outcome = workers_.wait(
          std::max(0.0, std::min(ticked_ + tick, renewed_ + suggester_.renewal_seconds()) - steady_seconds()));
      for (const auto& [id, worker] : workers_.take_begun()) suggester_.begin(id, worker);
      look_after(tick);
      if (outcome) return outcome;
    }
  }

  /// What is due by the clock: the caller's tick, and to say what still runs.
  void look_after(double tick) {
    const double now = steady_seconds();
    if (now >= ticked_ + tick && reason_ != StopReason::error) {
      ticked_ = now;
      hooks_.tick();
    }
    if (now < renewed_ + suggester_.renewal_seconds()) return;
    renewed_ = now;
    std::vector<std::uint64_t> ids;
    for (const auto& [id, one] : running_) ids.push_back(id);
    suggester_.renew(ids);
  }

  bool stopping() const { return hooks_.stop.stop_requested() || hooks_.drain.stop_requested(); }

  bool may_start() {
    if (stopping()) reason_ = StopReason::cancelled;
    if (reason_ != StopReason::running || suggester_.stop_reason() != StopReason::running) return false;
    return running_.empty() || strict_limit(1) > 0;  // what runs may yet leave something of its share
  }

  void start(std::vector<Suggestion> suggestions) {
    if (stopping()) {
      for (const Suggestion& suggestion : suggestions) suggester_.withdraw(suggestion.id);
      reason_ = StopReason::cancelled;
      return;
    }
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
  void start_next(std::size_t slot, double cost) {
    if (stopping() && reason_ == StopReason::running) reason_ = StopReason::cancelled;
    if (reason_ != StopReason::running) return give_back(queues_.take_all());
    EvaluationWorkers::Tasks next = queues_.next(slot, cost);
    if (queues_.spent(slot)) return give_back(queues_.take(slot));
    if (next.empty()) return;
    const Job& job = next.front().job;
    running_.find(job.id)->second.timeout = job.timeout;
    workers_.submit(std::move(next));
  }

  void give_back(const EvaluationWorkers::Tasks& tasks) {
    for (const auto& task : tasks) running_.erase(task.job.id);
    for (const auto& task : tasks) suggester_.withdraw(task.job.id);
  }

  bool is_time() const { return seconds_per_unit_ > 0; }

  /// What each of `more` evaluations may cost of a strict budget. One of summed costs is shared: by those, and by
  /// what runs, as much as it was given.
  double strict_limit(std::size_t more) const {
    const Options& options = suggester_.options();
    if (!options.strict) return infinity;
    double left = options.budget - suggester_.spent();
    if (options.accounting != Accounting::sum) return left;
    for (const auto& [id, one] : running_) left -= one.timeout;
    return left / static_cast<double>(more);
  }

  /// When a strict budget that is counted in time is over, on the steady clock; `share` of it is the evaluation's.
  double deadline_of(double share) const {
    const Options& options = suggester_.options();
    if (!options.strict || !is_time()) return infinity;
    const bool slots = options.accounting == Accounting::longest && options.execution == Execution::asynchronous;
    return slots ? began_ + (options.budget - spent_before_) * seconds_per_unit_
                 : steady_seconds() + share * seconds_per_unit_;
  }

  /// Up to the report nothing here needs memory that is not there yet: the result of a suggestion is always kept.
  void absorb(Outcome outcome) {
    const auto found = running_.find(outcome.id);
    const auto [predicted, timeout, slot] = found->second;
    running_.erase(found);
    if (!outcome.begun_told) suggester_.begin(outcome.id, outcome.worker);
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

  void report(const Observation* last) const {
    if (!hooks_.progress || reason_ == StopReason::error) return;
    Progress progress;
    progress.phase = suggester_.phase();
    const Suggester::Counts counts = suggester_.counts();
    progress.evaluations = counts.evaluations;
    progress.failures = counts.failures;
    progress.best_objective = counts.best_objective;
    progress.running = running_.size() - queues_.size();
    progress.spent = suggester_.spent();
    progress.budget = suggester_.options().budget;
    progress.elapsed_seconds = steady_seconds() - began_;
    if (!suggestions_.empty()) progress.alpha = suggestions_.back().receipt.alpha;
    progress.last = last;
    hooks_.progress(progress);
  }

  /// Copies nothing that there is no room for: what was paid for is handed over even where memory has run out.
  Result result() {
    Result& result = result_;
    const Goal goal = suggester_.options().goal;
    result.budget = suggester_.options().budget;
    result.accounting = suggester_.accounting();
    result.elapsed_seconds = steady_seconds() - began_;
    guarded([&] { result.spent = suggester_.spent(); });
    guarded([&] { result.stop_reason = suggester_.stop_reason(); });
    if (reason_ != StopReason::running) result.stop_reason = reason_;
    result.error = std::move(error_);
    add_remarks(result);
    result.suggestions = std::move(suggestions_);
    guarded([&] { result.observations = suggester_.take_observations(); });
    if (!error_.empty()) {
      result.stop_reason = StopReason::error;
      result.error = std::move(error_);
    }
    if (const Observation* const best = best_of(result.observations, goal))
      *result.best = *best;
    else
      result.best.reset();
    return std::move(result);
  }

  /// Room for the best of any study of this space, and for what is known of the result.
  static Result roomy_result(const Suggester& suggester) {
    const Space& space = suggester.space();
    const std::vector<double> corner(space.encoded_columns(), 0.0);
    Result result;
    result.best = {{}, space.decode(corner), ObservationStatus::succeeded, Origin::this_run, 0.0, 0.0, ""};
    result.cost_unit = suggester.options().cost.unit;
    result.warnings.reserve(1);
    return result;
  }

  /// Why the run failed, and what was probably not meant.
  void add_remarks(Result& result) const noexcept {
    if (result.stop_reason == StopReason::failures) result.error = suggester_.last_failure();
    try {
      std::vector<std::string> warnings = suggester_.warnings();
      const EvaluationOptions& evaluation = suggester_.options().evaluation;
      if (!sees_context_ && (evaluation.timeout || evaluation.timeout_factor)) {
        warnings.emplace_back(
            is_time() ? "evaluations have a timeout, but the objective cannot see it: let it take a const "
                        "EvaluationContext&, and throw EvaluationFailed where stop_requested() turns true"
                      : "evaluations have a timeout, but the objective cannot see it: let it take a const "
                        "EvaluationContext&, and throw EvaluationFailed where its cost reaches timeout()");
      }
      result.warnings = std::move(warnings);
    } catch (const std::exception&) {
      result.warnings.emplace_back("out of memory");
    }
  }

  double began_ = steady_seconds();
  Suggester& suggester_;
  Result result_;
  const Hooks& hooks_;
  double seconds_per_unit_;
  bool sees_context_;
  std::map<std::uint64_t, Running> running_;  ///< and what is queued
  SlotQueues queues_;
  std::vector<Suggestion> suggestions_;
  double spent_before_ = 0;  ///< by what `hooks.prior` has of this run
  StopReason reason_ = StopReason::running;
  std::string error_;
  double ticked_ = began_, renewed_ = began_;
  Reserve reserve_;
  std::stop_source over_;  ///< what runs need not go on
  EvaluationWorkers workers_;
  std::stop_callback<std::function<void()>> cancelled_{hooks_.stop, [this] {
                                                         over_.request_stop();
                                                         workers_.halt();
                                                       }};
  std::stop_callback<std::function<void()>> drained_{hooks_.drain, [this] { workers_.halt(); }};
};

}  // namespace

Result evaluate(Suggester& suggester, const CancellableObjective& objective, const Hooks& hooks, bool sees_context) {
  return Run(suggester, objective, hooks, sees_context).finish();
}

}  // namespace carbo::internal
