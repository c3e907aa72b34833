#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <carbo/space.hpp>

#include "sampling/sobol_points.hpp"

namespace carbo::internal {

SobolRecipe make_sobol_recipe(const Space& space, std::uint64_t seed, std::uint64_t round);

/// The rows of a table that are Sobol points, which come first.
struct SobolShare {
  SobolRecipe recipe;
  std::size_t rows = 0;                ///< 0 where the table is no sample
  std::uint32_t first = 0;             ///< index of the first point, where `indices` is empty: others follow in turn
  std::vector<std::uint32_t> indices;  ///< of all points, ascending, where some were left out
};

}  // namespace carbo::internal
