#include "evaluation/evaluation_workers.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <new>
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
  } catch (...) {
    close();
    throw;
  }
}

EvaluationWorkers::~EvaluationWorkers() { close(); }

void EvaluationWorkers::close() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    waiting_.clear();
  }
  job_ready_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void EvaluationWorkers::submit(Tasks&& tasks) noexcept {
  {
    const std::lock_guard lock(mutex_);
    waiting_.splice(waiting_.end(), tasks);
  }
  job_ready_.notify_all();
}

std::optional<Outcome> EvaluationWorkers::wait(double seconds) {
  std::unique_lock lock(mutex_);
  const auto ended = [this] { return !done_.empty(); };
  if (std::isinf(seconds))
    outcome_ready_.wait(lock, ended);
  else if (!outcome_ready_.wait_for(lock, std::chrono::duration<double>(seconds), ended))
    return std::nullopt;
  Outcome outcome = std::move(done_.front().outcome);
  done_.pop_front();
  return outcome;
}

void EvaluationWorkers::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    job_ready_.wait(lock, [this] { return closing_ || !waiting_.empty(); });
    if (closing_) return;
    Tasks own;
    own.splice(own.end(), waiting_, waiting_.begin());
    lock.unlock();
    evaluate(own.front());
    lock.lock();
    done_.splice(done_.end(), own);
    outcome_ready_.notify_one();
  }
}

namespace {

void keep(std::string& reason, const char* words) noexcept {
  try {
    reason = words;
  } catch (const std::bad_alloc&) {
    reason = lost_reason;
  }
}

}  // namespace

void EvaluationWorkers::evaluate(Task& task) const noexcept {
  const Job& job = task.job;
  Outcome& outcome = task.outcome;
  outcome.id = job.id;
  const double start = steady_seconds();
  try {
    const double deadline = std::min(job.deadline, start + job.timeout_seconds);
    outcome.evaluation = objective_(job.configuration, EvaluationContext(stop_, deadline, job.id, job.timeout));
  } catch (const EvaluationFailed& failed) {
    outcome.failure_cost = failed.cost();
    outcome.timed_out = failed.timed_out();
    keep(outcome.reason, failed.what());
  } catch (const Error& error) {
    outcome.mistaken = true;
    keep(outcome.reason, error.what());
  } catch (const std::exception& error) {
    keep(outcome.reason, error.what());
  } catch (...) {
    keep(outcome.reason, "the objective threw something that is not a std::exception");
  }
  outcome.seconds = steady_seconds() - start;
}

}  // namespace carbo::internal
