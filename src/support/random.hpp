#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include "formulas/philox.hpp"

namespace carbo::internal {

/// What a random number is for; numbers of different purposes never share a counter.
enum class Draw : std::uint64_t {
  uniform_configuration = 1,
  sobol_scramble,
  local_candidate,
  fantasy,
  restart,
  hyperparameter_sample,
  random_pick,
  extreme_row,
  extreme,
  importance_sample,
  posterior_draw,
};

/// Uniform in (0, 1); a pure function of its arguments.
inline double uniform(std::uint64_t seed, Draw purpose, std::uint64_t index, std::uint32_t lane = 0) {
  const auto block = kernels::philox(seed, index, (static_cast<std::uint64_t>(purpose) << 32) | lane);
  return kernels::unit_double(block.word[0], block.word[1]);
}

/// Standard normal (Box–Muller); a pure function of its arguments.
inline double normal(std::uint64_t seed, Draw purpose, std::uint64_t index, std::uint32_t lane = 0) {
  const auto block = kernels::philox(seed, index, (static_cast<std::uint64_t>(purpose) << 32) | lane);
  const double radius = std::sqrt(-2.0 * std::log(kernels::unit_double(block.word[0], block.word[1])));
  return radius * std::cos(2.0 * std::numbers::pi * kernels::unit_double(block.word[2], block.word[3]));
}

}  // namespace carbo::internal
