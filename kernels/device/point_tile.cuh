#pragma once

#include <cstddef>
#include <cstdint>

#include "formulas/triangle_tiles.hpp"

namespace carbo::kernels {

/// Rows and columns of a matrix over pairs of points that a block computes at once. Thread (x, y) has the entries of
/// row x in columns y, y + ThreadsY, y + 2 · ThreadsY, …; a block is point_tile × ThreadsY threads.
inline constexpr int point_tile = 32;
/// Coordinates in shared memory at once.
inline constexpr int point_chunk = 16;

CARBO_HOST_DEVICE inline std::int64_t point_tiles(int rows) {
  return triangle_tiles((static_cast<std::int64_t>(rows) + point_tile - 1) / point_tile);
}

/// Points divided by their lengthscales: coordinate c of row i at data[c · stride + i].
struct ScaledPoints {
  const double* data;
  std::size_t stride;
  int rows;
  int columns;
};

/// Coordinates of the points of a tile's rows and columns.
struct TileCoordinates {
  double rows[point_chunk][point_tile];
  double columns[point_chunk][point_tile];
};

/// Coordinates [first, first + point_chunk) into shared memory; what does not exist is 0. Begins and ends with a
/// barrier.
template <int ThreadsY>
__device__ void load_coordinates(const ScaledPoints& points, std::int64_t first_row, std::int64_t first_column,
                                 int first, TileCoordinates& shared) {
  __syncthreads();
  const int x = static_cast<int>(threadIdx.x);
  const std::int64_t row = first_row + x;
  const std::int64_t column = first_column + x;
  for (int k = static_cast<int>(threadIdx.y); k < point_chunk; k += ThreadsY) {
    const bool exists = first + k < points.columns;
    const double* coordinate = points.data + static_cast<std::size_t>(first + k) * points.stride;
    shared.rows[k][x] = exists && row < points.rows ? coordinate[row] : 0.0;
    shared.columns[k][x] = exists && column < points.rows ? coordinate[column] : 0.0;
  }
  __syncthreads();
}

/// Squared distances of the thread's entries, from direct differences summed over the coordinates in order. Leaves
/// the last chunk in `shared`.
template <int ThreadsY>
__device__ void squared_distances(const ScaledPoints& points, std::int64_t first_row, std::int64_t first_column,
                                  TileCoordinates& shared, double (&squared)[point_tile / ThreadsY]) {
#pragma unroll
  for (int p = 0; p < point_tile / ThreadsY; ++p) squared[p] = 0.0;
  for (int first = 0; first < points.columns; first += point_chunk) {
    load_coordinates<ThreadsY>(points, first_row, first_column, first, shared);
#pragma unroll 4
    for (int k = 0; k < point_chunk; ++k) {
      const double mine = shared.rows[k][threadIdx.x];
#pragma unroll
      for (int p = 0; p < point_tile / ThreadsY; ++p) {
        const double difference = mine - shared.columns[k][static_cast<int>(threadIdx.y) + p * ThreadsY];
        squared[p] += difference * difference;
      }
    }
  }
}

}  // namespace carbo::kernels
