#include "program/run/display.hpp"

#include <langinfo.h>
#include <locale.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>

#include <fmt/format.h>

#include "program/support/terminal.hpp"
#include "support/stopwatch.hpp"

namespace carbo::program {
namespace {

constexpr std::chrono::milliseconds frame{200};
constexpr const char* hide_cursor = "\x1b[?25l";
constexpr const char* show_cursor = "\x1b[?25h";

/// What cannot be written is lost: the study does not depend on who watches.
void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

bool utf8_locale() {
  const locale_t locale = ::newlocale(LC_CTYPE_MASK, "", nullptr);
  if (locale == nullptr) return false;
  const bool utf8 = std::string_view(::nl_langinfo_l(CODESET, locale)) == "UTF-8";
  ::freelocale(locale);
  return utf8;
}

std::size_t columns_of(std::string_view line) {
  std::string text;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\x1b') {
      i = line.find('m', i);
      if (i == std::string_view::npos) break;
    } else {
      text += line[i];
    }
  }
  return width_of(text);
}

}  // namespace

ViewStyle terminal_style() {
  ViewStyle style;
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0) {
    style.columns = std::max<std::size_t>(size.ws_col, 20) - 1;  // the last column would wrap
    style.rows = std::max<std::size_t>(size.ws_row, 4) - 1;
  }
  style.utf8 = utf8_locale();
  style.colour = wants_colour(STDOUT_FILENO);
  return style;
}

Display::Kind display_kind(bool quiet, bool plain) {
  if (quiet) return Display::Kind::quiet;
  const char* const terminal = std::getenv("TERM");
  const bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  return plain || dumb || ::isatty(STDOUT_FILENO) == 0 ? Display::Kind::plain : Display::Kind::live;
}

Display::Display(Kind kind, RunView view) : kind_(kind), style_(terminal_style()), view_(std::move(view)) {
  if (kind_ != Kind::live) return;
  write_all(STDOUT_FILENO, hide_cursor);
  painter_ = std::jthread([this](const std::stop_token& over) {
    std::unique_lock lock(mutex_);
    while (!over.stop_requested()) {
      paint_now();
      over_.wait_for(lock, over, frame, [] { return false; });
    }
  });
}

Display::~Display() {
  if (kind_ != Kind::live) return;
  painter_.request_stop();
  painter_.join();
  paint_now();
  write_all(STDOUT_FILENO, show_cursor);
}

void Display::change(const std::function<void(RunView&)>& change) {
  const std::lock_guard lock(mutex_);
  change(view_);
}

RunView Display::view() const {
  const std::lock_guard lock(mutex_);
  return view_;
}

/// Back to where the picture begins, and nothing below. Lines that were painted for a wider terminal may take several
/// by now.
std::string Display::erased() const {
  std::size_t lines = 0;
  for (const std::size_t columns : painted_)
    lines += std::max<std::size_t>(1, (columns + style_.columns) / (style_.columns + 1));
  return lines == 0 ? "\r\x1b[J" : fmt::format("\r\x1b[{}A\x1b[J", lines);
}

void Display::paint_now() {
  style_ = terminal_style();
  std::string picture = erased();
  painted_.clear();
  for (const std::string& line : render(view_, internal::steady_seconds(), style_)) {
    picture += line + "\n";
    painted_.push_back(columns_of(line));
  }
  write_all(STDOUT_FILENO, picture);
}

void Display::say(const std::string& lines) {
  if (kind_ == Kind::quiet) return;
  const std::lock_guard lock(mutex_);
  if (kind_ == Kind::plain) return write_all(STDOUT_FILENO, lines + "\n");
  style_ = terminal_style();
  write_all(STDOUT_FILENO, erased() + lines + "\n");
  painted_.clear();
  paint_now();
}

void Display::warn(const std::string& lines) {
  if (kind_ == Kind::live) return say(style_.colour ? "\x1b[31m" + lines + "\x1b[0m" : lines);
  const std::lock_guard lock(mutex_);
  write_all(STDERR_FILENO, lines + "\n");
}

}  // namespace carbo::program
