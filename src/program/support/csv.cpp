#include "program/support/csv.hpp"

#include <algorithm>
#include <charconv>

#include <carbo/error.hpp>

#include "support/text.hpp"

namespace carbo::program {
namespace {

using internal::text;

class CsvReader {
 public:
  CsvReader(const std::string& name, std::string_view text) : name_(name), text_(text) {
    constexpr std::string_view mark = "\xEF\xBB\xBF";  // that some programs write before UTF-8
    if (text_.starts_with(mark)) text_.remove_prefix(mark.size());
  }

  CsvFile read() {
    CsvFile file;
    while (at_ < text_.size()) {
      const std::size_t begun = line_;
      std::vector<std::string> row = next_row();
      if (row.size() == 1 && row[0].empty()) continue;  // an empty line
      if (file.header.empty()) {
        file.header = std::move(row);
        check_header(file.header);
        continue;
      }
      if (row.size() != file.header.size())
        throw InvalidObservation(text(name_, ":", begun, ": ", row.size(), " fields where the header has ",
                                      file.header.size(), "; quote fields that hold commas"));
      file.rows.push_back(std::move(row));
      file.lines.push_back(begun);
    }
    if (file.header.empty())
      throw InvalidObservation(text(name_, ": the file is empty; its first line names the columns"));
    return file;
  }

 private:
  void check_header(const std::vector<std::string>& header) const {
    for (auto name = header.begin(); name != header.end(); ++name)
      if (std::find(header.begin(), name, *name) != name)
        throw InvalidObservation(
            text(name_, ":1: two columns are called '", *name, "'; give each a name of its own"));
  }

  std::vector<std::string> next_row() {
    std::vector<std::string> row;
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

}  // namespace

CsvFile parse_csv(const std::string& name, std::string_view text) { return CsvReader(name, text).read(); }

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string field = "\"";
  for (const char c : text) {
    if (c == '"') field += '"';
    field += c;
  }
  return field + '"';
}

std::string exact_number(double number) {
  char digits[32];
  return std::string(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

}  // namespace carbo::program
