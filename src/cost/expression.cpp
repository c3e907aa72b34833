#include "cost/expression.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include <muParser.h>

#include <carbo/error.hpp>
#include <carbo/to_string.hpp>

#include "cost/expression_tokens.hpp"
#include "support/text.hpp"

namespace carbo::internal {
namespace {

using Kind = ExpressionToken::Kind;

// muParser's own default reading follows a locale that the whole process shares.
int read_value(const char* rest, int* position, double* value) {
  const std::size_t length = read_number(rest, *value);
  *position += static_cast<int>(length);
  return length > 0 ? 1 : 0;
}

double absolute(double x) { return std::abs(x); }
double ceiling(double x) { return std::ceil(x); }
double exponential(double x) { return std::exp(x); }
double floor_of(double x) { return std::floor(x); }
double natural_log(double x) { return std::log(x); }
double root(double x) { return std::sqrt(x); }
double same(double x) { return x; }
double negative(double x) { return -x; }

double largest(const double* values, int count) {
  double result = values[0];
  for (int i = 1; i < count; ++i) result = values[i] > result || std::isnan(values[i]) ? values[i] : result;
  return result;
}

double smallest(const double* values, int count) {
  double result = values[0];
  for (int i = 1; i < count; ++i) result = values[i] < result || std::isnan(values[i]) ? values[i] : result;
  return result;
}

}  // namespace

/// The bare engine with nothing defined but these. What it knows beyond arithmetic (assignment, choice, comparison,
/// strings) is written with characters that expression_tokens refuses.
class Arithmetic final : public mu::ParserBase {
 public:
  // muParser refuses a separator that is the process's decimal point in its shared locale, as a comma might be.
  static constexpr char separator = ';';

  Arithmetic() {
    Init();
    AddValIdent(read_value);
    SetArgSep(separator);
    EnableOptimizer(false);  // it regroups: (a * 1e200) * 1e200 becomes a * infinity
  }

 private:
  void InitCharSets() override {
    DefineNameChars("0123456789_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    DefineOprtChars("+-*/^");
    DefineInfixOprtChars("+-");
  }
  void InitFun() override {
    DefineFun("abs", absolute);
    DefineFun("ceil", ceiling);
    DefineFun("exp", exponential);
    DefineFun("floor", floor_of);
    DefineFun("log", natural_log);
    DefineFun("max", largest);
    DefineFun("min", smallest);
    DefineFun("sqrt", root);
  }
  void InitConst() override {}
  void InitOprt() override {
    DefineInfixOprt("-", negative);
    DefineInfixOprt("+", same);
  }
};

namespace {

/// Names of the numeric parameters that `usable` selects, quoted and separated by commas.
std::string numeric_names(std::span<const Parameter> parameters, bool usable) {
  constexpr std::size_t most_listed = 12;
  std::string names;
  std::size_t count = 0;
  for (const Parameter& parameter : parameters) {
    const bool written = is_identifier(parameter.name()) && !find_expression_function(parameter.name());
    if (!parameter.labels().empty() || written != usable) continue;
    if (count < most_listed) names += text(count ? ", " : "", parameter.name());
    ++count;
  }
  return count > most_listed ? text(names, ", ... (", count, " in all)") : names;
}

[[noreturn]] void refuse_unknown(const ExpressionToken& token, std::span<const Parameter> parameters) {
  const std::string known = numeric_names(parameters, true);
  const std::string unusable = numeric_names(parameters, false);
  std::string reason = text("unknown name '", token.text, "'; ");
  reason += known.empty() ? "no parameter can be written here" : "known are " + known;
  if (!unusable.empty()) reason += "; use a function instead of text to read " + unusable;
  throw ExpressionFault(token.column, reason);
}

/// Position of the parameter that a name stands for.
std::size_t find_parameter(const ExpressionToken& token, std::span<const Parameter> parameters) {
  if (find_expression_function(token.text)) {
    throw ExpressionFault(token.column,
                          text("'", token.text, "' is a function here and needs its argument in brackets; ",
                               "a parameter of that name can only be read by a function, not by text"));
  }
  const auto found = std::find_if(parameters.begin(), parameters.end(),
                                  [&](const Parameter& parameter) { return parameter.name() == token.text; });
  if (found == parameters.end()) refuse_unknown(token, parameters);
  if (!found->labels().empty()) {
    throw ExpressionFault(token.column, text("'", token.text, "' is ", to_string(found->kind()),
                                             " and has no number; use a function instead of text to read it"));
  }
  if (token.text.size() > static_cast<std::size_t>(mu::MaxLenIdentifier)) {
    throw ExpressionFault(token.column, text("this name has ", token.text.size(), " characters, more than ",
                                             mu::MaxLenIdentifier, "; use a function instead of text to read it"));
  }
  return static_cast<std::size_t>(found - parameters.begin());
}

/// The reason why muParser stopped: what it can miss between well-formed tokens is an operator or an operand.
[[noreturn]] void refuse_order(const std::vector<ExpressionToken>& tokens, std::size_t index) {
  constexpr std::string_view operand = "a number, a name or a bracket";
  if (index == tokens.size()) {
    const ExpressionToken& last = tokens.back();
    throw ExpressionFault(last.column + last.text.size(), text("the text ends where ", operand, " should stand"));
  }
  const ExpressionToken& token = tokens[index];
  const bool value = token.kind == Kind::number || token.kind == Kind::name || token.kind == Kind::function ||
                     token.kind == Kind::open;
  throw ExpressionFault(
      token.column, text(value ? std::string_view("an operator") : operand, " is missing before '", token.text, "'"));
}

}  // namespace

class Expression::Compiled {
 public:
  /// Throws ExpressionFault.
  Compiled(std::span<const Parameter> parameters, std::string_view text) {
    if (text.size() > longest) {
      throw ExpressionFault(longest + 1, internal::text("the text has ", text.size(), " characters; at most ",
                                                        longest, " are allowed, use a function instead"));
    }
    const std::vector<ExpressionToken> tokens = expression_tokens(text);
    if (tokens.empty()) throw ExpressionFault(1, "the text is empty; write arithmetic, such as units * epochs");
    bind(tokens, parameters);
    compile(tokens);
  }
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;
  ~Compiled() = default;

