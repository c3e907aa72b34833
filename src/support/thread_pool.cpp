#include "support/thread_pool.hpp"

#include <algorithm>
#include <chrono>
#include <system_error>

#include <carbo/error.hpp>

#include "support/text.hpp"

namespace carbo::internal {
namespace {

thread_local bool inside_loop = false;

struct InsideLoop {
  InsideLoop() { inside_loop = true; }
  ~InsideLoop() { inside_loop = false; }
};

/// How long a thread looks for what it waits for before it sleeps: loops of a search follow each other within
/// microseconds, and to wake a thread takes as long.
constexpr std::chrono::microseconds patience{50};

void rest_briefly() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

template <class Condition>
void look_for(const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!condition() && std::chrono::steady_clock::now() < end) rest_briefly();
}

}  // namespace

std::size_t thread_count(std::size_t wanted) {
  return wanted > 0 ? wanted : std::max(1u, std::thread::hardware_concurrency());
}

ThreadPool::ThreadPool(std::size_t wanted) {
  const std::size_t threads = thread_count(wanted);
  workers_.reserve(threads - 1);
  try {
    for (std::size_t i = 1; i < threads; ++i) workers_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    const std::size_t started = workers_.size() + 1;
    close();
    throw InvalidOptions(text("backend.threads is ", threads, ", but only ", started,
                              " could be started here; give fewer, or 0 for one a core"));
  } catch (...) {
    close();
    throw;
  }
}

ThreadPool::~ThreadPool() { close(); }

void ThreadPool::close() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::parallel_for(std::size_t count, const std::function<void(std::size_t)>& body) {
  std::unique_lock busy(busy_, std::defer_lock);
  if (count <= 1 || threads() == 1 || inside_loop || !busy.try_lock()) {
    for (std::size_t i = 0; i < count; ++i) body(i);
    return;
  }
  Loop loop{body, count, threads() - 1};
  {
    const std::lock_guard lock(mutex_);
    loop_ = &loop;
    ++generation_;
  }
  wake_.notify_all();
  {
    const InsideLoop marker;
    run(loop);
  }
  std::unique_lock lock(mutex_);
  loop_ = nullptr;  // nobody joins any more
  lock.unlock();
  look_for([&] { return loop.helpers.load(std::memory_order_relaxed) == 0; });
  lock.lock();
  done_.wait(lock, [&] { return loop.helpers == 0; });
  lock.unlock();
  if (loop.error) std::rethrow_exception(loop.error);
}

void ThreadPool::work() {
  const InsideLoop marker;
  std::size_t seen = 0;
  std::unique_lock lock(mutex_);
  while (true) {
    lock.unlock();
    look_for([&] { return stopping_ || generation_ != seen; });
    lock.lock();
    if (!stopping_ && loop_ == nullptr && generation_ != seen) {  // over before this one came
      seen = generation_;
      continue;
    }
    wake_.wait(lock, [&] { return stopping_ || (loop_ != nullptr && generation_ != seen); });
    if (stopping_) return;
    seen = generation_;
    if (loop_->joined == loop_->most_helpers) continue;
    ++loop_->joined;
    Loop& loop = *loop_;
    ++loop.helpers;
    lock.unlock();
    run(loop);
    lock.lock();
    if (--loop.helpers == 0) done_.notify_all();
  }
}

void ThreadPool::run(Loop& loop) {
  for (std::size_t i = loop.next.fetch_add(1); i < loop.count; i = loop.next.fetch_add(1)) {
    try {
      loop.body(i);
    } catch (...) {
      const std::lock_guard lock(loop.error_mutex);
      if (!loop.error) loop.error = std::current_exception();
      loop.next.store(loop.count);
    }
  }
}

}  // namespace carbo::internal
