#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carbo::replay {

using CsvRow = std::vector<std::string>;

/// The shortest decimal text that reads back as the same double.
std::string exact(double number);
/// Throws InvalidObservation naming the text that is not a number.
double to_double(const std::string& text);
/// Without blanks, tabs and ends of lines round it.
std::string_view trimmed(std::string_view text);
/// A number alone in a text, blanks round it aside; absent where it is something else.
std::optional<double> read_number(std::string_view text);

/// Quoted where it has to be.
std::string csv_field(std::string_view text);
/// One line without its end.
std::string csv_line(const CsvRow& row);
/// The text of header and rows, each line ended.
std::string csv_text(const CsvRow& header, const std::vector<CsvRow>& rows);

/// A table as RFC 4180 has it: fields may be quoted and then hold commas, quotes and line breaks.
struct CsvTable {
  CsvRow header{};
  std::vector<CsvRow> rows{};        ///< as wide as the header
  std::vector<std::size_t> lines{};  ///< on which each row begins, from 1
};
/// Throws InvalidObservation naming `name` and the line: a row of another width, a quote that is never closed, a
/// header that is empty or has a name twice. Empty lines are passed over.
CsvTable parse_csv(const std::string& name, std::string_view text);

/// The same of a file. Throws InvalidObservation where it cannot be read.
CsvTable read_csv(const std::filesystem::path& file);
/// Rows of a file that is written line by line and whose first is `header`; empty where the file does not exist. A
/// last line without its end (a write that was cut off) is left out. Throws as above, and where the header differs.
std::vector<CsvRow> read_csv(const std::filesystem::path& file, const CsvRow& header);

/// Whether the file exists and its last line was written whole.
bool ends_with_line(const std::filesystem::path& file);

/// Replaces the file through a temporary one, so that a reader sees the old text or the new, never a part.
void replace_file(const std::filesystem::path& file, std::string_view text);

}  // namespace carbo::replay
