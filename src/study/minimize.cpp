#include <carbo/minimize.hpp>

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
#include "study/evaluation_fault.hpp"
#include "study/evaluation_workers.hpp"
#include "study/slot_queues.hpp"
#include "support/calls.hpp"
#include "support/room.hpp"
#include "support/stopwatch.hpp"

namespace carbo {
namespace {

using internal::EvaluationWorkers;
using internal::Outcome;
using internal::steady_seconds;

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
  /// `sees_context`: whether the objective is given its context, and so can stop.
  Run(const Space& space, const Options& options, const CancellableObjective& objective, const Hooks& hooks,
      bool sees_context)
      : optimizer_(space, options),
        result_(roomy_result(optimizer_)),
        hooks_(hooks),
        seconds_per_unit_(internal::seconds_per_unit(options.cost.unit)),
        sees_context_(sees_context),
        workers_(objective, options.batch_size, over_.get_token()) {}

  Result finish() {
    guarded([&] {
      tell_prior();
      loop();
    });
    guarded([&] { give_back(queues_.take_all()); });
    while (!running_.empty()) {
      Outcome outcome = workers_.wait();
      guarded([&] { absorb(std::move(outcome)); });
    }
    return result();
  }

 private:
  /// What anything but the objective throws (the engine, a cost function, a constraint, the progress callback) ends
  /// the run and not the result; the callback is not called again.
  template <typename Action>
  void guarded(const Action& action) {
    try {
      internal::with_typed_exhaustion(action);
      return;
    } catch (const std::exception& error) {
      note(error.what());
    } catch (...) {
      note("something that is not a std::exception was thrown");
    }
    reason_ = StopReason::error;
    over_.request_stop();
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
    for (const Observation* const seen : prior) optimizer_.tell(*seen);
    spent_before_ = optimizer_.spent();
  }

  void loop() {
    const bool asynchronous = optimizer_.options().execution == Execution::asynchronous;
    while (true) {
      const bool wants_more = asynchronous || running_.empty();
      if (wants_more && may_start()) start(optimizer_.ask(optimizer_.options().batch_size - running_.size()));
      if (running_.empty()) return;
      absorb(workers_.wait());
    }
  }

  bool may_start() {
    if (hooks_.stop.stop_requested()) reason_ = StopReason::cancelled;
    if (reason_ != StopReason::running || optimizer_.done()) return false;
    return running_.empty() || strict_limit(1) > 0;  // what runs may yet leave something of its share
  }

  void start(std::vector<Suggestion> suggestions) {
    if (hooks_.stop.stop_requested()) {
      for (const Suggestion& suggestion : suggestions) optimizer_.withdraw(suggestion.id);
      reason_ = StopReason::cancelled;
      return;
    }
    const double share = strict_limit(suggestions.size());
    const double deadline = deadline_of(share);
    // What can fail comes before anything runs.
    std::map<std::uint64_t, Running> starting;
    EvaluationWorkers::Tasks tasks;
    internal::SlotQueues queues(share);
    for (const Suggestion& suggestion : suggestions) {
      const double timeout = std::min(suggestion.timeout.value_or(infinity), share);
      const double seconds = suggestion.timeout && is_time() ? *suggestion.timeout * seconds_per_unit_ : infinity;
      starting.emplace(suggestion.id,
                       Running{suggestion.receipt.predicted_cost.value_or(0.0), timeout, suggestion.slot});
      internal::Job job{suggestion.id, suggestion.configuration, deadline, timeout, seconds};
      if (suggestion.order == 0)
        tasks.emplace_back(std::move(job));
      else
        queues.add(suggestion.slot, std::move(job));
    }
    internal::make_room(suggestions_, suggestions.size());
    running_.merge(starting);
    queues_ = std::move(queues);  // those of the round before are empty, and what is asynchronous has none
    workers_.submit(std::move(tasks));
    for (Suggestion& suggestion : suggestions) suggestions_.push_back(std::move(suggestion));
    if (!suggestions.empty()) report(nullptr);
  }

  /// An evaluation of `slot` ended after `cost`: the next one of its queue begins, whatever became of that one. What
  /// cannot begin any more is taken back.
  void start_next(std::size_t slot, double cost) {
    if (hooks_.stop.stop_requested() && reason_ == StopReason::running) reason_ = StopReason::cancelled;
    if (reason_ != StopReason::running) return give_back(queues_.take_all());
    EvaluationWorkers::Tasks next = queues_.next(slot, cost);
    if (queues_.spent(slot)) return give_back(queues_.take(slot));
    if (next.empty()) return;
    const internal::Job& job = next.front().job;
    running_.find(job.id)->second.timeout = job.timeout;
    workers_.submit(std::move(next));
  }

  void give_back(const EvaluationWorkers::Tasks& tasks) {
    for (const auto& task : tasks) running_.erase(task.job.id);
    for (const auto& task : tasks) optimizer_.withdraw(task.job.id);
  }

  bool is_time() const { return seconds_per_unit_ > 0; }

  /// What each of `more` evaluations may cost of a strict budget. One of summed costs is shared: by those, and by
  /// what runs, as much as it was given.
  double strict_limit(std::size_t more) const {
    const Options& options = optimizer_.options();
    if (!options.strict) return infinity;
    double left = options.budget - optimizer_.spent();
    if (options.accounting != Accounting::sum) return left;
    for (const auto& [id, one] : running_) left -= one.timeout;
    return left / static_cast<double>(more);
  }

