#include "space/describe.hpp"

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "support/text.hpp"

namespace carbo::internal {
namespace {

constexpr std::size_t most_listed = 12;

template <typename Items, typename Describe>
std::string list_text(const Items& items, const Describe& describe) {
  std::string listed;
  for (std::size_t i = 0; i < items.size() && i < most_listed; ++i) listed += (i ? ", " : "") + describe(items[i]);
  if (items.size() > most_listed) listed += text(", ... (", items.size(), " in all)");
  return listed;
}

}  // namespace

std::string number_text(double number) {
  if (std::isnan(number)) return "NaN";
  constexpr double without_exponent = 1e15;
  if (std::abs(number) < without_exponent && number == std::trunc(number)) {
    return std::to_string(static_cast<std::int64_t>(number));
  }
  char buffer[32];  // at most 24 characters: sign, 17 digits, point, exponent of 5
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, number, std::chars_format::general);
  return std::string(buffer, end.ptr);
}

std::string domain_text(const Parameter& parameter) {
  const std::string interval =
      text("in [", number_text(parameter.lower()), ", ", number_text(parameter.upper()), "]");
  switch (parameter.kind()) {
    case ParameterKind::real:
      return "a number " + interval;
    case ParameterKind::integer:
      return "a whole number " + interval;
    case ParameterKind::discrete:
      return "one of " + list_text(parameter.values(), number_text);
    default:
      return "one of " + list_text(parameter.labels(), [](const std::string& label) { return "'" + label + "'"; });
  }
}

std::string value_text(const Parameter& parameter, double number) {
  if (parameter.labels().empty()) return number_text(number);
  return parameter.labels()[static_cast<std::size_t>(number)];
}

}  // namespace carbo::internal
