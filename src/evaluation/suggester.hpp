#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <carbo/minimize.hpp>

namespace carbo::internal {

/// Who suggests what the closed loop evaluates, and is told what came of it: an optimizer in memory, or a study in a
/// file. All calls are made from the thread that runs the loop.
class Suggester {
 public:
  virtual ~Suggester() = default;

  virtual const Space& space() const = 0;
  virtual const Options& options() const = 0;
  virtual Accounting accounting() const = 0;

  /// What an earlier run observed.
  virtual void tell_earlier(const Observation& observation) = 0;
  virtual std::vector<Suggestion> ask(std::size_t count) = 0;
  /// Whether the last `ask` or `prepare` brought nothing because another process was in the way: worth another try.
  virtual bool kept_waiting() const { return false; }
  /// The result of a suggestion, and the observation that it became, which stays until the next call. Need no memory
  /// that is not there since the suggestion.
  virtual const Observation& tell(std::uint64_t id, const Evaluation& evaluation) = 0;
  virtual const Observation& fail(std::uint64_t id, double cost, std::string reason, bool timed_out) = 0;
  virtual void withdraw(std::uint64_t id) = 0;
  /// As `ask`, ahead of time.
  virtual std::vector<Suggestion> prepare(std::size_t count) { return ask(count); }
  /// What was suggested runs from now on, on one of the workers. False where that could not be recorded yet, and is
  /// to be called again; where it has `ended` already there is no later, and the call waits.
  virtual bool begin(std::uint64_t /*id*/, std::size_t /*worker*/, bool /*ended*/) { return true; }
  /// It does not run any more and has no result: somebody else may make it.
  virtual void release(std::uint64_t id) { withdraw(id); }
  /// Says that these still run; to be called every `renewal_seconds`.
  virtual void renew(std::span<const std::uint64_t> ids) = 0;
  virtual double renewal_seconds() const = 0;  ///< infinity where nobody has to be told

  /// What others may have asked for meanwhile; to be looked at every `watch_seconds`.
  struct Wishes {
    bool paused = false;        ///< nothing is to begin
    std::int64_t settings = 0;  ///< another number where options are others since
  };
  virtual Wishes wishes() { return {}; }
  virtual double watch_seconds() const = 0;  ///< infinity where there are no others

  struct Counts {
    std::size_t evaluations = 0;  ///< of this run that ended, failures included
    std::size_t failures = 0;
    std::optional<double> best_objective{};
  };
  virtual Counts counts() const = 0;
  virtual double spent() const = 0;
  virtual Phase phase() const = 0;
  virtual StopReason stop_reason() const = 0;
  virtual std::vector<std::string> warnings() const = 0;
  virtual std::string last_failure() const noexcept = 0;  ///< its reason; empty where nothing failed
  /// Everything observed, at the end of the loop: nothing else is called after it.
  virtual std::vector<Observation> take_observations() = 0;
};

/// Evaluates what is suggested until the run is over; see carbo::minimize. `sees_context`: whether the objective is
/// given its context, and so can stop.
Result evaluate(Suggester& suggester, const CancellableObjective& objective, const Hooks& hooks, bool sees_context);

/// Throws InvalidOptions where there is none.
void check_callable(const CancellableObjective& objective);

}  // namespace carbo::internal
