#include "study/evaluation_workers.hpp"

#include <exception>
#include <system_error>
#include <utility>

#include <carbo/error.hpp>

#include "support/stopwatch.hpp"
#include "support/text.hpp"

namespace carbo::internal {

EvaluationWorkers::EvaluationWorkers(const CancellableObjective& objective, std::size_t count, std::stop_token stop)
    : objective_(objective), stop_(std::move(stop)) {
  threads_.reserve(count);
  try {
    for (std::size_t i = 0; i < count; ++i) threads_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    const std::size_t started = threads_.size();
    close();
    throw InvalidOptions(text("batch_size is ", count, ", but only ", started,
                              " worker threads could be started here; give a smaller batch_size"));
  }
}

EvaluationWorkers::~EvaluationWorkers() { close(); }

void EvaluationWorkers::close() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    jobs_.clear();
  }
  job_ready_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void EvaluationWorkers::submit(Job job) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
  }
  job_ready_.notify_one();
}

Outcome EvaluationWorkers::wait() {
  std::unique_lock lock(mutex_);
  outcome_ready_.wait(lock, [this] { return !outcomes_.empty(); });
  Outcome outcome = std::move(outcomes_.front());
  outcomes_.pop_front();
  return outcome;
}

void EvaluationWorkers::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    job_ready_.wait(lock, [this] { return closing_ || !jobs_.empty(); });
    if (closing_) return;
    const Job job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    Outcome outcome = evaluate(job);
    lock.lock();
    outcomes_.push_back(std::move(outcome));
    outcome_ready_.notify_one();
  }
}

Outcome EvaluationWorkers::evaluate(const Job& job) const {
  Outcome outcome;
  outcome.id = job.id;
  const double start = steady_seconds();
  try {
    outcome.evaluation = objective_(job.configuration, EvaluationContext(stop_, job.deadline, job.id));
  } catch (const EvaluationFailed& failed) {
    outcome.failure_cost = failed.cost();
    outcome.timed_out = failed.timed_out();
    outcome.reason = failed.what();
  } catch (const std::exception& error) {
    outcome.reason = error.what();
  } catch (...) {
    outcome.reason = "the objective threw something that is not a std::exception";
  }
  outcome.seconds = steady_seconds() - start;
  return outcome;
}

}  // namespace carbo::internal
