#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace carbo::internal {

/// How many suggestions to have ready, so that workers wait for a hundredth of their time at most even where all of
/// their evaluations end together: they often do.
class Reserve {
 public:
  explicit Reserve(bool wanted) : wanted_(wanted) {}

  void asked(double seconds) { ask_seconds_ = ask_seconds_ > 0 ? 0.5 * (ask_seconds_ + seconds) : seconds; }
  void ended(double seconds) {
    ++count_;
    total_ += seconds;
  }
  std::size_t wanted(std::size_t workers) const {
    const double tolerable = bearable * mean_seconds();
    if (!wanted_ || count_ == 0 || ask_seconds_ <= tolerable) return 0;
    return static_cast<std::size_t>(std::ceil(static_cast<double>(workers) * (1 - tolerable / ask_seconds_)));
  }
  /// Seconds to wait for others that end at about the same time, before asking for one.
  double linger() const { return std::min(longest_linger, bearable * mean_seconds()); }

 private:
  double mean_seconds() const { return total_ / static_cast<double>(std::max<std::size_t>(1, count_)); }

  static constexpr double bearable = 0.01;  // share of its time that a worker may wait
  static constexpr double longest_linger = 0.02;
  bool wanted_;
  double ask_seconds_ = 0;
  double total_ = 0;  ///< seconds of evaluations that ended
  std::size_t count_ = 0;
};

}  // namespace carbo::internal
