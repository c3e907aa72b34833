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
    for (std::size_t i = 0; i < count; ++i) threads_.emplace_back([this, i] { work(i); });
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
  const auto something = [this] { return !done_.empty() || news_; };
  if (std::isinf(seconds))
    outcome_ready_.wait(lock, something);
  else
    outcome_ready_.wait_for(lock, std::chrono::duration<double>(seconds), something);
  news_ = false;
  if (done_.empty()) return std::nullopt;
  Outcome outcome = std::move(done_.front().outcome);
  done_.pop_front();
  return outcome;
}

std::vector<EvaluationWorkers::Begun> EvaluationWorkers::begun() {
  const std::lock_guard lock(mutex_);
  std::vector<Begun> begun;
  for (const Tasks* const tasks : {&done_, &active_})
    for (const Task& task : *tasks)
      if (!task.outcome.begun_told) begun.push_back({task.job.id, task.outcome.worker});
  return begun;
}

void EvaluationWorkers::begin_told(std::uint64_t id) noexcept {
  const std::lock_guard lock(mutex_);
  for (Tasks* const tasks : {&done_, &active_})
    for (Task& task : *tasks)
      if (task.job.id == id) task.outcome.begun_told = true;
}

void EvaluationWorkers::halt() noexcept {
  {
    const std::lock_guard lock(mutex_);
    halted_ = news_ = true;
  }
  outcome_ready_.notify_all();
}

EvaluationWorkers::Tasks EvaluationWorkers::take_waiting() noexcept {
  const std::lock_guard lock(mutex_);
  Tasks taken;
  taken.swap(waiting_);
  return taken;
}

void EvaluationWorkers::work(std::size_t worker) {
  std::unique_lock lock(mutex_);
  while (true) {
    job_ready_.wait(lock, [this] { return closing_ || (!waiting_.empty() && !halted_); });
    if (closing_) return;
    const auto own = waiting_.begin();
    own->outcome.worker = worker;
    active_.splice(active_.end(), waiting_, own);
    news_ = true;
    outcome_ready_.notify_one();
    lock.unlock();
    evaluate(*own);
    lock.lock();
    done_.splice(done_.end(), active_, own);
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
    outcome.evaluation =
        objective_(job.configuration, EvaluationContext(stop_, deadline, job.id, job.timeout, outcome.worker));
  } catch (const EvaluationInterrupted&) {
    outcome.interrupted = true;
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
