#include "bench/support/markdown.hpp"

#include <algorithm>
#include <cmath>

namespace carbo::bench {

namespace {

/// Width in characters of UTF-8 text.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

std::string percent(double share) {
  const double rounded = std::round(100.0 * share);
  return rounded == 0.0 ? "0 %" : format("%+.0f %%", rounded);
}

std::string markdown(const TextTable& table) {
  std::vector<std::size_t> widths(table.front().size(), 2);  // a rule with a colon needs two characters
  for (const auto& row : table)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  std::string text;
  for (std::size_t r = 0; r < table.size(); ++r) {
    for (std::size_t i = 0; i < table[r].size(); ++i) {
      const std::string padding(widths[i] - width(table[r][i]), ' ');
      text += i == 0 ? "| " + table[r][i] + padding : " | " + padding + table[r][i];
    }
    text += " |\n";
    if (r > 0) continue;
    for (std::size_t i = 0; i < widths.size(); ++i)
      text += i == 0 ? "| " + std::string(widths[i], '-') : " | " + std::string(widths[i] - 1, '-') + ":";
    text += " |\n";
  }
  return text;
}

}  // namespace carbo::bench
