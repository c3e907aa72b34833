#pragma once

#include <cstdio>
#include <utility>

/// Where this application waits for the device. With --trace every wait is written to stderr as it begins and ends.

inline bool trace_waits = false;

class TracedWait {
 public:
  explicit TracedWait(const char* name) : name_(name) { print("begins"); }
  ~TracedWait() { print("ends"); }
  TracedWait(const TracedWait&) = delete;
  TracedWait& operator=(const TracedWait&) = delete;

 private:
  void print(const char* what) const {
    if (trace_waits) std::fprintf(stderr, "wait %s: %s\n", what, name_);
  }

  const char* name_;
};

/// Runs a call that waits for the device, and gives what it returns.
template <class Call>
decltype(auto) waits(const char* name, Call&& call) {
  const TracedWait wait(name);
  return std::forward<Call>(call)();
}
