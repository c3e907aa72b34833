#include "program/file/amount.hpp"

#include <charconv>
#include <cmath>

#include "engine/time_unit.hpp"
#include "program/support/words.hpp"
#include "support/text.hpp"

namespace carbo::program {
namespace {

constexpr std::string_view examples =
    "write a number and its unit, such as 2h, 90 min, 40 GPUh, $25 or 200 evaluations";

bool begins_number(char c) { return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+'; }

/// A number at the start of the text, which it is taken from.
std::optional<double> take_number(std::string_view& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

/// What stands before the next number.
std::string take_unit(std::string_view& text) {
  std::size_t end = 0;
  while (end < text.size() && !(text[end] >= '0' && text[end] <= '9')) ++end;
  std::string unit(trimmed(text.substr(0, end)));
  text.remove_prefix(end);
  return unit;
}

}  // namespace

std::optional<Amount> parse_amount(std::string_view text, std::string& fault) {
  const auto refuse = [&](std::string_view why) {
    fault = internal::text("'", text, "' ", why, "; ", examples);
    return std::nullopt;
  };
  std::string_view rest = trimmed(text);
  if (rest.empty()) return refuse("is empty");
  if (!begins_number(rest.front())) {  // a currency before its number
    const std::string unit = take_unit(rest);
    const auto number = take_number(rest);
    if (!number || !trimmed(rest).empty()) return refuse("is no amount");
    return Amount{*number, unit};
  }
  Amount sum;
  double seconds = 0;
  std::size_t parts = 0;
  for (; !rest.empty(); ++parts) {
    const auto number = take_number(rest);
    if (!number) return refuse("is no amount");
    sum = {*number, take_unit(rest)};
    const double scale = internal::seconds_per_unit(sum.unit);
    if ((parts > 0 || !rest.empty()) && scale == 0) return refuse("has several parts that are not all time");
    seconds += *number * scale;
  }
  return parts > 1 ? Amount{seconds, "s"} : sum;
}

double seconds_in(const std::string& unit) {
  if (const double seconds = internal::seconds_per_unit(unit); seconds > 0) return seconds;
  std::string small;
  for (const char c : unit) small += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  for (const std::string_view device : {"vcpu", "gpu", "cpu", "tpu", "core", "node"}) {
    if (!small.starts_with(device)) continue;
    std::string_view rest = std::string_view(unit).substr(device.size());
    while (!rest.empty() && (rest.front() == ' ' || rest.front() == '-' || rest.front() == '_'))
      rest.remove_prefix(1);
    return internal::seconds_per_unit(std::string(rest));
  }
  return 0;
}

bool counts_evaluations(std::string_view unit) {
  for (const std::string_view known :
       {"evaluations", "evaluation", "evals", "eval", "trials", "trial", "runs", "run"})
    if (unit == known) return true;
  return false;
}

}  // namespace carbo::program
