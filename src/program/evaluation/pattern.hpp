#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace carbo::program {

/// A regular expression over single lines: POSIX extended, with \d and \D for digits. Matched by an automaton,
/// without recursion and in time that grows with the square of the line at worst; what would need backtracking
/// (references back, look-around) or means something else here (`*?`, `(?:`) is refused.
class Pattern {
 public:
  static constexpr std::size_t longest_line = 1u << 14;  ///< to be looked at; of longer ones the beginning

  /// Throws InvalidOptions with what is wrong and what would be right.
  explicit Pattern(const std::string& expression);

  /// The first group of the last match in a line, or all of the match where there is no group.
  std::optional<std::string> last_match(std::string_view line) const;
  const std::string& expression() const { return expression_; }

 private:
  struct Compiled;
  std::string expression_;
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace carbo::program
