#include "program/support/terminal.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>

#include <fmt/format.h>
#include <unistd.h>

#include "engine/time_unit.hpp"
#include "support/utf8.hpp"

namespace carbo::program {

std::string Terminal::painted(const char* code, std::string_view text) const {
  return colour ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

bool wants_colour(int descriptor) {
  const char* const refused = std::getenv("NO_COLOR");
  if (refused != nullptr && *refused != '\0') return false;
  const char* const kind = std::getenv("TERM");
  return ::isatty(descriptor) == 1 && kind != nullptr && std::string_view(kind) != "dumb";
}

std::size_t width_of(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    text.remove_prefix(std::max<std::size_t>(1, internal::utf8_length(text)));
    ++width;
  }
  return width;
}

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const auto byte = static_cast<unsigned char>(text.front());
    const std::size_t length = internal::utf8_length(text);
    if (text.front() == '\n')
      result += "\\n";
    else if (byte < 0x20 || byte == 0x7F || length == 0 || (length == 2 && byte == 0xC2 && (text[1] & 0x60) == 0))
      result += fmt::format("\\x{:02x}", byte);
    else
      result += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(1, length));
  }
  return result;
}

std::string TextTable::text(const Terminal& terminal) const {
  std::vector<std::size_t> widths;
  for (const std::string& title : header_) widths.push_back(width_of(title));
  std::vector<bool> numeric(header_.size(), true);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], width_of(row[i]));
      const bool number =
          row[i].empty() || std::string_view("0123456789+-.").find(row[i][0]) != std::string_view::npos;
      numeric[i] = numeric[i] && (number || row[i] == "–");
    }
  }
  const auto line = [&](const std::vector<std::string>& row, bool title) {
    std::string text;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string room(widths[i] - width_of(row[i]), ' ');
      if (i > 0) text += "  ";
      text += numeric[i] ? room + row[i] : i + 1 < row.size() ? row[i] + room : row[i];
    }
    return (title ? terminal.dim(text) : text) + "\n";
  };
  std::string all = line(header_, true);
  for (const auto& row : rows_) all += line(row, false);
  return all;
}

std::string short_number(double number) {
  const bool whole = number == std::trunc(number) && std::abs(number) < 1e15;
  return whole ? fmt::format("{:.0f}", number) : fmt::format("{:.6g}", number);
}

std::string short_number(const std::optional<double>& number) {
  return number && !std::isnan(*number) ? short_number(*number) : "–";
}

std::string amount_text(double number, const std::string& unit) {
  if (unit.size() <= 3 && !unit.empty() && (unit == "$" || unit == "€" || unit == "£"))
    return unit + short_number(number);
  const double scale = internal::seconds_per_unit(unit);
  const double seconds = number * scale;
  if (scale == 0 || seconds < 120) return short_number(number) + " " + unit;
  const auto minutes = static_cast<long long>(std::llround(std::min(seconds, 1e15) / 60));
  const auto two = [](long long large, const char* large_unit, long long small, const char* small_unit) {
    return small == 0 ? fmt::format("{} {}", large, large_unit)
                      : fmt::format("{} {} {} {}", large, large_unit, small, small_unit);
  };
  const auto whole = static_cast<long long>(std::llround(std::min(seconds, 1e15)));
  if (minutes < 60) return two(whole / 60, "min", whole % 60, "s");
  if (minutes < 48 * 60) return two(minutes / 60, "h", minutes % 60, "min");
  if (minutes < 1000LL * 24 * 60) return two(minutes / 1440, "d", minutes / 60 % 24, "h");
  return short_number(number) + " " + unit;
}

std::string bytes_text(double bytes) {
  const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < std::size(units); ++unit) bytes /= 1024;
  return unit == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{:.1f} {}", bytes, units[unit]);
}

std::string time_text(double seconds) {
  const auto whole = static_cast<std::time_t>(seconds);
  std::tm parts{};
  if (!std::isfinite(seconds) || ::localtime_r(&whole, &parts) == nullptr) return "–";
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts)};
}

std::string bar_text(double share, std::size_t width) {
  const double bounded = std::clamp(std::isnan(share) ? 0.0 : share, 0.0, 1.0);
  const auto filled = static_cast<std::size_t>(std::lround(bounded * static_cast<double>(width)));
  std::string bar;
  for (std::size_t i = 0; i < width; ++i) bar += i < filled ? "█" : "░";
  return bar;
}

}  // namespace carbo::program
