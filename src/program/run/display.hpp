#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "program/run/view.hpp"

namespace carbo::program {

/// What a run looks like from outside: a live picture where standard output is a terminal, lines otherwise. May be
/// used from several threads.
class Display {
 public:
  enum class Kind { live, plain, quiet };

  Display(Kind kind, RunView view);
  ~Display();  ///< leaves the last picture
  Display(const Display&) = delete;
  Display& operator=(const Display&) = delete;

  Kind kind() const { return kind_; }
  void change(const std::function<void(RunView&)>& change);
  RunView view() const;
  /// Lines that stay, above the picture where there is one.
  void say(const std::string& lines);
  /// The same of something that went wrong; on standard error where there is no picture, and even where it is quiet.
  void warn(const std::string& lines);

 private:
  void paint_now();  ///< with the mutex held
  std::string erased() const;

  Kind kind_;
  ViewStyle style_;
  mutable std::mutex mutex_;
  std::condition_variable_any over_;
  RunView view_;
  std::vector<std::size_t> painted_;  ///< columns of each line that stands there
  std::jthread painter_;
};

/// `live` where standard output is a terminal that can move its cursor.
Display::Kind display_kind(bool quiet, bool plain);

/// Size, characters and colours of the terminal on standard output, as they are now.
ViewStyle terminal_style();

}  // namespace carbo::program
