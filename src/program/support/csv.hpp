#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace carbo::program {

/// A table as RFC 4180 has it: fields may be quoted and then hold commas, quotes and line breaks.
struct CsvFile {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  ///< as wide as the header
  std::vector<std::size_t> lines;              ///< on which each row begins, from 1
};

/// Throws InvalidObservation naming `name` and the line: a row of another width, a quote that is never closed, a
/// header that is empty or has a name twice.
CsvFile parse_csv(const std::string& name, std::string_view text);

/// Quoted where it has to be.
std::string csv_field(std::string_view text);

/// The shortest digits that bring the number back.
std::string exact_number(double number);

}  // namespace carbo::program
