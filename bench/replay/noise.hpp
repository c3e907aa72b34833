#pragma once

#include <cstdint>

namespace carbo::replay {

/// Standard normal, a pure function of its arguments: what disturbs an outcome of the run with this seed.
double noise(std::uint64_t seed, std::uint64_t counter, std::uint64_t lane);

/// Lanes of noise.
inline constexpr std::uint64_t value_lane = 0, cost_lane = 1;

}  // namespace carbo::replay
