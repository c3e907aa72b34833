#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <carbo/error.hpp>

#include "cost/expression.hpp"
#include "support/expect_error.hpp"
#include "support/sanitized.hpp"
#include "support/text.hpp"

namespace carbo::internal {
namespace {

const Space& faulted_space() {
  static const Space space{integer("units1", 1, 1000), integer("units2", 1, 1000), real("epochs", 0, 100),
                           categorical("kind", {"a", "b"}), ordinal("size", {"s", "l"})};
  return space;
}

void expect_fault(const std::string& text, std::size_t column, const std::vector<std::string>& parts,
                  const Space& space = faulted_space()) {
  std::vector<std::string> all = parts;
  all.emplace_back("cost.features[1], expression \"");
  all.push_back("\", column " + std::to_string(column) + ": ");
  expect_error<InvalidOptions>([&] { Expression(space.parameters(), text, "cost.features[1]"); }, all);
}

TEST(ExpressionErrors, TheWholeMessage) {
  expect_error<InvalidOptions>(
      [] { Expression(faulted_space().parameters(), "units1 * unitz", "cost.features[1]"); },
      {"cost.features[1], expression \"units1 * unitz\", column 10: unknown name 'unitz'; known are units1, units2, "
       "epochs"});
}

TEST(ExpressionErrors, EmptyText) {
  expect_fault("", 1, {"is empty"});
  expect_fault(" \t\n", 1, {"is empty"});
}

TEST(ExpressionErrors, TextThatIsTooLong) {
  expect_fault(std::string(10000, '(') + "7" + std::string(10000, ')'), 4097, {"20001 characters", "at most 4096"});
  expect_fault("1" + std::string(Expression::longest, ' '), 4097, {"4097 characters"});
}

TEST(ExpressionErrors, ManyNamesAreNotAllListed) {
  std::vector<Parameter> parameters;
  for (int i = 0; i < 100; ++i) parameters.push_back(real(text("p", i), 0, 1));
  expect_fault("p100", 1, {"unknown name 'p100'", "known are p0, p1,", "p11, ... (100 in all)"}, Space(parameters));
}

TEST(ExpressionErrors, NamesWithoutANumber) {
  expect_fault("2 * kind", 5, {"'kind' is categorical", "has no number", "use a function"});
  expect_fault("size", 1, {"'size' is ordinal", "has no number", "use a function"});
}

TEST(ExpressionErrors, NamesOfFunctions) {
  expect_fault("2 + log", 5, {"'log' is a function", "brackets"});
  expect_fault("sin(units1)", 1, {"no function 'sin'", "known are abs, ceil, exp, floor, log, max, min, sqrt"});
  expect_fault("3 * units1 (2)", 5, {"no function 'units1'"});
  expect_fault("_pi * 2", 1, {"unknown name '_pi'"});
}

TEST(ExpressionErrors, ParametersThatCannotBeWritten) {
  const Space space{real("learning-rate", 0, 1), real("1st", 0, 1), real("log", 1, 2), real("größe", 0, 1),
                    real("fine", 0, 1)};
  expect_fault("learning-rate", 1,
               {"unknown name 'learning'", "known are fine",
                "use a function instead of text to read learning-rate, 1st, log, größe"},
               space);
  expect_fault("fine + 1st", 9, {"unknown name 'st'"}, space);
  expect_fault("log * 2", 1, {"'log' is a function", "only be read by a function"}, space);
  EXPECT_EQ(Expression(space.parameters(), "log(fine)", "field").at(std::vector<double>{0, 0, 2, 0, 1}), 0);
  const Space none{categorical("kind", {"a", "b"}), real("a b", 0, 1)};
  expect_fault("x", 1, {"unknown name 'x'", "no parameter can be written here", "to read a b"}, none);
  const std::string name(101, 'n');
  expect_fault("1+" + name, 3, {"101 characters", "use a function"}, Space{real(name, 0, 1)});
  EXPECT_EQ(
      Expression(Space{real(name.substr(1), 0, 1)}.parameters(), name.substr(1), "f").at(std::vector<double>{1}), 1);
}

TEST(ExpressionErrors, NothingButArithmetic) {
  expect_fault("units1 = 3", 8, {"character '='", "no place in arithmetic"});
  expect_fault("units1 == 3", 8, {"character '='"});
  expect_fault("units1 > 3 ? 1 : 2", 8, {"character '>'"});
  expect_fault("1 ? 2 : 3", 3, {"character '?'"});
  expect_fault("1 && 2", 3, {"character '&'"});
  expect_fault("1 || 2", 3, {"character '|'"});
  expect_fault("!units1", 1, {"character '!'"});
  expect_fault("\"text\"", 1, {"character '\"'"});
  expect_fault("1; 2", 2, {"character ';'"});
  expect_fault("units1 % 2", 8, {"character '%'"});
  expect_fault("{1}", 1, {"character '{'"});
}

TEST(ExpressionErrors, OddBytes) {
  expect_fault(std::string("1 +\0 2", 6), 4, {"byte 0x00", "1 +\\x00 2"});
  expect_fault("1\x07", 2, {"byte 0x07", "1\\x07"});
  expect_fault("3 × units1", 3, {"character '×'"});
  expect_fault("1 + größe", 7, {"character 'ö'"});
  expect_fault("1 + \xFF", 5, {"byte 0xff"});
  expect_fault("1 \xE2\x82", 3, {"character '"});
  expect_fault("\x80", 1, {"byte 0x80"});
}

TEST(ExpressionErrors, Numbers) {
  expect_fault("0x10 + 1", 2, {"unknown name 'x10'"});
  expect_fault("2units1", 2, {"an operator is missing before 'units1'"});
  expect_fault("2e * 3", 2, {"unknown name 'e'"});
  expect_fault("1.2.3", 4, {"an operator is missing before '.3'"});
  expect_fault("1 + .", 5, {"'.' is no number"});
  expect_fault("2 * 1e400", 5, {"'1e400'", "range of a double"});
  expect_fault("1e-400", 1, {"'1e-400'", "range of a double"});
  expect_fault("1,5 * units1", 2, {"','", "decimal point"});
  expect_fault("nan", 1, {"unknown name 'nan'"});
  expect_fault("inf", 1, {"unknown name 'inf'"});
}

TEST(ExpressionErrors, MissingOperators) {
  expect_fault("units1 units2", 8, {"an operator is missing before 'units2'"});
  expect_fault("units1 2", 8, {"an operator is missing before '2'"});
  expect_fault("2 (units1)", 3, {"an operator is missing before '('"});
  expect_fault("(1) (2)", 5, {"an operator is missing before '('"});
  expect_fault("(1)2", 4, {"an operator is missing before '2'"});
  expect_fault("2 * 3 log (4)", 7, {"an operator is missing before 'log'"});
  expect_fault("abs(1)units1", 7, {"an operator is missing before 'units1'"});
}

TEST(ExpressionErrors, MissingOperands) {
  const std::string missing = "a number, a name or a bracket is missing before ";
  expect_fault("* 2", 1, {missing + "'*'"});
  expect_fault("2 *  / 3", 6, {missing + "'/'"});
  expect_fault("2 ** 3", 4, {missing + "'*'"});
  expect_fault("- - 3", 3, {missing + "'-'"});
  expect_fault("2 * --3", 6, {missing + "'-'"});
  expect_fault("()", 2, {missing + "')'"});
  expect_fault("(2 + )", 6, {missing + "')'"});
  expect_fault("sqrt( )", 7, {missing + "')'"});
  expect_fault("max()", 5, {missing + "')'"});
  expect_fault("max(, 1)", 5, {missing + "','"});
  expect_fault("max(1,, 2)", 7, {missing + "','"});
  expect_fault("max(1, )", 8, {missing + "')'"});
  expect_fault("units1 +", 9, {"ends where a number, a name or a bracket should stand"});
  expect_fault("units1 *  ", 9, {"ends where"});
  expect_fault("-", 2, {"ends where"});
}

TEST(ExpressionErrors, BracketsAndCommas) {
  expect_fault("2 * (units1 + (3)", 5, {"never closed"});
  expect_fault("max(1, 2", 4, {"never closed"});
  expect_fault("units1) * 2", 7, {"never opened"});
  expect_fault("1, 2", 2, {"','"});
  expect_fault("(1, 2)", 3, {"','"});
  expect_fault("max((1, 2))", 7, {"','"});
  expect_fault("abs(1, 2)", 6, {"abs takes one argument"});
}

/// A second opinion on sequences of tokens: column of the first one that cannot stand where it does (the first
/// bracket or comma out of place, or else the first missing operator or operand), 0 where all is well.
std::size_t expected_column(const std::vector<std::string>& tokens) {
  std::vector<std::size_t> columns(1, 1);
  for (const std::string& token : tokens) columns.push_back(columns.back() + token.size());
  std::vector<std::pair<std::string, std::size_t>> open;  // bracket with what calls it, column of the bracket
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].back() == '(') open.emplace_back(tokens[i], columns[i + 1] - 1);
    if (tokens[i] == "," && (open.empty() || open.back().first != "max(")) return columns[i];
    if (tokens[i] == ")" && open.empty()) return columns[i];
    if (tokens[i] == ")") open.pop_back();
  }
  if (!open.empty()) return open.back().second;
  bool value_before = false;
  bool sign_before = false;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string& token = tokens[i];
    const bool starts_value = token == "7" || token.back() == '(';
    const bool unary = token == "-" && !value_before;
    if (starts_value == value_before && !unary) return columns[i];
    if (unary && sign_before) return columns[i];
    value_before = token == "7" || token == ")";
    sign_before = unary;
  }
  return value_before ? 0 : columns.back();
}

