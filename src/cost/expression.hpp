#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include <carbo/space.hpp>

namespace carbo::internal {

/// Arithmetic over the numeric parameters of a space, given as text and compiled once: numbers (a decimal point
/// whatever the locale), names of real, integer and discrete parameters, + - * / ^, brackets, and abs, ceil, exp,
/// floor, log (natural), max, min, sqrt. Nothing else can be reached from it. ^ binds tighter than a sign and from
/// the right: -a^b^c is -(a^(b^c)). Computes in the order written, as the same C++ would; max and min pass NaN on.
class Expression {
 public:
  static constexpr std::size_t longest = 4096;  ///< characters

  /// `field` names it in messages, such as `cost.features[2]`. Throws InvalidOptions with the column, from 1.
  Expression(std::span<const Parameter> parameters, const std::string& text, const std::string& field);
  ~Expression();
  Expression(Expression&&) noexcept;
  Expression& operator=(Expression&&) noexcept;

  /// Value where the parameters have these numbers (see Configuration::numbers); may be infinite or NaN. Writes to
  /// buffers of its own: one call at a time.
  double at(std::span<const double> numbers) const;

 private:
  class Compiled;
  std::unique_ptr<Compiled> compiled_;
};

/// `expression "..."` for messages: quotes, backslashes and control characters escaped, a long text cut to what is
/// near the column.
std::string expression_label(const std::string& text, std::size_t column = 1);

}  // namespace carbo::internal
