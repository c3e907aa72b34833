#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "formulas/sort_keys.hpp"

namespace carbo::internal {

/// One criterion of the race: the lowest first key is excluded first, then the lowest second key, then the highest
/// index.
struct RaceCriterion {
  std::span<const double> first;   ///< by candidate
  std::span<const double> second;  ///< by candidate
  bool first_descends;
  bool second_descends;

  std::uint64_t first_key(std::uint32_t candidate) const { return key(first[candidate], first_descends); }
  std::uint64_t second_key(std::uint32_t candidate) const { return key(second[candidate], second_descends); }

  /// Of two whose first keys are equal.
  bool breaks_tie_before(std::uint32_t a, std::uint32_t b) const {
    const std::uint64_t key_a = second_key(a);
    const std::uint64_t key_b = second_key(b);
    return key_a != key_b ? key_a < key_b : a > b;
  }

 private:
  static std::uint64_t key(double value, bool descends) {
    return descends ? kernels::descending_key(value) : kernels::ascending_key(value);
  }
};

struct RaceEntry {
  std::uint64_t key;   ///< the criterion's first key
  std::uint32_t rank;  ///< place among those sorted, which ascend by candidate
};

/// `candidates`, which ascend, in the order in which the criterion excludes them. Needs as much memory again.
std::vector<RaceEntry> exclusion_order(std::span<const std::uint32_t> candidates, const RaceCriterion& criterion);

}  // namespace carbo::internal
