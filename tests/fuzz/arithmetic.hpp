#pragma once

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

/// The grammar of carbo's expressions by recursive descent, written apart from the product's parser:
///
///     sum     = product { (+ | -) product }
///     product = signed { (* | /) signed }
///     signed  = [ + | - ] power
///     power   = value [ ^ signed ]
///     value   = number | name | "(" sum ")" | function "(" sum { "," sum } ")"
class Arithmetic {
 public:
  using Names = std::vector<std::pair<std::string_view, double>>;

  /// Absent where the text does not follow the grammar.
  static std::optional<double> evaluate(std::string_view text, const Names& names) {
    Arithmetic own(text, names);
    const double value = own.sum();
    own.skip();
    if (own.failed_ || !own.rest_.empty()) return std::nullopt;
    return value;
  }

 private:
  Arithmetic(std::string_view text, const Names& names) : rest_(text), names_(names) {}

  void skip() {
    while (!rest_.empty() && std::string_view(" \t\n\r").find(rest_.front()) != std::string_view::npos)
      rest_.remove_prefix(1);
  }
  bool take(char wanted) {
    skip();
    if (rest_.empty() || rest_.front() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }
  double fail() {
    failed_ = true;
    rest_ = {};
    return 0;
  }

  double sum() {
    double value = product();
    for (;;) {
      if (take('+'))
        value = value + product();
      else if (take('-'))
        value = value - product();
      else
        return value;
    }
  }

  double product() {
    double value = with_sign();
    for (;;) {
      if (take('*'))
        value = value * with_sign();
      else if (take('/'))
        value = value / with_sign();
      else
        return value;
    }
  }

  double with_sign() {
    if (take('-')) return -power();
    take('+');
    return power();
  }

  double power() {
    const double base = value();
    return take('^') ? std::pow(base, with_sign()) : base;
  }

  static bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
  static bool digit(char c) { return c >= '0' && c <= '9'; }

  double value() {
    skip();
    if (rest_.empty()) return fail();
    if (digit(rest_.front()) || rest_.front() == '.') return number();
    if (letter(rest_.front())) return name();
    if (!take('(')) return fail();
    const double inner = sum();
    return take(')') ? inner : fail();
  }

  double number() {
    double value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc()) return fail();
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }

  double name() {
    std::size_t length = 1;
    while (length < rest_.size() && (letter(rest_[length]) || digit(rest_[length]))) ++length;
    const std::string_view word = rest_.substr(0, length);
    rest_.remove_prefix(length);
    if (take('(')) return call(word);
    for (const auto& [known, value] : names_)
      if (known == word) return value;
    return fail();
  }

  double call(std::string_view function) {
    std::vector<double> arguments = {sum()};
    while (take(',')) arguments.push_back(sum());
    if (!take(')')) return fail();
    const double first = arguments.front();
    if (function == "max" || function == "min") {
      double result = first;
      for (const double one : arguments) {
        const bool beyond = function == "max" ? one > result : one < result;
        if (std::isnan(one) || beyond) result = one;
        if (std::isnan(result)) break;
      }
      return result;
    }
    if (arguments.size() > 1) return fail();
    if (function == "abs") return std::abs(first);
    if (function == "ceil") return std::ceil(first);
    if (function == "exp") return std::exp(first);
    if (function == "floor") return std::floor(first);
    if (function == "log") return std::log(first);
    if (function == "sqrt") return std::sqrt(first);
    return fail();
  }

  std::string_view rest_;
  const Names& names_;
  bool failed_ = false;
};
