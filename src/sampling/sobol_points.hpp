#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "formulas/axis_map.hpp"

namespace carbo::internal {

/// Everything that a scrambled Sobol sample of a space follows from, as plain data: the encoded coordinates of point
/// i are functions of `axes` and i.
struct SobolRecipe {
  std::vector<kernels::SobolAxis> axes;  ///< one a parameter, with ascending columns that cover all
  std::size_t columns = 0;               ///< of an encoded point
};

/// Encoded coordinates of points: coordinate c of point indices[j] at out[c · stride + j].
void encode_sobol_points(const SobolRecipe& recipe, std::span<const std::uint32_t> indices, double* out,
                         std::size_t stride);

}  // namespace carbo::internal
