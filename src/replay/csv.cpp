#include "replay/csv.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <iterator>

#include <carbo/error.hpp>

#include "support/text.hpp"

namespace carbo::replay {

using internal::text;

std::string exact(double number) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  return {digits.data(), end};
}

double to_double(const std::string& words) {
  double number = 0;
  const auto [end, status] = std::from_chars(words.data(), words.data() + words.size(), number);
  if (status != std::errc{} || end != words.data() + words.size())
    throw InvalidObservation(text("'", words, "' is not a number"));
  return number;
}

std::string_view trimmed(std::string_view words) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = words.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return words.substr(first, words.find_last_not_of(blanks) - first + 1);
}

std::optional<double> read_number(std::string_view words) {
  words = trimmed(words);
  if (!words.empty() && words.front() == '+') words.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(words.data(), words.data() + words.size(), number);
  if (error != std::errc{} || end != words.data() + words.size()) return std::nullopt;
  return number;
}

std::string csv_field(std::string_view words) {
  if (words.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(words);
  std::string field = "\"";
  for (const char c : words) {
    if (c == '"') field += '"';
    field += c;
  }
  return field + '"';
}

std::string csv_line(const CsvRow& row) {
  std::string line;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i > 0) line += ',';
    line += csv_field(row[i]);
  }
  return line;
}

std::string csv_text(const CsvRow& header, const std::vector<CsvRow>& rows) {
  std::string lines = csv_line(header) + '\n';
  for (const CsvRow& row : rows) lines += csv_line(row) + '\n';
  return lines;
}

namespace {

class CsvReader {
 public:
  CsvReader(const std::string& name, std::string_view text) : name_(name), text_(text) {
    constexpr std::string_view mark = "\xEF\xBB\xBF";  // that some programs write before UTF-8
    if (text_.starts_with(mark)) text_.remove_prefix(mark.size());
  }

  CsvTable read() {
    CsvTable table;
    while (at_ < text_.size()) {
      const std::size_t begun = line_;
      CsvRow row = next_row();
      if (row.size() == 1 && row[0].empty()) continue;  // an empty line
      if (table.header.empty()) {
        table.header = std::move(row);
        check_header(table.header);
        continue;
      }
      if (row.size() != table.header.size())
        throw InvalidObservation(text(name_, ":", begun, ": ", row.size(), " fields where the header has ",
                                      table.header.size(), "; quote fields that hold commas"));
      table.rows.push_back(std::move(row));
      table.lines.push_back(begun);
    }
    if (table.header.empty()) throw InvalidObservation(text(name_, " is empty; its first line names the columns"));
    return table;
  }

 private:
  void check_header(const CsvRow& header) const {
    for (auto name = header.begin(); name != header.end(); ++name)
      if (std::find(header.begin(), name, *name) != name)
        throw InvalidObservation(
            text(name_, ":1: two columns are called '", *name, "'; give each a name of its own"));
  }

  CsvRow next_row() {
    CsvRow row;
    for (;;) {
      row.push_back(next_field());
      if (at_ < text_.size() && text_[at_] == ',') {
        ++at_;
        continue;
      }
      if (at_ < text_.size() && text_[at_] == '\r') ++at_;
      if (at_ < text_.size() && text_[at_] == '\n') ++at_;
      ++line_;
      return row;
    }
  }

  std::string next_field() {
    if (at_ < text_.size() && text_[at_] == '"') return quoted_field();
    const std::size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
    std::string field(text_.substr(at_, end - at_));
    at_ = end;
    return field;
  }

  std::string quoted_field() {
    const std::size_t begun = line_;
    std::string field;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '"') {
        if (at_ + 1 >= text_.size() || text_[at_ + 1] != '"') {
          ++at_;
          const bool ended =
              at_ >= text_.size() || std::string_view(",\r\n").find(text_[at_]) != std::string_view::npos;
          if (!ended)
            throw InvalidObservation(
                text(name_, ":", line_, ": something follows a closing quote; write a quote inside a field twice"));
          return field;
        }
        ++at_;
      }
      if (text_[at_] == '\n') ++line_;
      field += text_[at_];
    }
    throw InvalidObservation(text(name_, ":", begun, ": a quote is never closed"));
  }

  const std::string& name_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw InvalidObservation(text(file.string(), " cannot be read"));
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

CsvTable parse_csv(const std::string& name, std::string_view words) { return CsvReader(name, words).read(); }

CsvTable read_csv(const std::filesystem::path& file) { return parse_csv(file.string(), text_of(file)); }

std::vector<CsvRow> read_csv(const std::filesystem::path& file, const CsvRow& header) {
  std::error_code missing;
  if (std::filesystem::file_size(file, missing) == 0 || missing) return {};
  std::string whole = text_of(file);
  whole.resize(whole.rfind('\n') + 1);  // npos + 1 is 0
  if (whole.empty()) return {};
  CsvTable table = parse_csv(file.string(), whole);
  if (table.header != header) throw InvalidObservation(text(file.string(), ": header is not ", csv_line(header)));
  return std::move(table.rows);
}

bool ends_with_line(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  if (!in || in.tellg() == std::streampos(0)) return false;
  in.seekg(-1, std::ios::end);
  return in.get() == '\n';
}

void replace_file(const std::filesystem::path& file, std::string_view words) {
  auto temporary = file;
  temporary += ".part";
  std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
  out.write(words.data(), static_cast<std::streamsize>(words.size()));
  out.close();
  if (!out) throw Error(text("cannot write ", temporary.string()));
  std::filesystem::rename(temporary, file);
}

}  // namespace carbo::replay
