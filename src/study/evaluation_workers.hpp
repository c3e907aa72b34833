#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
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
  double deadline = 0;  ///< on the steady clock; infinity where there is none
};

/// How one evaluation ended.
struct Outcome {
  std::uint64_t id = 0;
  std::optional<Evaluation> evaluation;  ///< absent where it threw
  std::optional<double> failure_cost;    ///< what EvaluationFailed said
  bool timed_out = false;
  std::string reason;
  double seconds = 0;  ///< it took
};

/// Threads that evaluate the objective. Every exception becomes an outcome; the destructor waits for what runs.
class EvaluationWorkers {
 public:
  EvaluationWorkers(const CancellableObjective& objective, std::size_t count, std::stop_token stop);
  ~EvaluationWorkers();
  EvaluationWorkers(const EvaluationWorkers&) = delete;
  EvaluationWorkers& operator=(const EvaluationWorkers&) = delete;

  void submit(Job job);
  /// Waits for the next evaluation to end. Requires that one is running.
  Outcome wait();

 private:
  void close();
  void work();
  Outcome evaluate(const Job& job) const;

  const CancellableObjective& objective_;
  std::stop_token stop_;
  std::mutex mutex_;
  std::condition_variable job_ready_;
  std::condition_variable outcome_ready_;
  std::deque<Job> jobs_;
  std::deque<Outcome> outcomes_;
  bool closing_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace carbo::internal
