#include "bench/replay/noise.hpp"

#include <cmath>
#include <numbers>

#include "formulas/philox.hpp"

namespace carbo::replay {

double noise(std::uint64_t seed, std::uint64_t counter, std::uint64_t lane) {
  const auto block = kernels::philox(seed, counter, lane);
  const double radius = std::sqrt(-2.0 * std::log(kernels::unit_double(block.word[0], block.word[1])));
  return radius * std::cos(2.0 * std::numbers::pi * kernels::unit_double(block.word[2], block.word[3]));
}

}  // namespace carbo::replay
