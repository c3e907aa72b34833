#pragma once

#include <atomic>
#include <stop_token>
#include <thread>

namespace carbo::program {

/// SIGINT, SIGTERM and SIGHUP as wishes: the first asks for what runs to be finished, the second for it to be ended.
/// SIGPIPE and SIGXFSZ are ignored: whoever writes sees the error. To be made before other threads are, which then
/// leave these signals to it.
class Signals {
 public:
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  std::stop_token drain() const { return drain_.get_token(); }
  std::stop_token stop() const { return stop_.get_token(); }
  int first() const { return first_; }  ///< the signal that came first; 0 before one

 private:
  void listen(const std::stop_token& over);

  std::stop_source drain_, stop_;
  std::atomic<int> first_ = 0;
  std::jthread thread_;
};

}  // namespace carbo::program
