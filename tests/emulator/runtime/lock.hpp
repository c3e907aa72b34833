// The one lock of the runtime. It is held while emulated work runs; a host callback runs without it.
#pragma once
#include <condition_variable>
#include <mutex>
#include <thread>

namespace emulator {

class RuntimeLock {
 public:
  void lock();
  void unlock();

  // Gives the lock up altogether, however often this thread holds it, and takes it back as often.
  int release_all();
  void take_back(int depth);

  // Waits, without the lock, until another thread calls changed().
  void wait_for_change();
  void changed() { change_.notify_all(); }

 private:
  std::mutex mutex_;
  std::condition_variable_any free_, change_;
  std::thread::id owner_;
  int depth_ = 0;
};

RuntimeLock& runtime_lock();
using Locked = std::lock_guard<RuntimeLock>;

}  // namespace emulator
