#pragma once

#include <condition_variable>
#include <cstddef>
#include <list>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <carbo/minimize.hpp>

namespace carbo::internal {

/// One evaluation to run.
struct Job {
  std::uint64_t id = 0;
  Configuration configuration;
  double deadline = 0;         ///< on the steady clock; infinity where there is none
  double timeout = 0;          ///< cost at which to stop; infinity where there is none
  double timeout_seconds = 0;  ///< the same from its start, where cost is time; infinity otherwise
};

/// How one evaluation ended.
struct Outcome {
  std::uint64_t id = 0;
  std::optional<Evaluation> evaluation;  ///< absent where it threw
  std::optional<double> failure_cost;    ///< what EvaluationFailed said
  bool timed_out = false;
  bool interrupted = false;  ///< it threw EvaluationInterrupted
  bool mistaken = false;     ///< it threw an error of the library's own: what the objective asked for cannot be had
  std::string reason;
  double seconds = 0;       ///< it took
  std::size_t worker = 0;   ///< that it ran on
  bool begun_told = false;  ///< EvaluationWorkers::begin_told was called
};

/// Stands for a reason that there was no memory for; short enough to need none.
inline constexpr const char* lost_reason = "reason unknown";

/// Threads that evaluate the objective. Every exception becomes an outcome; the destructor waits for what runs. All
/// that an evaluation needs on its way is allocated with its task, so that no outcome is lost for want of memory.
class EvaluationWorkers {
 public:
  EvaluationWorkers(const CancellableObjective& objective, std::size_t count, std::stop_token stop);
  ~EvaluationWorkers();
  EvaluationWorkers(const EvaluationWorkers&) = delete;
  EvaluationWorkers& operator=(const EvaluationWorkers&) = delete;

  /// A job and room for its outcome.
  struct Task {
    explicit Task(Job given) : job(std::move(given)) {}
    Job job;
    Outcome outcome{};
  };
  using Tasks = std::list<Task>;

  /// Those for whom no thread is free wait.
  void submit(Tasks&& tasks) noexcept;
  /// Waits for the next evaluation to end, at most so many seconds (infinity: as long as it takes). Comes back
  /// without one, too, where another one has begun or `halt` was called.
  std::optional<Outcome> wait(double seconds);
  /// An evaluation that has begun.
  struct Begun {
    std::uint64_t id = 0;
    std::size_t worker = 0;
  };
  /// Those that run or whose outcome waits, and that `begin_told` was not called for.
  std::vector<Begun> begun();
  void begin_told(std::uint64_t id) noexcept;
  /// No task begins after it. May be called from any thread.
  void halt() noexcept;
  /// Those that have not begun.
  Tasks take_waiting() noexcept;

 private:
  void close();
  void work(std::size_t worker);
  void evaluate(Task& task) const noexcept;

  const CancellableObjective& objective_;
  std::stop_token stop_;
  std::mutex mutex_;
  std::condition_variable job_ready_;
  std::condition_variable outcome_ready_;
  Tasks waiting_;
  Tasks active_;
  Tasks done_;
  bool news_ = false;  ///< something has begun, or `halt` was called
  bool halted_ = false;
  bool closing_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace carbo::internal
