#include <charconv>
#include <unordered_set>
#include <utility>

#include <carbo/error.hpp>

#include "support/text.hpp"
#include "support/tree.hpp"
#include "support/utf8.hpp"

namespace carbo::internal {
namespace {

constexpr std::size_t deepest = 64;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// By descent, one character ahead.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Tree whole() {
    Tree tree = value();
    skip_blanks();
    if (at_ != text_.size()) refuse("something follows the end");
    return tree;
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    std::size_t line = 1, column = 1;
    for (const char c : text_.substr(0, at_)) {
      column = c == '\n' ? 1 : column + 1;
      line += c == '\n' ? 1 : 0;
    }
    throw InvalidState(
        internal::text("line ", line, ", column ", column, ": ", what, "; give JSON as it was written"));
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void skip_blanks() {
    while (at_ < text_.size() && (peek() == ' ' || peek() == '\n' || peek() == '\t' || peek() == '\r')) ++at_;
  }

  bool take(char wanted) {
    skip_blanks();
    if (peek() != wanted || at_ == text_.size()) return false;
    ++at_;
    return true;
  }

  void expect(char wanted) {
    if (!take(wanted))
      refuse(internal::text("expected '", wanted, "'", at_ == text_.size() ? " before the end" : ""));
  }

  bool word(std::string_view wanted) {
    if (text_.substr(at_, wanted.size()) != wanted) return false;
    at_ += wanted.size();
    return true;
  }

  Tree value() {
    skip_blanks();
    const char first = peek();
    if (first == '{' || first == '[') {
      if (++depth_ > deepest) refuse(internal::text("more than ", deepest, " levels"));
      Tree inner = first == '{' ? object() : array();
      --depth_;
      return inner;
    }
    if (first == '"') return Tree(string());
    if (first == '-' || is_digit(first)) return number();
    if (word("null")) return Tree();
    if (word("true")) return Tree(true);
    if (word("false")) return Tree(false);
    refuse(at_ == text_.size() ? "the text ends where a value should be" : "expected a value");
  }

  Tree array() {
    expect('[');
    Tree::Array elements;
    if (take(']')) return Tree(std::move(elements));
    do elements.push_back(value());
    while (take(','));
    expect(']');
    return Tree(std::move(elements));
  }

  Tree object() {
    expect('{');
    Tree::Object members;
    std::unordered_set<std::string> keys;
    if (take('}')) return Tree(std::move(members));
    do {
      skip_blanks();
      if (peek() != '"') refuse("expected a name in quotes");
      std::string key = string();
      if (!keys.insert(key).second) refuse(internal::text("'", key, "' occurs twice in an object"));
      expect(':');
      Tree member = value();
      members.push_back({std::move(key), std::move(member)});
    } while (take(','));
    expect('}');
    return Tree(std::move(members));
  }

  std::string_view digits() {
    const std::size_t first = at_;
    while (is_digit(peek())) ++at_;
    if (at_ == first) refuse("expected a digit");
    return text_.substr(first, at_ - first);
  }

  Tree number() {
    const std::size_t first = at_;
    const bool negative = word("-");
    const std::string_view whole_part = digits();
    if (whole_part.size() > 1 && whole_part.front() == '0') refuse("a number that begins with 0");
    const bool fraction = word(".");
    if (fraction) digits();
    const bool exponent = word("e") || word("E");
    if (exponent) {
      if (!word("+")) word("-");
      digits();
    }
    const char* const begin = text_.data() + first;
    const char* const end = text_.data() + at_;
    std::uint64_t whole = 0;
    const bool plain = !negative && !fraction && !exponent;
    if (plain && std::from_chars(begin, end, whole).ec == std::errc{}) return Tree(whole);
    double number = 0;
    if (std::from_chars(begin, end, number).ec != std::errc{}) refuse("a number beyond double precision");
    return Tree(number);
  }

  std::string string() {
    expect('"');
    std::string out;
    for (;;) {
      if (at_ == text_.size()) refuse("the text ends within quotes");
      const std::string_view rest = text_.substr(at_);
      if (word("\"")) return out;
      if (word("\\")) {
        escape(out);
        continue;
      }
      const std::size_t length = utf8_length(rest);
      if (length == 0) refuse("a byte that is no UTF-8");
      if (static_cast<unsigned char>(rest.front()) < 0x20) refuse("a control character within quotes");
      out += rest.substr(0, length);
      at_ += length;
    }
  }

  std::uint32_t four_digits() {
    const std::string_view hex = text_.substr(at_, 4);
    std::uint32_t code = 0;
    const auto [end, fault] = std::from_chars(hex.data(), hex.data() + hex.size(), code, 16);
    if (hex.size() < 4 || fault != std::errc{} || end != hex.data() + 4) refuse("expected four hexadecimal digits");
    at_ += 4;
    return code;
  }

  void escape(std::string& out) {
    constexpr std::string_view letters = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
    const std::size_t letter = letters.find(peek());
    if (at_ < text_.size() && letter != std::string_view::npos) {
      out += meanings[letter];
      ++at_;
      return;
    }
    if (!word("u")) refuse("an escape that JSON does not have");
    const std::uint32_t code = four_digits();
    const bool high = code >= 0xd800 && code < 0xdc00;
    if (high) {
      const std::uint32_t low = word("\\u") ? four_digits() : 0;
      if (low < 0xdc00 || low > 0xdfff) refuse("half a surrogate pair");
      append_utf8(out, 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00));
    } else if (code >= 0xdc80 && code <= 0xdcff) {
      out += static_cast<char>(code & 0xff);
    } else if (code >= 0xdc00 && code <= 0xdfff) {
      refuse("half a surrogate pair");
    } else {
      append_utf8(out, code);
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
};

}  // namespace

Tree parse_tree(std::string_view text) { return Parser(text).whole(); }

}  // namespace carbo::internal
