#include "cost/expression_tokens.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

#include "support/text.hpp"

namespace carbo::internal {
namespace {

using Kind = ExpressionToken::Kind;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// The character at the start of `rest`, which is not empty; all bytes of it where it is UTF-8.
std::string character_text(std::string_view rest) {
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u; };
  const auto byte = static_cast<unsigned char>(rest[0]);
  if (byte > 0x20 && byte < 0x7F) return text("character '", rest[0], "'");
  const auto* const end = std::find_if_not(rest.begin() + 1, rest.end(), continues);
  const auto length = static_cast<std::size_t>(end - rest.begin());
  const bool utf8 = byte >= 0xC2 && byte < 0xF5 && length >= 2 && length <= 4;
  if (utf8) return text("character '", rest.substr(0, length), "'");
  constexpr char digits[] = "0123456789abcdef";
  return text("byte 0x", digits[byte / 16], digits[byte % 16]);
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::vector<ExpressionToken> scan() {
    while (skip_blanks()) next();
    if (!brackets_.empty()) {
      throw ExpressionFault(tokens_[brackets_.back().token].column, "this bracket is never closed");
    }
    return std::move(tokens_);
  }

 private:
  struct Bracket {
    std::size_t token;
    const ExpressionFunction* function;  ///< whose arguments it holds; null where it only groups
  };

  /// False at the end of the text.
  bool skip_blanks() {
    while (position_ < text_.size() && is_blank(text_[position_])) ++position_;
    return position_ < text_.size();
  }

  void next() {
    const char c = text_[position_];
    if (is_digit(c) || c == '.') {
      number();
    } else if (is_letter(c)) {
      name();
    } else if (c == '(') {
      const bool called = !tokens_.empty() && tokens_.back().kind == Kind::function;
      brackets_.push_back({tokens_.size(), called ? find_expression_function(tokens_.back().text) : nullptr});
      take(Kind::open, 1);
    } else if (c == ')') {
      if (brackets_.empty()) throw ExpressionFault(position_ + 1, "this bracket was never opened");
      brackets_.pop_back();
      take(Kind::close, 1);
    } else if (c == ',') {
      comma();
    } else if (std::string_view("+-*/^").find(c) != std::string_view::npos) {
      take(Kind::sign, 1);
    } else {
      throw ExpressionFault(position_ + 1,
                            text(character_text(text_.substr(position_)),
                                 " has no place in arithmetic; use + - * / ^ ( ) , numbers and names"));
    }
  }

  void number() {
    double value = 0;
    const std::size_t length = read_number(text_.substr(position_), value);
    if (length == 0) throw ExpressionFault(position_ + 1, "'.' is no number; write digits beside it");
    if (std::isnan(value)) {
      throw ExpressionFault(position_ + 1,
                            text("'", text_.substr(position_, length), "' is beyond the range of a double"));
    }
    take(Kind::number, length);
  }

  void name() {
    std::size_t end = position_;
    while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
    take(Kind::name, end - position_);
    if (!skip_blanks() || text_[position_] != '(') return;
    ExpressionToken& callee = tokens_.back();
    if (!find_expression_function(callee.text)) {
      std::string known;
      for (const ExpressionFunction& each : expression_functions) known += text(known.empty() ? "" : ", ", each.name);
      throw ExpressionFault(callee.column, text("there is no function '", callee.text, "'; known are ", known));
    }
    callee.kind = Kind::function;
  }

  void comma() {
    const ExpressionFunction* const function = brackets_.empty() ? nullptr : brackets_.back().function;
    if (!function) {
      throw ExpressionFault(position_ + 1, "',' is for the arguments of max and min; numbers have a decimal point");
    }
    if (!function->several) throw ExpressionFault(position_ + 1, text(function->name, " takes one argument"));
    take(Kind::comma, 1);
  }

  void take(Kind kind, std::size_t length) {
    tokens_.push_back({kind, text_.substr(position_, length), position_ + 1});
    position_ += length;
  }

  std::string_view text_;
  std::size_t position_ = 0;
  std::vector<ExpressionToken> tokens_;
  std::vector<Bracket> brackets_;  ///< open ones
};

}  // namespace

const ExpressionFunction* find_expression_function(std::string_view name) {
  const auto* const found = std::find_if(std::begin(expression_functions), std::end(expression_functions),
                                         [&](const ExpressionFunction& each) { return each.name == name; });
  return found == std::end(expression_functions) ? nullptr : found;
}

std::size_t read_number(std::string_view text, double& value) {
  if (text.empty() || !(is_digit(text[0]) || text[0] == '.')) return 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::invalid_argument) return 0;
  if (error == std::errc::result_out_of_range) value = std::numeric_limits<double>::quiet_NaN();
  return static_cast<std::size_t>(end - text.data());
}

bool is_identifier(std::string_view name) {
  return !name.empty() && !is_digit(name[0]) &&
         std::all_of(name.begin(), name.end(), [](char c) { return is_letter(c) || is_digit(c); });
}

std::vector<ExpressionToken> expression_tokens(std::string_view text) { return Scanner(text).scan(); }

}  // namespace carbo::internal
