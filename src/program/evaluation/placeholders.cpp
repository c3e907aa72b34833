#include "program/evaluation/placeholders.hpp"

#include <charconv>
#include <cmath>
#include <functional>

#include <carbo/error.hpp>

#include "support/text.hpp"

namespace carbo::program {
namespace {

using internal::text;

constexpr double largest_whole = 9007199254740992.0;  // 2^53: every whole number below is a double

std::string number_text(double number) {
  char buffer[40];
  const bool whole = number == std::trunc(number) && std::abs(number) <= largest_whole;
  const auto end = whole ? std::to_chars(buffer, buffer + sizeof buffer, static_cast<std::int64_t>(number))
                         : std::to_chars(buffer, buffer + sizeof buffer, number);
  return {buffer, end.ptr};
}

using Piece = std::function<void(std::string_view)>;

/// Cuts a pattern into plain pieces and names.
void scan(std::string_view pattern, const Piece& plain, const Piece& name) {
  for (std::size_t at = 0; at < pattern.size();) {
    const std::size_t brace = pattern.find_first_of("{}", at);
    plain(pattern.substr(at, brace - at));
    if (brace == std::string_view::npos) return;
    if (brace + 1 < pattern.size() && pattern[brace + 1] == pattern[brace]) {
      plain(pattern.substr(brace, 1));
      at = brace + 2;
      continue;
    }
    const std::size_t end = pattern[brace] == '{' ? pattern.find_first_of("{}", brace + 1) : std::string_view::npos;
    if (end == std::string_view::npos || pattern[end] != '}')
      throw InvalidOptions(text("'", pattern, "' has a '", pattern[brace], "' without its other half; write '",
                                pattern[brace], pattern[brace], "' for the character itself"));
    name(pattern.substr(brace + 1, end - brace - 1));
    at = end + 1;
  }
}

std::string known_names(const Words& words) {
  std::string names;
  for (const auto& [name, value] : words) names += (names.empty() ? "{" : ", {") + name + "}";
  return names;
}

}  // namespace

std::string value_text(const Configuration& configuration, std::string_view parameter) {
  const Value value = configuration.value(parameter);
  if (const auto* const label = std::get_if<std::string>(&value)) return *label;
  if (const auto* const whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  return number_text(std::get<double>(value));
}

Words value_texts(const Configuration& configuration) {
  Words words;
  for (const Parameter& parameter : configuration.parameters())
    words.emplace(parameter.name(), value_text(configuration, parameter.name()));
  return words;
}

std::string expand(std::string_view pattern, const Words& words, Quoting quoting) {
  std::string expanded;
  scan(
      pattern, [&](std::string_view plain) { expanded += plain; },
      [&](std::string_view name) {
        const auto found = words.find(name);
        if (found == words.end())
          throw InvalidOptions(text("'", pattern, "' has {", name, "}, which is no parameter; there are ",
                                    known_names(words), ". Write '{{' for the character itself"));
        if (found->second.find('\0') != std::string::npos)
          throw InvalidOptions(text("the value of {", name, "} holds a zero byte, which no command can be given"));
        expanded += quoting == Quoting::shell ? shell_quoted(found->second) : found->second;
      });
  return expanded;
}

std::vector<std::string> placeholders(std::string_view pattern) {
  std::vector<std::string> names;
  scan(
      pattern, [](std::string_view) {}, [&](std::string_view name) { names.emplace_back(name); });
  return names;
}

std::string shell_quoted(std::string_view word) {
  std::string quoted = "'";
  for (const char character : word) {
    if (character == '\'')
      quoted += "'\\''";
    else
      quoted += character;
  }
  return quoted + "'";
}

std::string typed_word(std::string_view word, std::string_view harmless) {
  std::string plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
  plain += harmless;
  const bool as_it_is = !word.empty() && word.find_first_not_of(plain) == std::string_view::npos;
  return as_it_is ? std::string(word) : shell_quoted(word);
}

}  // namespace carbo::program
