#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include <carbo/error.hpp>

namespace carbo::internal {

/// Throws InvalidState where it does not hold; whoever knows the place of it adds that.
inline void check_state(bool holds, const char* what) {
  if (!holds) throw InvalidState(what);
}

inline bool all_finite(std::span<const double> numbers) {
  return std::ranges::all_of(numbers, [](double one) { return std::isfinite(one); });
}

}  // namespace carbo::internal
