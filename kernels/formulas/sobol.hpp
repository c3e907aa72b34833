#pragma once

#include <cstdint>

#include "formulas/host_device.hpp"
#include "formulas/philox.hpp"
#include "formulas/sobol_directions.hpp"

namespace carbo::kernels {

CARBO_HOST_DEVICE inline std::uint32_t reverse_bits(std::uint32_t x) {
  x = (x >> 16) | (x << 16);
  x = ((x & 0xFF00FF00u) >> 8) | ((x & 0x00FF00FFu) << 8);
  x = ((x & 0xF0F0F0F0u) >> 4) | ((x & 0x0F0F0F0Fu) << 4);
  x = ((x & 0xCCCCCCCCu) >> 2) | ((x & 0x33333333u) << 2);
  return ((x & 0xAAAAAAAAu) >> 1) | ((x & 0x55555555u) << 1);
}

/// Coordinate of Sobol point `index` as a binary fraction of 2^32, in the order of the index itself (not Gray code).
/// `directions`: the sobol_bits words of the dimension.
CARBO_HOST_DEVICE inline std::uint32_t sobol_word(const std::uint32_t* directions, std::uint32_t index) {
  std::uint32_t word = 0;
  for (; index != 0; index >>= 1, ++directions) word ^= (index & 1u) != 0 ? *directions : 0u;
  return word;
}

/// Nested uniform (Owen) scrambling: every binary digit is flipped or kept by a hash of the digits before it, so
/// points stay one to an elementary interval. On reversed words a digit may depend on lower bits only, which sums,
/// odd products and x ^ even·x respect (Laine and Karras 2011); all of them are bijections.
/// `key`: random words of one dimension.
CARBO_HOST_DEVICE inline std::uint32_t owen_scramble(std::uint32_t word, const PhiloxBlock& key) {
  std::uint32_t x = reverse_bits(word) + key.word[0];
  x ^= x * (key.word[1] & ~1u);
  x *= key.word[2] | 1u;
  x ^= x * 0xB5297A4Cu;
  x += key.word[3];
  x ^= x * 0x68E31DA6u;
  x *= (key.word[1] >> 1) | 1u;
  x ^= x * 0x1B56C4EAu;
  return reverse_bits(x ^ key.word[2]);
}

/// Centre of the interval of width 2^-32 that a word stands for: in (0, 1), exact.
CARBO_HOST_DEVICE inline double sobol_unit(std::uint32_t word) {
  return (static_cast<double>(word) + 0.5) * (1.0 / 4294967296.0);
}

}  // namespace carbo::kernels
