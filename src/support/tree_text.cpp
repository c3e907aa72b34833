#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "support/tree.hpp"
#include "support/utf8.hpp"

namespace carbo::internal {
namespace {

/// What lies deeper stands on the line of what it is in.
constexpr std::size_t deepest_lines = 3;
constexpr const char* digits = "0123456789abcdef";

template <class Number>
void append_number(std::string& out, Number number) {
  std::array<char, 32> room;
  const auto end = std::to_chars(room.data(), room.data() + room.size(), number).ptr;
  out.append(room.data(), end);
}

void append_double(std::string& out, double number) {
  if (std::isnan(number)) {
    out += "\"NaN\"";
  } else if (std::isinf(number)) {
    out += number > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  } else {
    append_number(out, number);
  }
}

void append_escape(std::string& out, unsigned code) {
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += digits[code >> shift & 0xf];
}

void append_text(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const auto byte = static_cast<unsigned char>(text.front());
    if (length == 0) {
      append_escape(out, 0xdc00u | byte);
    } else if (byte == '"' || byte == '\\') {
      out += '\\';
      out += text.front();
    } else if (byte < 0x20 || byte == 0x7f) {
      append_escape(out, byte);
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  out += '"';
}

bool holds_others(const Tree& tree) {
  return std::holds_alternative<Tree::Array>(tree.value()) || std::holds_alternative<Tree::Object>(tree.value());
}

class Printer {
 public:
  Printer(std::string& out, bool one_line) : out_(out), one_line_(one_line) {}

  void operator()(std::monostate) { out_ += "null"; }
  void operator()(bool truth) { out_ += truth ? "true" : "false"; }
  void operator()(std::uint64_t whole) { append_number(out_, whole); }
  void operator()(double number) { append_double(out_, number); }
  void operator()(const std::string& text) { append_text(out_, text); }
  void operator()(const Tree::Array& elements) {
    const bool broken = may_break() && std::ranges::any_of(elements, holds_others);
    open('[');
    for (const Tree& element : elements) {
      next(&element == elements.data(), broken);
      visit(element);
    }
    close(']', broken);
  }
  void operator()(const Tree::Object& members) {
    const bool broken =
        may_break() && std::ranges::any_of(members, [](const auto& member) { return holds_others(member.value); });
    open('{');
    for (const Tree::Member& member : members) {
      next(&member == members.data(), broken);
      append_text(out_, member.key);
      out_ += ": ";
      visit(member.value);
    }
    close('}', broken);
  }

  void visit(const Tree& tree) {
    std::visit([this](const auto& value) { (*this)(value); }, tree.value());
  }

 private:
  bool may_break() const { return !one_line_ && depth_ < deepest_lines; }
  void open(char bracket) {
    out_ += bracket;
    ++depth_;
  }
  void next(bool first, bool broken) {
    if (!first) out_ += broken ? "," : ", ";
    if (broken) line();
  }
  void close(char bracket, bool broken) {
    --depth_;
    if (broken) line();
    out_ += bracket;
  }
  void line() { out_.append(1, '\n').append(depth_, ' '); }

  std::string& out_;
  bool one_line_;
  std::size_t depth_ = 0;
};

}  // namespace

std::string to_text(const Tree& tree) {
  std::string out;
  Printer(out, false).visit(tree);
  return out;
}

std::string to_line(const Tree& tree) {
  std::string out;
  Printer(out, true).visit(tree);
  return out;
}

}  // namespace carbo::internal
