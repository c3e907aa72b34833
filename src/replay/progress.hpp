#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>

namespace carbo::replay {

/// "[=====>    ] 53 %" of `width` characters between the brackets. `done` at most `total`; nothing to do is done.
std::string bar(std::size_t done, std::size_t total, std::size_t width);
/// "42 s", "12 min", "1 h 07 min".
std::string duration(double seconds);

/// How far many runs are, on standard error: a bar that is overwritten on a terminal, a line now and then elsewhere.
/// Thread-safe.
class Progress {
 public:
  Progress(bool shown, std::size_t total);

  void advance();
  /// A line of its own, whether progress is shown or not.
  void complain(const std::string& text);

 private:
  const bool shown_;
  const std::size_t total_;
  const bool terminal_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::size_t done_ = 0;
  double next_print_ = 0;  ///< seconds since the start
};

}  // namespace carbo::replay
