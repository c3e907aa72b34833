#include "program/evaluation/pattern.hpp"

#include <regex.h>

#include <carbo/error.hpp>

#include "support/text.hpp"

namespace carbo::program {
namespace {

using internal::text;

[[noreturn]] void refuse(const std::string& expression, const std::string& why) {
  throw InvalidOptions(text("the pattern '", expression, "' ", why));
}

/// As POSIX writes it: \d and \D become sets of characters.
std::string posix(const std::string& expression) {
  std::string out;
  bool in_set = false;
  for (std::size_t i = 0; i < expression.size(); ++i) {
    const char c = expression[i];
    const char next = i + 1 < expression.size() ? expression[i + 1] : '\0';
    if (c == '\\' && next != '\0') {
      ++i;
      if (next >= '1' && next <= '9') refuse(expression, "refers back to a group, which can take forever; repeat it");
      if (next == 'd' && in_set)
        out += "0-9";
      else if (next == 'd' || (next == 'D' && !in_set))
        out += next == 'd' ? "[0-9]" : "[^0-9]";
      else if (in_set)
        out += next;  // POSIX has no escapes in a set; what is escaped there is meant as itself
      else
        out += {c, next};
      continue;
    }
    if (!in_set && c == '(' && next == '?')
      refuse(expression, "has '(?': groups without a number and look-around are not known; use '('");
    if (!in_set && next == '?' && (c == '*' || c == '+' || c == '?' || c == '}'))
      refuse(expression,
             text("has '", c, "?': repetitions are never lazy; name what may be repeated, as in '[^,]*'"));
    if (c == '[' && !in_set) {
      in_set = true;
      out += c;
      if (next == '^') out += expression[++i];
      if (i + 1 < expression.size() && expression[i + 1] == ']') out += expression[++i];
      continue;
    }
    if (c == '[' && (next == ':' || next == '.' || next == '=')) {  // [:digit:] in a set
      const std::size_t end = expression.find(std::string{next, ']'}, i + 2);
      if (end != std::string::npos) {
        out += expression.substr(i, end + 2 - i);
        i = end + 1;
        continue;
      }
    }
    if (c == ']') in_set = false;
    out += c;
  }
  return out;
}

}  // namespace

struct Pattern::Compiled {
  regex_t expression{};
  Compiled() = default;
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;
  ~Compiled() { ::regfree(&expression); }
};

Pattern::Pattern(const std::string& expression) : expression_(expression) {
  if (expression.empty())
    refuse(expression, "is empty; write what stands before the number, as in 'loss: ([0-9.]+)'");
  const std::string translated = posix(expression);
  const auto compiled = std::make_shared<Compiled>();
  if (const int error = ::regcomp(&compiled->expression, translated.c_str(), REG_EXTENDED); error != 0) {
    char words[200];
    ::regerror(error, &compiled->expression, words, sizeof words);
    refuse(expression, text("is no regular expression: ", words));
  }
  compiled_ = compiled;
}

std::optional<std::string> Pattern::last_match(std::string_view line) const {
  std::optional<std::string> last;
  const regex_t& expression = compiled_->expression;
  const std::size_t group = expression.re_nsub > 0 ? 1 : 0;
  for (std::size_t at = 0; at <= line.size();) {
    regmatch_t found[2];
    found[0].rm_so = static_cast<regoff_t>(at);
    found[0].rm_eo = static_cast<regoff_t>(line.size());
    const int flags = REG_STARTEND | (at > 0 ? REG_NOTBOL : 0);
    if (::regexec(&expression, line.data() == nullptr ? "" : line.data(), group + 1, found, flags) != 0) break;
    if (found[group].rm_so >= 0)
      last = line.substr(static_cast<std::size_t>(found[group].rm_so),
                         static_cast<std::size_t>(found[group].rm_eo - found[group].rm_so));
    const auto end = static_cast<std::size_t>(found[0].rm_eo);
    at = end > at ? end : at + 1;
  }
  return last;
}

}  // namespace carbo::program
