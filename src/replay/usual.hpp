#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "replay/problem.hpp"

namespace carbo::replay {

/// What is run of a table where nobody says something else.

inline std::vector<std::string> usual_methods() { return {"default", "ei", "eipu", "random"}; }
inline constexpr std::size_t usual_seeds = 15;

/// Of the rows, that a run may evaluate: a table is never emptied of what is good.
inline double usual_share(std::size_t rows) { return rows < 100 ? 0.5 : 0.25; }
/// Evaluations that a run needs: five draws, with which most methods begin, and one that it chooses.
inline constexpr std::size_t fewest_evaluations = 6;

/// In mean costs of a row.
inline std::size_t usual_budget(const Problem& problem) {
  return std::min<std::size_t>(50, problem.most_evaluations / 2);
}

}  // namespace carbo::replay
