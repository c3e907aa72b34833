#include "program/evaluation/output.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <carbo/error.hpp>

#include "support/text.hpp"

namespace carbo::program {
namespace {

constexpr std::size_t kept_tail = 8192;
constexpr std::size_t shown_of_a_line = 200;  ///< bytes

/// Without the rest of long lines, and no character in two.
std::string with_short_lines(std::string_view text) {
  std::string lines;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::size_t length = std::min(end - begin, shown_of_a_line);
    const bool cut = length < end - begin;
    while (cut && length > 0 && (static_cast<unsigned char>(text[begin + length]) & 0xC0) == 0x80) --length;
    if (begin > 0) lines += '\n';
    lines += text.substr(begin, length);
    if (cut) lines += "...";
    begin = end + 1;
  }
  return lines;
}

[[noreturn]] void refuse(const std::string& file) {
  throw StorageError(internal::text("cannot write ", file, ": ", std::strerror(errno)));
}

}  // namespace

Output::Output(const std::filesystem::path& file, std::size_t limit, std::function<void(std::string_view)> line)
    : name_(file.string()),
      file_(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)),
      limit_(limit),
      line_(std::move(line)) {
  if (!file_.open()) refuse(name_);
}

void Output::take(std::string_view bytes) {
  if (bytes_ < limit_) write(bytes.substr(0, limit_ - bytes_));
  bytes_ += bytes.size();
  last_ += bytes.size() > kept_tail ? bytes.substr(bytes.size() - kept_tail) : bytes;
  if (last_.size() > 2 * kept_tail) last_.erase(0, last_.size() - kept_tail);
  while (!bytes.empty()) {
    const std::size_t end = bytes.find_first_of("\n\r");
    hand_on(bytes.substr(0, end));
    if (end == std::string_view::npos) return;
    finish();
    bytes.remove_prefix(end + 1);
  }
}

void Output::hand_on(std::string_view piece) {
  open_ += piece.substr(0, longest_line - std::min(longest_line, open_.size()));
}

void Output::finish() {
  if (!open_.empty()) line_(open_);
  open_.clear();
}

void Output::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) refuse(name_);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string Output::tail(std::size_t lines) const {
  std::string_view text = last_;
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  std::size_t begin = text.size();
  for (std::size_t left = lines; left > 0 && begin > 0; --left) {
    const std::size_t end = text.find_last_of("\n\r", begin - 1);
    begin = end == std::string_view::npos ? 0 : end;
  }
  if (begin > 0 && begin < text.size()) ++begin;
  std::string safe(text.substr(begin));
  std::ranges::replace_if(
      safe, [](char c) { return (static_cast<unsigned char>(c) < 32 && c != '\n' && c != '\t') || c == 127; }, ' ');
  return with_short_lines(safe);
}

}  // namespace carbo::program
