#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "evaluation/evaluation_workers.hpp"
#include "evaluation/reserve.hpp"
#include "evaluation/slot_queues.hpp"
#include "evaluation/suggester.hpp"
#include "support/calls.hpp"
#include "support/stopwatch.hpp"

namespace carbo::internal {

/// One closed-loop run. All of it but the objective runs on the calling thread.
class ClosedLoop {
 public:
  ClosedLoop(Suggester& suggester, const CancellableObjective& objective, const Hooks& hooks, bool sees_context);

  Result finish();

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  /// What is known of an evaluation before it ends.
  struct Running {
    double predicted = 0;  ///< cost; 0 where there is no prediction
    double timeout = infinity;
    std::size_t slot = 0;
  };

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
  void note(const char* message) noexcept;

  void tell_prior();
  void loop();
  void absorb_others();
  std::optional<Outcome> next_outcome(double patience);
  void tell_begun();
  void look_after(double tick);
  void watch();
  void hold_back();
  bool stopping() const { return hooks_.stop.stop_requested() || hooks_.drain.stop_requested(); }
  bool may_start();
  template <typename Ask>
  std::vector<Suggestion> timed(const Ask& ask) {
    const double start = steady_seconds();
    std::vector<Suggestion> suggestions = ask();
    if (!suggester_.kept_waiting()) reserve_.asked(steady_seconds() - start);
    return suggestions;
  }
  void start(std::vector<Suggestion> suggestions);
  void start_next(std::size_t slot, double cost);
  void give_back(const EvaluationWorkers::Tasks& tasks);
  void absorb(Outcome outcome);

  bool is_time() const { return seconds_per_unit_ > 0; }
  double strict_limit(std::size_t more) const;
  double deadline_of(double share) const;

  // loop_result.cpp
  static Result roomy_result(const Suggester& suggester);
  void report(const Observation* last) const;
  Result result();
  void add_remarks(Result& result) const noexcept;

  double began_ = steady_seconds();
  Suggester& suggester_;
  Result result_;
  const Hooks& hooks_;
  double seconds_per_unit_;
  bool sees_context_;
  std::map<std::uint64_t, Running> running_;  ///< and what is queued
  std::optional<Outcome> ended_;              ///< of one of them, until it is absorbed
  SlotQueues queues_;
  std::vector<Suggestion> suggestions_;
  double spent_before_ = 0;  ///< by what `hooks.prior` has of this run
  StopReason reason_ = StopReason::running;
  std::string error_;
  double ticked_ = began_, renewed_ = began_, watched_ = began_;
  std::int64_t settings_ = 0;  ///< of `wishes`, when it was looked at last
  bool changed_ = false;       ///< since somebody was asked last: another budget may have room for more
  Reserve reserve_;
  std::stop_source over_;  ///< what runs need not go on
  EvaluationWorkers workers_;
  std::stop_callback<std::function<void()>> cancelled_{hooks_.stop, [this] {
                                                         over_.request_stop();
                                                         workers_.halt();
                                                       }};
  std::stop_callback<std::function<void()>> drained_{hooks_.drain, [this] { workers_.halt(); }};
};

}  // namespace carbo::internal
