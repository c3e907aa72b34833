#pragma once

#include <cmath>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "program/process.hpp"

namespace carbo::program::testing {

/// A row of a CSV file by the names of its columns, for files without quotes.
using NamedRow = std::map<std::string, std::string>;

inline std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  for (const char c : line) {
    if (c == ',')
      cells.emplace_back();
    else
      cells.back() += c;
  }
  return cells;
}

inline std::vector<NamedRow> named_rows(const std::string& text) {
  const std::vector<std::string> lines = lines_of(text);
  const std::vector<std::string> header = cells_of(lines.at(0));
  std::vector<NamedRow> rows;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string> cells = cells_of(lines[i]);
    NamedRow& row = rows.emplace_back();
    for (std::size_t column = 0; column < header.size(); ++column) row[header[column]] = cells.at(column);
  }
  return rows;
}

/// A table of 84 rows with two failures: what is best is neither cheap nor dear.
inline std::string small_table() {
  std::ostringstream text;
  text << "depth,share,kind,error,seconds\n";
  for (int i = 0; i < 84; ++i) {
    const int depth = i % 7 + 1;
    const double share = 0.05 + 0.01 * (i * 37 % 84);
    text << depth << ',' << share << ',' << (i % 2 == 0 ? "flat" : "round") << ',';
    if (i % 40 != 11) text << 0.2 + std::abs(share - 0.6) + 0.03 * std::abs(depth - 4) + (i % 2) * 0.015625;
    text << ',' << 0.5 * depth + 2 * share << '\n';
  }
  return text.str();
}

inline std::vector<std::string> small_replay(const std::vector<std::string>& more) {
  std::vector<std::string> words = {"replay", "small.csv", "--objective", "error",
                                    "--cost", "seconds",   "--jobs",      "2"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace carbo::program::testing