  /// muParser cannot fail here: the same code ran once in the constructor, and it does not branch on values.
  double at(std::span<const double> numbers) {
    for (std::size_t i = 0; i < used_.size(); ++i)
      values_[i] = numbers[used_[i]] + 0.0;  // −0 as configurations hold it
    return parser_.Eval();
  }

 private:
  void bind(const std::vector<ExpressionToken>& tokens, std::span<const Parameter> parameters) {
    for (const ExpressionToken& token : tokens) {
      if (token.kind != Kind::name) continue;
      const std::size_t parameter = find_parameter(token, parameters);
      if (std::find(used_.begin(), used_.end(), parameter) == used_.end()) used_.push_back(parameter);
    }
    values_.assign(used_.size(), 1.0);
    for (std::size_t i = 0; i < used_.size(); ++i) parser_.DefineVar(parameters[used_[i]].name(), &values_[i]);
  }

  /// muParser gets the tokens with a blank behind each, but for a function and its bracket, which it wants together.
  void compile(const std::vector<ExpressionToken>& tokens) {
    std::string source;
    std::vector<std::size_t> token_at;  // of every character of `source`
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      source += tokens[i].kind == Kind::comma ? std::string_view(&Arithmetic::separator, 1) : tokens[i].text;
      if (tokens[i].kind != Kind::function) source += ' ';
      token_at.resize(source.size(), i);
    }
    try {
      parser_.SetExpr(source);
      parser_.Eval();
    } catch (const mu::ParserError& error) {
      // It names no position only where the text ends after a sign.
      const auto position = static_cast<std::size_t>(error.GetPos());
      refuse_order(tokens, position < source.size() ? token_at[position] : tokens.size());
    }
  }

  Arithmetic parser_;
  std::vector<std::size_t> used_;  ///< positions of the parameters that occur
  std::vector<double> values_;     ///< theirs; the parser holds pointers to them
};

Expression::Expression(std::span<const Parameter> parameters, const std::string& text, const std::string& field) {
  try {
    compiled_ = std::make_unique<Compiled>(parameters, text);
  } catch (const ExpressionFault& fault) {
    throw InvalidOptions(internal::text(field, ", ", expression_label(text, fault.column()), ", column ",
                                        fault.column(), ": ", fault.what()));
  }
}

Expression::~Expression() = default;
Expression::Expression(Expression&&) noexcept = default;
Expression& Expression::operator=(Expression&&) noexcept = default;

double Expression::at(std::span<const double> numbers) const { return compiled_->at(numbers); }

std::string expression_label(const std::string& text, std::size_t column) {
  constexpr std::size_t most_shown = 120;
  const bool cut = text.size() > most_shown;
  const std::size_t first = cut ? std::min(column - std::min(column, most_shown / 2), text.size() - most_shown) : 0;
  std::string label = first > 0 ? "expression \"..." : "expression \"";
  constexpr char digits[] = "0123456789abcdef";
  for (const char c : std::string_view(text).substr(first, most_shown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7F) {
      if (c == '"' || c == '\\') label += '\\';
      label += c;
    } else {
      label += {'\\', 'x', digits[byte / 16], digits[byte % 16]};
    }
  }
  return label + (first + most_shown < text.size() ? "...\"" : "\"");
}

}  // namespace carbo::internal
