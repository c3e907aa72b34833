#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace carbo::internal {

/// Hash of a row of numbers by their bit patterns (−0 and 0 hash alike).
inline std::uint64_t row_hash(std::span<const double> row) {
  std::uint64_t hash = 0x9E3779B97F4A7C15u;
  for (const double number : row) {
    hash ^= std::bit_cast<std::uint64_t>(number + 0.0);
    hash ^= hash >> 32;
    hash *= 0xD6E8FEB86659FD93u;
    hash ^= hash >> 29;
  }
  return hash;
}

}  // namespace carbo::internal
