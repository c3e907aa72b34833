#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <carbo/optimizer.hpp>

namespace carbo {

/// What an evaluation may look at while it runs.
class EvaluationContext {
 public:
  EvaluationContext(std::stop_token stop, double deadline_seconds, std::uint64_t id,
                    double timeout = std::numeric_limits<double>::infinity(), std::size_t worker = 0)
      : stop_(std::move(stop)), deadline_seconds_(deadline_seconds), id_(id), timeout_(timeout), worker_(worker) {}

  /// True once the run is over (cancelled, or ended by an error) or, where the unit is time, nothing is left of
  /// `seconds_left`. An objective that can stop
  /// should then throw EvaluationFailed with what was spent and `timed_out`.
  bool stop_requested() const;
  /// Until the evaluation's timeout or the end of a strict budget, where the unit is time; infinity otherwise.
  double seconds_left() const;
  /// Cost at which to stop, in the unit of the budget: of `evaluation.timeout`, `evaluation.timeout_factor` and, with
  /// `strict`, what is left of the budget (a summed one is shared: what runs keeps its share), the smallest; infinity
  /// without any. For costs that are not time, which only the objective can count.
  double timeout() const { return timeout_; }
  std::uint64_t suggestion_id() const { return id_; }
  /// One of `batch_size`, from 0; no two evaluations that run have the same.
  std::size_t worker() const { return worker_; }

 private:
  std::stop_token stop_;
  double deadline_seconds_;  ///< on the steady clock; infinity where there is none
  std::uint64_t id_;
  double timeout_;
  std::size_t worker_;
};

using Objective = std::function<Evaluation(const Configuration&)>;
using CancellableObjective = std::function<Evaluation(const Configuration&, const EvaluationContext&)>;

/// State of a run, given to the progress callback after every evaluation and every batch of new suggestions.
struct Progress {
  Phase phase = Phase::warm_start;
  std::size_t evaluations = 0;  ///< finished, failures included
  std::size_t failures = 0;
  std::size_t running = 0;  ///< without what waits in a worker's queue
  double spent = 0;
  double budget = 0;
  double elapsed_seconds = 0;  ///< since the run began
  std::optional<double> best_objective;
  std::optional<double> alpha{};      ///< of the last suggestion; see Receipt
  const Observation* last = nullptr;  ///< the evaluation that just finished; null at new suggestions
};

/// How a run is watched and stopped.
struct Hooks {
  /// Called from the thread that called `minimize`, one call at a time. An exception from it ends the run
  /// (StopReason::error) and it is not called again.
  std::function<void(const Progress&)> progress;
  /// No evaluation starts after a stop is requested; those running are waited for and kept, those queued are taken
  /// back.
  std::stop_token stop;
  /// The same, but what runs is not told (EvaluationContext::stop_requested) and goes on to its end.
  std::stop_token drain{};
  /// Called from the same thread as `progress` while evaluations run, about every `tick_seconds`; an exception ends
  /// the run.
  std::function<void()> tick{};
  double tick_seconds = 0.25;
  /// Asynchronously and without `strict`: while evaluations run, as many suggestions are prepared as evaluations are
  /// likely to end during an `ask`, up to one a worker, so that no worker waits. They count as running, know nothing
  /// of what ends meanwhile, and are taken back where they never began.
  bool prepare = false;
  /// Told before the first suggestion, in this order, as `Optimizer::tell(const Observation&)` tells them. Those of
  /// Origin::this_run are an earlier part of this run: their cost is spent, and the design is not begun again. Those
  /// of another study are Origin::prior: learned from, and not spent.
  std::vector<Observation> prior;
};

struct Result {
  std::optional<Observation> best;  ///< absent where no evaluation succeeded
  std::vector<Observation> observations;
  double spent = 0;
  double budget = 0;
  double elapsed_seconds = 0;
  Accounting accounting = Accounting::sum;  ///< never `automatic`
  std::string cost_unit;
  StopReason stop_reason = StopReason::running;
  /// Message of what ended the run early (StopReason::error), or the last failure's reason (StopReason::failures).
  std::string error;
  std::vector<std::string> warnings;    ///< what is legal and was probably not meant
  std::vector<Suggestion> suggestions;  ///< with their receipts, in the order in which they were made
};

/// Runs the whole method with `batch_size` worker threads; where workers have queues (see Batches), each takes the
/// next of its own as soon as it is free, whatever became of the one before. An evaluation that throws, or that
/// returns a non-finite objective or a cost that is not above 0, is recorded as a failure; it then costs what
/// EvaluationFailed says, else what it returned, else the time it took (unit of time) or what was predicted. A
/// failure whose cost is known to be its timeout or more counts as cut off. An objective that throws a carbo::Error
/// (a parameter's name that is not in the space) or has no logarithm under Transform::log is a mistake that no other
/// point mends: the run ends. Throws what Optimizer's constructor throws; an error later ends the run with all
/// observations in the result.
Result minimize(const Space& space, const Options& options, const Objective& objective, const Hooks& hooks = {});
Result minimize(const Space& space, const Options& options, const CancellableObjective& objective,
                const Hooks& hooks = {});
/// The same with `Goal::maximize`.
Result maximize(const Space& space, Options options, const Objective& objective, const Hooks& hooks = {});
Result maximize(const Space& space, Options options, const CancellableObjective& objective, const Hooks& hooks = {});

}  // namespace carbo
