#pragma once

#include <cstddef>
#include <cstdint>

#include "library.hpp"

/// Threads of a block in every kernel but `evaluate`.
constexpr int block_threads = 256;
/// Blocks of the kernels that read all scores.
constexpr int score_blocks = 256;

inline unsigned blocks_for(std::size_t items, unsigned threads) {
  return static_cast<unsigned>((items + threads - 1) / threads);
}

/// rows: count × 5, row-major.
__global__ void fill_library(float* rows, std::int64_t count);

/// The middles of `count` equal pieces of the library.
__global__ void spread_rows(std::int64_t library_size, int count, std::int64_t* rows);

/// Integrates the model for the picked rows, one thread each: objectives, and the steps that they took as costs.
__global__ void evaluate(const float* library, const std::int64_t* rows, int count, double* objectives,
                         double* costs);

/// The greatest score that each block sees; `score_blocks` blocks.
__global__ void block_maxima(const double* scores, std::int64_t count, double* maxima);

/// How many scores are at most `margin` below the greatest; `score_blocks` blocks, `found` starts at 0.
__global__ void count_near_best(const double* scores, std::int64_t count, const double* maxima, double margin,
                                unsigned long long* found);
