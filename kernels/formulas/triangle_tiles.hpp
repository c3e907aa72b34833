#pragma once

#include <cmath>
#include <cstdint>

#include "formulas/host_device.hpp"

namespace carbo::kernels {

/// Square tiles on and below the diagonal of a matrix, counted row by row: (0,0), (1,0), (1,1), (2,0), … A tile has
/// the same number whatever the size of the matrix.
struct TrianglePlace {
  std::int64_t row;
  std::int64_t column;  ///< at most row
};

CARBO_HOST_DEVICE inline std::int64_t triangle_tiles(std::int64_t tile_rows) {
  return tile_rows * (tile_rows + 1) / 2;
}

/// Place of tile `number`, 0 ≤ number < 2^50.
CARBO_HOST_DEVICE inline TrianglePlace triangle_place(std::int64_t number) {
  auto row = static_cast<std::int64_t>((sqrt(8.0 * static_cast<double>(number) + 1.0) - 1.0) * 0.5);
  // The root is rounded: near a whole number it may be one off.
  if (triangle_tiles(row) > number) --row;
  if (triangle_tiles(row + 1) <= number) ++row;
  return {row, number - triangle_tiles(row)};
}

}  // namespace carbo::kernels