  /// When a strict budget that is counted in time is over, on the steady clock; `share` of it is the evaluation's.
  double deadline_of(double share) const {
    const Options& options = optimizer_.options();
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
    const auto [cost, known] = internal::cost_of_failure(outcome, predicted, seconds_per_unit_);
    const bool cut_off = outcome.timed_out || (known && cost >= timeout);
    internal::Fault fault = internal::fault_of(std::move(outcome), optimizer_.options().transform);
    if (fault.reason.empty()) {
      optimizer_.tell(outcome.id, *outcome.evaluation);
    } else {
      optimizer_.fail(outcome.id, cost, std::move(fault.reason), cut_off && cost > 0);
    }
    if (!fault.ends_run) start_next(slot, optimizer_.observations().back().cost);
    report(&optimizer_.observations().back());
    if (fault.ends_run) throw Error(optimizer_.observations().back().reason);
  }

  void report(const Observation* last) const {
    if (!hooks_.progress || reason_ == StopReason::error) return;
    Progress progress;
    progress.phase = optimizer_.phase();
    for (const Observation& seen : optimizer_.observations()) {
      if (seen.origin != Origin::this_run) continue;
      ++progress.evaluations;
      progress.failures += seen.status != ObservationStatus::succeeded;
    }
    progress.running = running_.size() - queues_.size();
    progress.spent = optimizer_.spent();
    progress.budget = optimizer_.options().budget;
    progress.elapsed_seconds = steady_seconds() - began_;
    if (const Observation* const best = internal::best_of(optimizer_.observations(), optimizer_.options().goal))
      progress.best_objective = best->objective;
    progress.last = last;
    hooks_.progress(progress);
  }

  /// Copies nothing that there is no room for: what was paid for is handed over even where memory has run out.
  Result result() {
    Result& result = result_;
    result.spent = optimizer_.spent();
    result.budget = optimizer_.options().budget;
    result.elapsed_seconds = steady_seconds() - began_;
    result.accounting = optimizer_.accounting();
    result.stop_reason = reason_ == StopReason::running ? optimizer_.stop_reason() : reason_;
    result.error = std::move(error_);
    add_remarks(result);
    result.suggestions = std::move(suggestions_);
    const Goal goal = optimizer_.options().goal;
    result.observations = std::move(optimizer_).observations();
    if (const Observation* const best = internal::best_of(result.observations, goal))
      *result.best = *best;
    else
      result.best.reset();
    return std::move(result);
  }

  /// Room for the best of any study of this space, and for what is known of the result.
  static Result roomy_result(const Optimizer& optimizer) {
    const Space& space = optimizer.space();
    const std::vector<double> corner(space.encoded_columns(), 0.0);
    Result result;
    result.best = {{}, space.decode(corner), ObservationStatus::succeeded, Origin::this_run, 0.0, 0.0, ""};
    result.cost_unit = optimizer.options().cost.unit;
    result.warnings.reserve(1);
    return result;
  }

  /// Why the run failed, and what was probably not meant.
  void add_remarks(Result& result) const noexcept {
    if (result.stop_reason == StopReason::failures) result.error = internal::last_failure(optimizer_.observations());
    try {
      std::vector<std::string> warnings = optimizer_.warnings();
      const EvaluationOptions& evaluation = optimizer_.options().evaluation;
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
  Optimizer optimizer_;
  Result result_;
  const Hooks& hooks_;
  double seconds_per_unit_;
  bool sees_context_;
  std::map<std::uint64_t, Running> running_;  ///< and what is queued
  internal::SlotQueues queues_;
  std::vector<Suggestion> suggestions_;
  double spent_before_ = 0;  ///< by what `hooks.prior` has of this run
  StopReason reason_ = StopReason::running;
  std::string error_;
  std::stop_source over_;  ///< what runs need not go on
  std::stop_callback<std::function<void()>> cancelled_{hooks_.stop, [this] { over_.request_stop(); }};
  EvaluationWorkers workers_;
};

template <typename Function>
void check_callable(const Function& objective) {
  if (!objective) throw InvalidOptions("the objective is empty; give a function to evaluate");
}

Result run(const Space& space, const Options& options, const CancellableObjective& objective, const Hooks& hooks,
           bool sees_context) {
  return internal::with_typed_exhaustion(
      [&] { return Run(space, options, objective, hooks, sees_context).finish(); });
}

CancellableObjective ignoring_context(const Objective& objective) {
  check_callable(objective);
  return
      [&objective](const Configuration& configuration, const EvaluationContext&) { return objective(configuration); };
}

}  // namespace

bool EvaluationContext::stop_requested() const { return stop_.stop_requested() || seconds_left() <= 0; }

double EvaluationContext::seconds_left() const { return deadline_seconds_ - steady_seconds(); }

Result minimize(const Space& space, const Options& options, const CancellableObjective& objective,
                const Hooks& hooks) {
  check_callable(objective);
  return run(space, options, objective, hooks, true);
}

Result minimize(const Space& space, const Options& options, const Objective& objective, const Hooks& hooks) {
  return run(space, options, ignoring_context(objective), hooks, false);
}

Result maximize(const Space& space, Options options, const CancellableObjective& objective, const Hooks& hooks) {
  options.goal = Goal::maximize;
  return minimize(space, options, objective, hooks);
}

Result maximize(const Space& space, Options options, const Objective& objective, const Hooks& hooks) {
  options.goal = Goal::maximize;
  return minimize(space, options, objective, hooks);
}

}  // namespace carbo
