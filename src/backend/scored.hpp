#pragma once

#include <array>
#include <cstddef>
#include <limits>

namespace carbo::internal {

/// A candidate and its score. No candidate: index is `none`.
struct Scored {
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  std::size_t index = none;
  double score = -std::numeric_limits<double>::infinity();
};

/// The best and the next best. Ties go to the lowest index.
using BestTwo = std::array<Scored, 2>;

}  // namespace carbo::internal
