#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace carbo::bench {

using CsvRow = std::vector<std::string>;

/// The shortest decimal text that reads back as the same double.
std::string exact(double number);
/// Throws std::runtime_error naming the text that is not a number.
double to_double(const std::string& text);

/// One line without its end. Fields never hold commas, quotes or line breaks (std::invalid_argument).
std::string csv_line(const CsvRow& row);

/// Rows of a file whose first line is `header`; empty where the file does not exist. A last line without its end
/// (a write that was cut off) is left out. Throws std::runtime_error where the header or a row's width differs.
std::vector<CsvRow> read_csv(const std::filesystem::path& file, const CsvRow& header);

/// A whole table whose columns are found by name.
struct CsvTable {
  CsvRow header{};
  std::vector<CsvRow> rows{};  ///< as wide as the header; row i is on line i + 2
};
/// The same for any header. Throws std::runtime_error where the file is missing or empty.
CsvTable read_csv(const std::filesystem::path& file);

/// Whether the file exists and its last line was written whole.
bool ends_with_line(const std::filesystem::path& file);

/// Replaces the file through a temporary one, so that a reader sees the old text or the new, never a part.
void replace_file(const std::filesystem::path& file, std::string_view text);

/// The text of header and rows, each line ended.
std::string csv_text(const CsvRow& header, const std::vector<CsvRow>& rows);

}  // namespace carbo::bench
