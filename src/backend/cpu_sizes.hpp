#pragma once

#include <cstddef>

namespace carbo::internal {

/// Candidates in a panel. Every sweep works on whole panels, so that results do not depend on threads or tiles; and a
/// multiple of the columns that a product takes at once with any instruction set (4, 12, 24), so that there is no
/// remainder.
inline constexpr std::size_t panel_width = 264;
/// Fantasised points whose responses are computed together, so that each covariance row is made once.
inline constexpr std::size_t responses_at_once = 256;
/// Rows of a factorisation's blocks, and of K⁻¹ that a gradient has at once.
inline constexpr std::size_t cholesky_block = 96;
/// Likelihoods of fewer rows are computed one a thread, those of more one after the other.
inline constexpr std::size_t rows_worth_threads = 256;

}  // namespace carbo::internal
