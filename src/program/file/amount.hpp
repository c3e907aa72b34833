#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace carbo::program {

/// A number with its unit: "2h", "90 min", "1h 30min", "40 GPUh", "$25", "1000 evaluations", "12.5".
struct Amount {
  double number = 0;
  std::string unit;  ///< as written; "s" for several units of time, which are added up; empty: none
};
/// Absent where the text is none; then `fault` says why and what would be right.
std::optional<Amount> parse_amount(std::string_view text, std::string& fault);

/// Seconds in one unit of time, or of time on something: "GPUh", "core-hours", "node min"; 0 where it is neither.
double seconds_in(const std::string& unit);
/// What no study spends: the budget where only evaluations are counted. 30,000 years in seconds.
inline constexpr double endless_budget = 1e12;
/// Whether a unit is that of a number of evaluations.
bool counts_evaluations(std::string_view unit);

}  // namespace carbo::program
