#pragma once

#include <cstddef>

namespace carbo::internal {

/// Rows up to which variances are tightened before contenders are brought up to date: that helps in all later picks,
/// too, and costs less. With few observations it begins with `least_tightened_rows`.
inline constexpr std::size_t least_tightened_rows = 64;
inline constexpr std::size_t first_tightened_rows = 128;
inline constexpr std::size_t most_tightened_rows = 256;
/// Further rounds have `round_growth` times as many rows; each round must cost less than this share of finishing.
inline constexpr std::size_t round_growth = 4;
inline constexpr std::size_t rounds_below = 3;

inline std::size_t first_round_rows(std::size_t observed) {
  return rounds_below * first_tightened_rows < observed ? first_tightened_rows : least_tightened_rows;
}
inline bool tightens(std::size_t rows, std::size_t observed) {
  return rows <= most_tightened_rows && rounds_below * rows < observed;
}
/// Rows of the last such round; 0 where there is none.
inline std::size_t last_round_rows(std::size_t observed) {
  std::size_t last = 0;
  for (std::size_t rows = first_round_rows(observed); tightens(rows, observed); rows *= 2) last = rows;
  return last;
}

}  // namespace carbo::internal
