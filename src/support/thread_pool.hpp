#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

namespace carbo::internal {

/// Threads that `wanted` stands for: 0 is one a core.
std::size_t thread_count(std::size_t wanted);

/// A fixed set of threads for loops over independent indices. The calling thread takes part.
class ThreadPool {
 public:
  /// As many as thread_count says.
  explicit ThreadPool(std::size_t threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// Threads that work on a loop, the caller included.
  std::size_t threads() const { return std::min(most_, workers_.size() + 1); }
  /// No more than `most` of them from now on, at least one. While no loop runs.
  void limit(std::size_t most) { most_ = std::max<std::size_t>(1, most); }

  /// Calls body(0) … body(count − 1), each once, in no fixed order, and returns when all are done. The first
  /// exception is rethrown here; indices not yet begun are then skipped. A loop inside a loop, or one begun while
  /// another thread's loop runs, is done by its caller alone.
  void parallel_for(std::size_t count, const std::function<void(std::size_t)>& body);

 private:
  struct Loop {
    const std::function<void(std::size_t)>& body;
    std::size_t count;
    std::size_t most_helpers;
    std::atomic<std::size_t> next{0};
    std::size_t joined = 0;               ///< workers that came; guarded by mutex_
    std::atomic<std::size_t> helpers{0};  ///< workers inside; changed under mutex_
    std::exception_ptr error{};           ///< first one; guarded by error_mutex
    std::mutex error_mutex{};
  };

  void close();
  void work();
  static void run(Loop& loop);

  std::mutex busy_;  ///< held by the thread whose loop runs
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  Loop* loop_ = nullptr;
  std::atomic<std::size_t> generation_{0};  ///< changed under mutex_, as is the next
  std::atomic<bool> stopping_{false};
  std::size_t most_ = std::numeric_limits<std::size_t>::max();
  std::vector<std::thread> workers_;
};

}  // namespace carbo::internal
