#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace carbo::internal {

/// A function that an expression may call.
struct ExpressionFunction {
  std::string_view name;
  bool several;  ///< takes one argument or more; otherwise exactly one
};
inline constexpr ExpressionFunction expression_functions[] = {
    {"abs", false}, {"ceil", false}, {"exp", false}, {"floor", false},
    {"log", false}, {"max", true},   {"min", true},  {"sqrt", false},
};
/// Null where there is no such function.
const ExpressionFunction* find_expression_function(std::string_view name);

struct ExpressionToken {
  enum class Kind { number, name, function, sign, open, close, comma };
  Kind kind;
  std::string_view text;   ///< into the expression
  std::size_t column = 1;  ///< of its first character, from 1
};

/// What is wrong with an expression, and at which column.
class ExpressionFault : public std::runtime_error {
 public:
  ExpressionFault(std::size_t column, const std::string& reason) : std::runtime_error(reason), column_(column) {}
  std::size_t column() const { return column_; }

 private:
  std::size_t column_;
};

/// Splits an expression into tokens. Throws ExpressionFault at the first character that has no place in arithmetic,
/// number that a double cannot hold, call of an unknown function, bracket without its partner, and comma outside the
/// brackets of a function of several arguments. Names of parameters and the order of tokens are not looked at.
std::vector<ExpressionToken> expression_tokens(std::string_view text);

/// Length of the number at the start of a text, whatever the locale; 0 where there is none. NaN stands for a number
/// out of a double's range.
std::size_t read_number(std::string_view text, double& value);

/// Letters, digits and underscores, no digit first.
bool is_identifier(std::string_view name);

}  // namespace carbo::internal
