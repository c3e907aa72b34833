#pragma once

#include <cstddef>

#include "device/covariance_tile.cuh"

namespace carbo::kernels {

/// Blocks of columns of L⁻¹ that one step of a product takes.
inline constexpr int chunk_blocks = 4;

/// Chunks that row tile r is the sum of.
__host__ __device__ inline int chunks_of(int r) { return r / chunk_blocks + 1; }

/// Products of a tile of candidates: Σ chunks_of(r) over r < row_tiles.
__host__ __device__ inline int products_of(int row_tiles) {
  const int full = row_tiles / chunk_blocks, rest = row_tiles % chunk_blocks;
  return chunk_blocks * full * (full + 1) / 2 + rest * (full + 1);
}

/// What a ticket stands for. A unit is one tile of candidates under one GP.
struct SubstitutionStep {
  std::size_t unit;
  int row_tile;
  int chunk;  ///< of a product; −1: covariances are made
};

/// Waves of units, half of the slots each: all covariances, then all products, the first chunk of all rows first. A
/// product comes after what it is added to, and after the covariances that it takes.
struct StepOrder {
  std::size_t units;
  std::size_t wave;
  int row_tiles;

  __device__ std::size_t of_unit() const { return static_cast<std::size_t>(row_tiles + products_of(row_tiles)); }
  __device__ std::size_t steps() const { return units * of_unit(); }
  __device__ SubstitutionStep at(std::size_t ticket) const {
    const std::size_t of_wave = wave * of_unit();
    const std::size_t first = ticket / of_wave * wave;
    const std::size_t count = units - first < wave ? units - first : wave;
    const std::size_t within = ticket % of_wave;
    const std::size_t unit = first + within % count;
    int step = static_cast<int>(within / count);
    if (step < row_tiles) return {unit, step, -1};
    step -= row_tiles;
    int chunk = 0;
    for (; step >= row_tiles - chunk * chunk_blocks; ++chunk) step -= row_tiles - chunk * chunk_blocks;
    return {unit, chunk * chunk_blocks + step, chunk};
  }
};

}  // namespace carbo::kernels
