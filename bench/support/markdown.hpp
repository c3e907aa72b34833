#pragma once

#include <cstdio>
#include <string>
#include <vector>

namespace carbo::bench {

/// std::snprintf into a string; at most 255 characters.
template <class... Arguments>
std::string format(const char* pattern, Arguments... arguments) {
  char text[256];
  std::snprintf(text, sizeof text, pattern, arguments...);
  return text;
}

/// A share in whole percent with its sign; 0 has none.
std::string percent(double share);

using TextTable = std::vector<std::vector<std::string>>;

/// The first row is the header; all columns but the first are set flush right. Reads well in a terminal too.
std::string markdown(const TextTable& table);

}  // namespace carbo::bench
