#pragma once

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carbo::program {

/// Where a command writes, and how.
struct Terminal {
  std::ostream& out;
  std::ostream& err;
  bool json = false;
  bool quiet = false;
  bool verbose = false;
  bool colour = false;

  std::string bold(std::string_view text) const { return painted("1", text); }
  std::string dim(std::string_view text) const { return painted("2", text); }
  std::string green(std::string_view text) const { return painted("32", text); }
  std::string red(std::string_view text) const { return painted("31", text); }
  std::string yellow(std::string_view text) const { return painted("33", text); }

 private:
  std::string painted(const char* code, std::string_view text) const;
};

/// Whether colours are wanted: standard output is a terminal that has them, and NO_COLOR is not set.
bool wants_colour(int descriptor);

/// Columns that a text takes on a terminal: characters of UTF-8, not bytes.
std::size_t width_of(std::string_view text);
/// Without control characters, which could move the cursor: they become \x1b and the like.
std::string printable(std::string_view text);

/// Rows of cells, each column as wide as its widest; numbers to the right.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) : header_(std::move(header)) {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.empty(); }
  /// Lines, each ended; the header dim where there are colours.
  std::string text(const Terminal& terminal) const;

 private:
  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
};

/// A number for people: six digits that count.
std::string short_number(double number);
/// A dash where it is absent.
std::string short_number(const std::optional<double>& number);
/// With its unit: "1 h 12 min" of seconds, "$25", "3.2 GPUh".
std::string amount_text(double number, const std::string& unit);
/// 1.5 MiB.
std::string bytes_text(double bytes);
/// Of seconds since 1970, in local time: 2026-03-01 14:05:09.
std::string time_text(double seconds);
/// `share` of `width` columns, filled.
std::string bar_text(double share, std::size_t width);

}  // namespace carbo::program
