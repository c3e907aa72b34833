#include "bench/support/csv.hpp"

#include <array>
#include <charconv>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace carbo::bench {

std::string exact(double number) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  return {text.data(), end};
}

double to_double(const std::string& text) {
  double number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc{} || end != text.data() + text.size())
    throw std::runtime_error("'" + text + "' is not a number");
  return number;
}

std::string csv_line(const CsvRow& row) {
  std::string line;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i].find_first_of(",\"\r\n") != std::string::npos)
      throw std::invalid_argument("a CSV field may not hold commas, quotes or line breaks: '" + row[i] + "'");
    if (i > 0) line += ',';
    line += row[i];
  }
  return line;
}

namespace {

CsvRow split(std::string_view line) {
  CsvRow row;
  for (std::size_t start = 0;;) {
    const std::size_t comma = line.find(',', start);
    row.emplace_back(line.substr(start, comma - start));
    if (comma == std::string_view::npos) return row;
    start = comma + 1;
  }
}

}  // namespace

CsvTable read_csv(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error(file.string() + " cannot be read");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  CsvTable table;
  for (std::size_t start = 0, number = 1; start < text.size(); ++number) {
    const std::size_t end = text.find('\n', start);
    if (end == std::string::npos) break;
    CsvRow row = split(std::string_view(text).substr(start, end - start));
    start = end + 1;
    if (number == 1) {
      table.header = std::move(row);
    } else if (row.size() != table.header.size()) {
      throw std::runtime_error(file.string() + ": line " + std::to_string(number) + " has " +
                               std::to_string(row.size()) + " fields instead of " +
                               std::to_string(table.header.size()));
    } else {
      table.rows.push_back(std::move(row));
    }
  }
  if (table.header.empty()) throw std::runtime_error(file.string() + " is empty");
  return table;
}

std::vector<CsvRow> read_csv(const std::filesystem::path& file, const CsvRow& header) {
  std::error_code missing;
  if (std::filesystem::file_size(file, missing) == 0 || missing) return {};
  CsvTable table = read_csv(file);
  if (table.header != header) throw std::runtime_error(file.string() + ": header is not " + csv_line(header));
  return std::move(table.rows);
}

bool ends_with_line(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  if (!in || in.tellg() == std::streampos(0)) return false;
  in.seekg(-1, std::ios::end);
  return in.get() == '\n';
}

void replace_file(const std::filesystem::path& file, std::string_view text) {
  auto temporary = file;
  temporary += ".part";
  std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  if (!out) throw std::runtime_error("cannot write " + temporary.string());
  std::filesystem::rename(temporary, file);
}

std::string csv_text(const CsvRow& header, const std::vector<CsvRow>& rows) {
  std::string text = csv_line(header) + '\n';
  for (const CsvRow& row : rows) text += csv_line(row) + '\n';
  return text;
}

}  // namespace carbo::bench
