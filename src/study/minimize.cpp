#include <carbo/minimize.hpp>

#include <cmath>
#include <exception>
#include <limits>
#include <map>
#include <new>
#include <utility>

#include <carbo/error.hpp>

#include "engine/history.hpp"
#include "engine/validate_options.hpp"
#include "study/evaluation_workers.hpp"
#include "support/calls.hpp"
#include "support/room.hpp"
#include "support/stopwatch.hpp"
#include "support/text.hpp"

namespace carbo {
namespace {

using internal::EvaluationWorkers;
using internal::Outcome;
using internal::steady_seconds;
using internal::text;

/// Why an evaluation is a failure.
struct Fault {
  std::string reason;
  bool ends_run = false;  ///< no other evaluation will do better: the caller has something to change
};

/// One closed-loop run. All of it but the objective runs on the calling thread.
class Run {
 public:
  Run(const Space& space, const Options& options, const CancellableObjective& objective, const Hooks& hooks)
      : optimizer_(space, options),
        result_(roomy_result(optimizer_)),
        hooks_(hooks),
        seconds_per_unit_(internal::seconds_per_unit(options.cost.unit)),
        workers_(objective, options.batch_size, hooks.stop) {}

  Result finish() {
    guarded([&] {
      tell_prior();
      loop();
    });
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
    for (const Observation& seen : hooks_.prior) optimizer_.tell(seen);
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
    if (failures_in_a_row_ >= optimizer_.options().failures.max_consecutive) reason_ = StopReason::failures;
    return reason_ == StopReason::running && !optimizer_.done();
  }

  void start(std::vector<Suggestion> suggestions) {
    if (hooks_.stop.stop_requested()) {
      for (const Suggestion& suggestion : suggestions) optimizer_.withdraw(suggestion.id);
      reason_ = StopReason::cancelled;
      return;
    }
    const double deadline = deadline_of(running_.size() + suggestions.size());
    // What can fail comes before anything runs.
    std::map<std::uint64_t, double> predicted;
    EvaluationWorkers::Tasks tasks;
    for (const Suggestion& suggestion : suggestions) {
      predicted.emplace(suggestion.id, suggestion.receipt.predicted_cost.value_or(0.0));
      tasks.emplace_back(internal::Job{suggestion.id, suggestion.configuration, deadline});
    }
    internal::make_room(suggestions_, suggestions.size());
    running_.merge(predicted);
    workers_.submit(std::move(tasks));
    for (Suggestion& suggestion : suggestions) suggestions_.push_back(std::move(suggestion));
    if (!suggestions.empty()) report(nullptr);
  }

  /// When a strict budget that is counted in time is over, on the steady clock. A budget of summed costs is shared
  /// by the `running` evaluations.
  double deadline_of(std::size_t running) const {
    const Options& options = optimizer_.options();
    if (!options.strict || seconds_per_unit_ == 0) return std::numeric_limits<double>::infinity();
    const double left = (options.budget - optimizer_.spent()) * seconds_per_unit_;
    if (options.accounting == Accounting::sum) return steady_seconds() + left / static_cast<double>(running);
    const bool slots = options.accounting == Accounting::longest && options.execution == Execution::asynchronous;
    return slots ? began_ + (options.budget - spent_before_) * seconds_per_unit_ : steady_seconds() + left;
  }

  /// Up to the report nothing here needs memory that is not there yet: the result of a suggestion is always kept.
  void absorb(Outcome outcome) {
    const auto running = running_.find(outcome.id);
    const double predicted = running->second;
    running_.erase(running);
    const double cost = cost_of_failure(outcome, predicted);
    Fault fault = fault_of(std::move(outcome));
    const bool failed = !fault.reason.empty();
    if (!failed) {
      optimizer_.tell(outcome.id, *outcome.evaluation);
      failures_in_a_row_ = 0;
    } else {
      optimizer_.fail(outcome.id, cost, std::move(fault.reason), outcome.timed_out && cost > 0);
      ++failures_;
      ++failures_in_a_row_;
    }
    report(&optimizer_.observations().back());
    if (fault.ends_run) throw InvalidObservation(optimizer_.observations().back().reason);
  }

  /// Why an outcome is a failure; without a reason where it is none.
  Fault fault_of(Outcome&& outcome) const noexcept {
    try {
      return described_fault(std::move(outcome));
    } catch (const std::bad_alloc&) {
      return {internal::lost_reason};
    }
  }

  Fault described_fault(Outcome&& outcome) const {
    if (!outcome.evaluation && !outcome.reason.empty()) return {std::move(outcome.reason)};
    if (!outcome.evaluation) return {"the objective threw without a message"};
    const auto [objective, cost] = *outcome.evaluation;
    if (!std::isfinite(objective)) return Fault{text("the objective returned ", objective)};
    if (!std::isfinite(cost) || !(cost > 0)) {
      return Fault{
          text("the objective returned ", objective, " with a cost of ", cost, "; a cost is finite and above 0")};
    }
    if (optimizer_.options().transform == Transform::log && !(objective > 0)) {
      return Fault{text("the objective returned ", objective,
                        ", which has no logarithm; use Transform::none or Transform::rank"),
                   true};
    }
    return {};
  }

  double cost_of_failure(const Outcome& outcome, double predicted) const {
    const auto usable = [](double cost) { return std::isfinite(cost) && cost > 0; };
    if (outcome.failure_cost && usable(*outcome.failure_cost)) return *outcome.failure_cost;
    if (outcome.evaluation && usable(outcome.evaluation->cost)) return outcome.evaluation->cost;
    return seconds_per_unit_ > 0 ? outcome.seconds / seconds_per_unit_ : predicted;
  }

  void report(const Observation* last) const {
    if (!hooks_.progress || reason_ == StopReason::error) return;
    Progress progress;
    progress.phase = optimizer_.phase();
    for (const Observation& seen : optimizer_.observations()) progress.evaluations += seen.origin == Origin::this_run;
    progress.failures = failures_;
    progress.running = running_.size();
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
    return result;
  }

  double began_ = steady_seconds();
  Optimizer optimizer_;
  Result result_;
  const Hooks& hooks_;
  double seconds_per_unit_;
  std::map<std::uint64_t, double> running_;  ///< predicted costs, 0 where there is no prediction
  std::vector<Suggestion> suggestions_;
  double spent_before_ = 0;  ///< by what `hooks.prior` has of this run
  std::size_t failures_ = 0;
  std::size_t failures_in_a_row_ = 0;
  StopReason reason_ = StopReason::running;
  std::string error_;
  EvaluationWorkers workers_;
};

template <typename Function>
void check_callable(const Function& objective) {
  if (!objective) throw InvalidOptions("the objective is empty; give a function to evaluate");
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
  return internal::with_typed_exhaustion([&] { return Run(space, options, objective, hooks).finish(); });
}

Result minimize(const Space& space, const Options& options, const Objective& objective, const Hooks& hooks) {
  return minimize(space, options, ignoring_context(objective), hooks);
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
