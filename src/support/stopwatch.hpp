#pragma once

#include <chrono>

namespace carbo::internal {

/// Seconds on the steady clock; only differences mean anything.
inline double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Adds the seconds of its own life to `total`.
class StageTimer {
 public:
  explicit StageTimer(double& total) : total_(total), start_(steady_seconds()) {}
  ~StageTimer() { total_ += steady_seconds() - start_; }
  StageTimer(const StageTimer&) = delete;
  StageTimer& operator=(const StageTimer&) = delete;

 private:
  double& total_;
  double start_;
};

}  // namespace carbo::internal
