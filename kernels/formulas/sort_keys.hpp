#pragma once

#include <cstdint>

#include "formulas/exp_negative.hpp"
#include "formulas/host_device.hpp"

namespace carbo::kernels {

/// Unsigned key in the order of the doubles: a < b if and only if key(a) < key(b). Both zeros share one key; no NaN.
CARBO_HOST_DEVICE inline std::uint64_t ascending_key(double value) {
  const std::uint64_t bits = static_cast<std::uint64_t>(bits_of(value + 0.0));
  const std::uint64_t negative = bits >> 63;
  return bits ^ ((~negative + 1) | 0x8000000000000000ull);
}

/// The reverse order.
CARBO_HOST_DEVICE inline std::uint64_t descending_key(double value) { return ~ascending_key(value); }

/// The double that has this key.
CARBO_HOST_DEVICE inline double value_of_descending_key(std::uint64_t key) {
  const std::uint64_t ascending = ~key;
  const std::uint64_t bits = (ascending >> 63) != 0 ? ascending ^ 0x8000000000000000ull : ~ascending;
  return double_of(static_cast<std::int64_t>(bits));
}

}  // namespace carbo::kernels
