#pragma once

#include <cstddef>
#include <limits>

namespace carbo::internal {

/// The best candidate and the next best. Ties go to the lowest index. No candidate: index is `none`.
struct Pick {
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  std::size_t index = none;
  double score = -std::numeric_limits<double>::infinity();
  std::size_t runner_up = none;
  double runner_up_score = -std::numeric_limits<double>::infinity();
};

struct Scored {
  std::size_t index = Pick::none;
  double score = -std::numeric_limits<double>::infinity();
};

}  // namespace carbo::internal
