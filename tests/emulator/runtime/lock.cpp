#include "lock.hpp"

namespace emulator {

void RuntimeLock::lock() { take_back(1); }

void RuntimeLock::unlock() {
  std::lock_guard<std::mutex> guard(mutex_);
  if (--depth_ > 0) return;
  owner_ = {};
  free_.notify_one();
}

void RuntimeLock::take_back(int depth) {
  std::unique_lock<std::mutex> guard(mutex_);
  if (owner_ != std::this_thread::get_id()) {
    free_.wait(guard, [&] { return depth_ == 0; });
    owner_ = std::this_thread::get_id();
  }
  depth_ += depth;
}

int RuntimeLock::release_all() {
  std::lock_guard<std::mutex> guard(mutex_);
  const int depth = depth_;
  depth_ = 0;
  owner_ = {};
  free_.notify_one();
  return depth;
}

void RuntimeLock::wait_for_change() {
  std::unique_lock<std::mutex> guard(mutex_);
  const int depth = depth_;
  depth_ = 0;
  owner_ = {};
  free_.notify_one();
  change_.wait(guard);
  free_.wait(guard, [&] { return depth_ == 0; });
  owner_ = std::this_thread::get_id();
  depth_ = depth;
}

RuntimeLock& runtime_lock() {
  static RuntimeLock* const lock = new RuntimeLock;
  return *lock;
}

}  // namespace emulator
