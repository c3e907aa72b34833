#pragma once

#include <cstddef>

#include "device/covariance_tile.cuh"

namespace carbo::kernels {

/// Blocks of columns of L⁻¹ that one step of a product takes.
inline constexpr int chunk_blocks = 4;

/// Tiles of candidates that give enough steps of whole rows to take.
inline constexpr std::size_t many_units = 32;

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
  int first;  ///< chunk of a product; −1: covariances are made
  int last;   ///< chunk
};

/// Waves of units, half of the slots each: all covariances, then all products. Where there are many, one
/// step takes all chunks of a row tile, the longest first. Where there are few units each chunk is a step, so that
/// many blocks of threads have one: the first chunk of all row tiles, then the second. A product comes after what it
/// is added to, and after the covariances that it takes.
struct StepOrder {
  std::size_t units;
  std::size_t wave;
  int row_tiles;

  __device__ bool whole_rows() const { return units >= many_units; }
  __device__ std::size_t of_unit() const {
    return static_cast<std::size_t>(row_tiles + (whole_rows() ? row_tiles : products_of(row_tiles)));
  }
  __device__ std::size_t steps() const { return units * of_unit(); }
  __device__ SubstitutionStep at(std::size_t ticket) const {
    const std::size_t of_wave = wave * of_unit();
    const std::size_t first = ticket / of_wave * wave;
    const std::size_t count = units - first < wave ? units - first : wave;
    const std::size_t within = ticket % of_wave;
    const std::size_t unit = first + within % count;
    int step = static_cast<int>(within / count);
    if (step < row_tiles) return {unit, step, -1, -1};
    step -= row_tiles;
    if (whole_rows()) {
      const int row_tile = row_tiles - 1 - step;
      return {unit, row_tile, 0, chunks_of(row_tile) - 1};
    }
    int chunk = 0;
    for (; step >= row_tiles - chunk * chunk_blocks; ++chunk) step -= row_tiles - chunk * chunk_blocks;
    return {unit, chunk * chunk_blocks + step, chunk, chunk};
  }
};

}  // namespace carbo::kernels
