#pragma once

#include <ctime>

namespace carbo::replay {

/// What a clock of the system says: CPU seconds of this process, or of this thread.
inline double clock_seconds(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace carbo::replay
