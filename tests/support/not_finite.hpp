#pragma once

#include <limits>

/// What tests give in place of a number.
namespace carbo::test {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

}  // namespace carbo::test