TEST(ExpressionErrors, EverySequenceOfUpToFiveTokens) {
  const std::vector<std::string> alphabet{"7", "-", "*", "^", "(", ")", "abs(", "max(", ","};
  int accepted = 0;
  for (std::size_t length = 1, count = 9; length <= 5; ++length, count *= 9) {
    // One in ten of the longest under sanitizers: prime to 9, every token keeps every place.
    const std::size_t step = test::sanitized && length == 5 ? 10 : 1;
    for (std::size_t code = 0; code < count; code += step) {
      std::vector<std::string> tokens;
      std::string text;
      for (std::size_t rest = code; tokens.size() < length; rest /= 9) tokens.push_back(alphabet[rest % 9]);
      for (const std::string& token : tokens) text += token;
      if (text.find("77") != std::string::npos) continue;  // one number, not two
      std::string message;
      try {
        const Expression expression(faulted_space().parameters(), text, "f");
        ++accepted;
      } catch (const InvalidOptions& error) {
        message = error.what();
      }
      const std::size_t column = expected_column(tokens);
      const std::string expected = column ? "column " + std::to_string(column) + ": " : "";
      ASSERT_EQ(message.empty(), column == 0) << text << "\n" << message;
      ASSERT_NE(message.find(expected), std::string::npos) << text << "\n" << message << "\n" << column;
      ASSERT_EQ(message.find("nternal"), std::string::npos) << message;
    }
  }
  EXPECT_GT(accepted, test::sanitized ? 20 : 50);
}

TEST(ExpressionErrors, LongTextIsCutRoundTheColumn) {
  std::string text = "1";
  while (text.size() < 2000) text += " + units1";
  const std::size_t column = text.size() + 4;
  text += " + unitz + 1";
  while (text.size() < 4000) text += " + units2";
  expect_fault(text, column, {"unknown name 'unitz'", "expression \"...", "unitz + 1 + units2", "...\""});
  try {
    const Expression expression(faulted_space().parameters(), text, "f");
  } catch (const InvalidOptions& error) {
    EXPECT_LT(std::string(error.what()).size(), 300u);
  }
}

}  // namespace
}  // namespace carbo::internal
