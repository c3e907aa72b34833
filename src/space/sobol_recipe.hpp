#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <carbo/space.hpp>

#include "formulas/axis_map.hpp"

namespace carbo::internal {

/// Everything that a scrambled Sobol sample of a space follows from, as plain data: the encoded coordinates of point
/// i are functions of `axes` and i.
struct SobolRecipe {
  std::vector<kernels::SobolAxis> axes;  ///< one a parameter, with ascending columns that cover all
  std::size_t columns = 0;               ///< of an encoded point
};

SobolRecipe make_sobol_recipe(const Space& space, std::uint64_t seed, std::uint64_t round);

/// Encoded coordinates of points: coordinate c of point indices[j] at out[c · stride + j].
void encode_sobol_points(const SobolRecipe& recipe, std::span<const std::uint32_t> indices, double* out,
                         std::size_t stride);

/// The rows of a table that are Sobol points, which come first.
struct SobolShare {
  SobolRecipe recipe;
  std::size_t rows = 0;                ///< 0 where the table is no sample
  std::uint32_t first = 0;             ///< index of the first point, where `indices` is empty: others follow in turn
  std::vector<std::uint32_t> indices;  ///< of all points, ascending, where some were left out
};

}  // namespace carbo::internal
