#pragma once

#include <cstddef>
#include <cstdint>

#include "device/device_views.hpp"
#include "formulas/matern.hpp"

namespace carbo::kernels {

/// Blocks of tile_threads threads work on `tile` candidates at a time: thread (lane, group) has candidate `lane` and
/// rows or points rows_per_thread · group + q of a tile of as many.
inline constexpr int tile = 32;
inline constexpr int tile_groups = 8;
inline constexpr int rows_per_thread = tile / tile_groups;
inline constexpr int tile_threads = tile * tile_groups;
/// Coordinates that are staged at once.
inline constexpr int staged_columns = 16;

__device__ inline std::size_t list_size(const CandidateList& list) {
  if (list.indices == nullptr) return list.size;
  const std::size_t count = *list.count;
  if (count <= list.first) return 0;
  return count - list.first < list.size ? count - list.first : list.size;
}

__device__ inline std::size_t list_at(const CandidateList& list, std::size_t place) {
  return list.indices == nullptr ? list.first + place : list.indices[list.first + place];
}

__device__ inline double coordinate(const CandidateView& candidates, std::size_t candidate, int column) {
  const std::size_t element = candidate * candidates.row_stride + column * candidates.column_stride;
  return candidates.single_precision ? static_cast<double>(static_cast<const float*>(candidates.data)[element])
                                     : static_cast<const double*>(candidates.data)[element];
}

struct CovarianceStage {
  double candidates[staged_columns][tile];
  double points[staged_columns][tile];
};

/// k[q] = Matérn correlation of this thread's candidate with row first + rows_per_thread · group + q of the GP; 0
/// from row `end` on. The sum over coordinates has one order, so that a pair has the same bits in every tile. All
/// threads of the block call it; it begins and ends with a barrier's guarantees.
__device__ inline void tile_correlations(const CandidateView& candidates, const GpView& gp, std::size_t candidate,
                                         int first, int end, CovarianceStage& stage, double (&k)[rows_per_thread]) {
  const int lane = threadIdx.x % tile;
  const int group = threadIdx.x / tile;
  double squared[rows_per_thread] = {};
  for (int column = 0; column < gp.columns; column += staged_columns) {
    const int width = min(staged_columns, gp.columns - column);
    for (int c = group; c < width; c += tile_groups) {
      const int at = column + c;
      stage.candidates[c][lane] = coordinate(candidates, candidate, at) * gp.inverse_lengthscales[at];
      stage.points[c][lane] = first + lane < end ? gp.points[at * gp.stride + first + lane] : 0.0;
    }
    __syncthreads();
    for (int c = 0; c < width; ++c) {
      const double x = stage.candidates[c][lane];
#pragma unroll
      for (int q = 0; q < rows_per_thread; ++q) {
        const double difference = x - stage.points[c][rows_per_thread * group + q];
        squared[q] = fma(difference, difference, squared[q]);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int q = 0; q < rows_per_thread; ++q) {
    const double correlation = matern(squared[q]);  // of what does not exist, too: there is no branch
    k[q] = first + rows_per_thread * group + q < end ? correlation : 0.0;
  }
}

}  // namespace carbo::kernels
