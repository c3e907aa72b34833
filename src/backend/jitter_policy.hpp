#pragma once

#include <array>
#include <cstddef>

namespace carbo::internal {

/// Jitters tried in turn, relative to the mean diagonal of K + σ²I; beyond the last, a typed error.
inline constexpr std::array<double, 8> jitter_steps = {0.0, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4};

/// Smallest pivot ℓ² that counts as positive, relative to the mean diagonal: below it the pivot of a factor with
/// `rows` rows is made of rounding, whatever its sign.
inline double smallest_pivot(std::size_t rows) {
  return 2.220446049250313e-16 * static_cast<double>(rows < 4 ? 4 : rows);
}

/// Pivot given to a fantasised point whose own pivot is smaller (a copy of a noise-free point): it then adds no
/// information, as the first jitter would have it.
inline constexpr double fantasy_pivot = 1e-10;

}  // namespace carbo::internal
