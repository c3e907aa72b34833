#include "replay/progress.hpp"

#include <unistd.h>

#include <cmath>
#include <cstdio>

namespace carbo::replay {

namespace {

/// Whole, with a blank and its unit.
std::string whole(double number, const char* unit) { return std::to_string(std::lround(std::floor(number))) + unit; }

}  // namespace

std::string bar(std::size_t done, std::size_t total, std::size_t width) {
  const double share = total == 0 ? 1.0 : static_cast<double>(done) / static_cast<double>(total);
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(width));
  std::string text = "[" + std::string(filled, '=');
  if (filled < width) text += ">" + std::string(width - filled - 1, ' ');
  return text + "] " + whole(100 * share, " %");
}

std::string duration(double seconds) {
  if (seconds < 60) return whole(seconds, " s");
  const double minutes = std::floor(seconds / 60);
  if (minutes < 60) return whole(minutes, " min");
  const double rest = std::fmod(minutes, 60);
  return whole(minutes / 60, rest < 10 ? " h 0" : " h ") + whole(rest, " min");
}

Progress::Progress(bool shown, std::size_t total)
    : shown_(shown), total_(total), terminal_(isatty(STDERR_FILENO) == 1) {}

void Progress::advance() {
  const std::lock_guard lock(mutex_);
  ++done_;
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - began_;
  if (!shown_ || (done_ < total_ && elapsed.count() < next_print_)) return;
  next_print_ = elapsed.count() + (terminal_ ? 0.5 : 15.0);
  const double left = elapsed.count() * static_cast<double>(total_ - done_) / static_cast<double>(done_);
  const std::string counts = std::to_string(done_) + " of " + std::to_string(total_) + " runs, " +
                             duration(elapsed.count()) + " elapsed, about " + duration(left) + " left";
  if (terminal_)
    std::fprintf(stderr, "\r%s %s    %s", bar(done_, total_, 30).c_str(), counts.c_str(),
                 done_ == total_ ? "\n" : "");
  else
    std::fprintf(stderr, "%s\n", counts.c_str());
}

void Progress::complain(const std::string& text) {
  const std::lock_guard lock(mutex_);
  std::fprintf(stderr, "%s%s\n", terminal_ && shown_ ? "\n" : "", text.c_str());
}

}  // namespace carbo::replay
