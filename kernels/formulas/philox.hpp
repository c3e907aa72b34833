#pragma once

#include <cstdint>

#include "formulas/host_device.hpp"

namespace carbo::kernels {

struct PhiloxBlock {
  std::uint32_t word[4];
};

/// Philox4x32-10 (Salmon et al. 2011): a keyed bijection of 128-bit counters. Draw i needs no draw before it,
/// so results do not depend on threads or tiles.
CARBO_HOST_DEVICE inline PhiloxBlock philox(std::uint64_t key, std::uint64_t counter_low,
                                            std::uint64_t counter_high) {
  constexpr std::uint32_t multiplier_0 = 0xD2511F53u;
  constexpr std::uint32_t multiplier_1 = 0xCD9E8D57u;
  constexpr std::uint32_t weyl_0 = 0x9E3779B9u;
  constexpr std::uint32_t weyl_1 = 0xBB67AE85u;
  std::uint32_t c0 = static_cast<std::uint32_t>(counter_low);
  std::uint32_t c1 = static_cast<std::uint32_t>(counter_low >> 32);
  std::uint32_t c2 = static_cast<std::uint32_t>(counter_high);
  std::uint32_t c3 = static_cast<std::uint32_t>(counter_high >> 32);
  std::uint32_t k0 = static_cast<std::uint32_t>(key);
  std::uint32_t k1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product_0 = static_cast<std::uint64_t>(multiplier_0) * c0;
    const std::uint64_t product_1 = static_cast<std::uint64_t>(multiplier_1) * c2;
    c0 = static_cast<std::uint32_t>(product_1 >> 32) ^ c1 ^ k0;
    c1 = static_cast<std::uint32_t>(product_1);
    c2 = static_cast<std::uint32_t>(product_0 >> 32) ^ c3 ^ k1;
    c3 = static_cast<std::uint32_t>(product_0);
    k0 += weyl_0;
    k1 += weyl_1;
  }
  return {{c0, c1, c2, c3}};
}

/// A double in (0, 1) from 52 random bits, never 0 or 1: with half a step added they fill its 53 bits exactly.
CARBO_HOST_DEVICE inline double unit_double(std::uint32_t high, std::uint32_t low) {
  const std::uint64_t bits = (static_cast<std::uint64_t>(high) << 20) | (low >> 12);
  return (static_cast<double>(bits) + 0.5) * (1.0 / 4503599627370496.0);
}

}  // namespace carbo::kernels
