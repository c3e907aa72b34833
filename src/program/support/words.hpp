#pragma once

#include <string_view>

namespace carbo::program {

/// Without blanks, tabs and ends of lines round it.
inline std::string_view trimmed(std::string_view words) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = words.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return words.substr(first, words.find_last_not_of(blanks) - first + 1);
}

}  // namespace carbo::program
