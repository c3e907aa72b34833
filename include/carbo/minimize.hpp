#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <carbo/optimizer.hpp>
#include <carbo/to_string.hpp>

namespace carbo {

/// What an evaluation may look at while it runs.
class EvaluationContext {
 public:
  EvaluationContext(std::stop_token stop, double deadline_seconds, std::uint64_t id)
      : stop_(std::move(stop)), deadline_seconds_(deadline_seconds), id_(id) {}

  /// True once the run is cancelled or, with `strict`, the budget is over. An objective that can stop should
  /// then throw EvaluationFailed.
  bool stop_requested() const;
  /// Seconds until a strict budget that is counted in time runs out; infinity otherwise.
  double seconds_left() const;
  std::uint64_t suggestion_id() const { return id_; }

 private:
  std::stop_token stop_;
  double deadline_seconds_;  ///< on the steady clock; infinity where there is none
  std::uint64_t id_;
};

using Objective = std::function<Evaluation(const Configuration&)>;
using CancellableObjective = std::function<Evaluation(const Configuration&, const EvaluationContext&)>;

/// State of a run, given to the progress callback after every evaluation and every batch of new suggestions.
struct Progress {
  Phase phase = Phase::warm_start;
  std::size_t evaluations = 0;  ///< finished, failures included
  std::size_t failures = 0;
  std::size_t running = 0;
  double spent = 0;
  double budget = 0;
  double elapsed_seconds = 0;  ///< since the run began
  std::optional<double> best_objective;
  const Observation* last = nullptr;  ///< the evaluation that just finished; null at new suggestions
};

/// How a run is watched and stopped.
struct Hooks {
  /// Called from the thread that called `minimize`, one call at a time. An exception from it ends the run
  /// (StopReason::error) and it is not called again.
  std::function<void(const Progress&)> progress;
  /// No evaluation starts after a stop is requested; those running are waited for and kept.
  std::stop_token stop;
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
  std::string error;                    ///< message of what ended the run early (StopReason::error)
  std::vector<Suggestion> suggestions;  ///< with their receipts, in the order in which they were made
};

/// Runs the whole method with `batch_size` worker threads. An evaluation that throws, or that returns a
/// non-finite objective or a cost that is not above 0, is recorded as a failure; it then costs what
/// EvaluationFailed says, else what it returned, else the time it took (unit of time) or what was predicted.
/// Throws what Optimizer's constructor throws; an error later ends the run with all observations in the result.
Result minimize(const Space& space, const Options& options, const Objective& objective, const Hooks& hooks = {});
Result minimize(const Space& space, const Options& options, const CancellableObjective& objective,
                const Hooks& hooks = {});
/// The same with `Goal::maximize`.
Result maximize(const Space& space, Options options, const Objective& objective, const Hooks& hooks = {});
Result maximize(const Space& space, Options options, const CancellableObjective& objective, const Hooks& hooks = {});

}  // namespace carbo
