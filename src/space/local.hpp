#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "space/axis.hpp"

namespace carbo::internal {

/// Which of `centres` centres, best first, local candidate `row` lies round: 0; 0 1; 0 1 2; ...; then again. The
/// best centre gets the largest share, the last the smallest.
std::size_t centre_of(std::size_t row, std::size_t centres);

/// A random draw of its own for every candidate and every retry.
struct LocalDraw {
  std::uint64_t seed = 0;
  std::uint64_t round = 0;  ///< below 2^32
  std::uint64_t row = 0;    ///< below 2^32
  std::uint32_t attempt = 0;
};

/// Moves a random, non-empty share of the parameters of `centre` and writes the result to `numbers` (one an axis).
/// Ordered values step by a normal deviate, its spread drawn log-uniformly from 1e-3 to 0.3 of the range, reflected
/// at the bounds and at least one level where they have levels; a category becomes any other.
void perturb(std::span<const Axis> axes, std::span<const double> centre, const LocalDraw& draw,
             std::span<double> numbers);

}  // namespace carbo::internal
