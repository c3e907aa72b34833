#pragma once

#include "acquisition/float_variance.hpp"
#include "device/contender_view.hpp"
#include "device/float_tile.cuh"
#include "device/substitution_view.hpp"

namespace carbo::kernels {

/// A block of tile_threads threads takes few candidates, so that short lists keep many multiprocessors busy.
/// Correlations: thread (lane, group) has candidate `lane` and four rows of those that are staged. Products: thread
/// (pair, group) has two candidates and four of variance_pass_rows rows of L⁻¹.
inline constexpr int variance_lanes = 16;
inline constexpr int lane_groups = tile_threads / variance_lanes;
inline constexpr int rows_of_thread = 4;
inline constexpr int staged_points = lane_groups * rows_of_thread;
inline constexpr int lanes_of_thread = 2;
inline constexpr int lane_pairs = variance_lanes / lanes_of_thread;
inline constexpr int pair_groups = tile_threads / lane_pairs;
inline constexpr int staged_inverse_columns = float_rows;
/// Entries of L⁻¹ that a thread stages, four beside each other at a time.
inline constexpr int own_entries = staged_inverse_columns * variance_pass_rows / tile_threads;
/// Coordinates of a candidate that stay.
inline constexpr int variance_columns = 16;
static_assert(pair_groups * rows_of_thread == variance_pass_rows && own_entries % 4 == 0);

struct VarianceStage {
  union {
    alignas(16) float points[variance_columns][staged_points];
    struct {
      alignas(16) float values[staged_inverse_columns][variance_pass_rows];
      alignas(16) float sizes[staged_inverse_columns][variance_pass_rows];
    } inverse;
    struct {
      float certain[pair_groups][variance_lanes];
      float all[pair_groups][variance_lanes];
    } squares;
  };
  float candidates[variance_columns][variance_lanes];
  alignas(16) float correlations[most_float_variance_rows][variance_lanes];
  float shares[variance_lanes];
};

/// What float32 says of a candidate.
struct FloatExplained {
  double certain;  ///< Σ of squares of certain parts of v / s
  double all;      ///< the same as if no error were possible
};

/// Coordinates [column, column + width) of the tile's candidates; the sum of their squares for this thread's lane.
__device__ inline double stage_candidates(const CandidateView& candidates, const ScreenTask& task, std::size_t i,
                                          int column, int width, VarianceStage& stage) {
  double squares = 0.0;
#pragma unroll 1
  for (int c = 0; c < width; ++c) {
    const double coordinate = screened_coordinate(candidates, task.gp, task.centre, i, column + c);
    squares = fma(coordinate, coordinate, squares);
    if (threadIdx.x < variance_lanes) stage.candidates[c][threadIdx.x] = static_cast<float>(coordinate);
  }
  return squares;
}

/// Correlations of the tile with the rows of L⁻¹, and what of Σ |w| ρ is uncertain. `i`: candidate of this thread's
/// lane. All threads call it; ends with a barrier.
__device__ inline void stage_float_correlations(const CandidateView& candidates, const ScreenTask& task,
                                                std::size_t i, VarianceStage& stage) {
  const int lane = threadIdx.x % variance_lanes, group = threadIdx.x / variance_lanes;
  const int columns = task.gp.columns, rows = task.variance.rows;
  const float* const points = task.points;
  const std::size_t stride = task.stride;
  const bool keeps = columns <= variance_columns;
  double squares = 0.0;
  for (int first = 0; first < rows; first += staged_points) {
    float squared[rows_of_thread] = {};
    for (int column = 0; column < columns; column += variance_columns) {
      const int width = min(variance_columns, columns - column);
      __syncthreads();
      if (first == 0 || !keeps) {
        const double added = stage_candidates(candidates, task, i, column, width, stage);
        if (first == 0) squares += added;
      }
      for (int at = threadIdx.x; at < width * staged_points; at += tile_threads) {
        const int c = at / staged_points, row = at % staged_points;
        stage.points[c][row] = points[(column + c) * stride + first + row];
      }
      __syncthreads();
      for (int c = 0; c < width; ++c) {
        const float x = stage.candidates[c][lane];
#pragma unroll
        for (int q = 0; q < rows_of_thread; ++q) {
          const float difference = x - stage.points[c][rows_of_thread * group + q];
          squared[q] = fmaf(difference, difference, squared[q]);
        }
      }
    }
#pragma unroll
    for (int q = 0; q < rows_of_thread; ++q)
      stage.correlations[first + rows_of_thread * group + q][lane] = matern_float(squared[q]);
  }
  if (threadIdx.x < variance_lanes)
    stage.shares[lane] = static_cast<float>(task.margin_share) *
                         float_variance_share(sqrt(squares) + task.scales->radius, static_cast<double>(columns));
  __syncthreads();
}

/// Sums of a thread over the columns of L⁻¹, for its rows and candidates.
struct RowSums {
  float values[rows_of_thread][lanes_of_thread] = {};
  float sizes[rows_of_thread][lanes_of_thread] = {};
};

/// Columns [column, column + staged_inverse_columns) of rows [first, first + variance_pass_rows) of L⁻¹, on their
/// way.
struct InverseEntries {
  float4 values[own_entries / 4];
};

__device__ inline InverseEntries load_inverse(const VarianceScreen& screen, int first, int column) {
  InverseEntries entries;
#pragma unroll
  for (int k = 0; k < own_entries / 4; ++k) {
    const int at = 4 * (threadIdx.x + k * tile_threads);
    entries.values[k] = *reinterpret_cast<const float4*>(
        screen.inverse + (column + at / variance_pass_rows) * screen.stride + first + at % variance_pass_rows);
  }
  return entries;
}

__device__ inline void store_inverse(const InverseEntries& entries, VarianceStage& stage) {
#pragma unroll
  for (int k = 0; k < own_entries / 4; ++k) {
    const int at = 4 * (threadIdx.x + k * tile_threads);
    const float4 own = entries.values[k];
    *reinterpret_cast<float4*>(&stage.inverse.values[0][0] + at) = own;
    *reinterpret_cast<float4*>(&stage.inverse.sizes[0][0] + at) =
        make_float4(fabsf(own.x), fabsf(own.y), fabsf(own.z), fabsf(own.w));
  }
}

/// Adds the staged columns, a stretch of float_rows, to the sums of this thread's rows and candidates.
__device__ inline void add_stretch(const VarianceStage& stage, int column, int pair, int group, RowSums& sums) {
  float part[rows_of_thread][lanes_of_thread] = {};
#pragma unroll
  for (int j = 0; j < staged_inverse_columns; ++j) {
    const float4 values = *reinterpret_cast<const float4*>(&stage.inverse.values[j][rows_of_thread * group]);
    const float4 sizes = *reinterpret_cast<const float4*>(&stage.inverse.sizes[j][rows_of_thread * group]);
    const float2 right = *reinterpret_cast<const float2*>(&stage.correlations[column + j][lanes_of_thread * pair]);
    const float value[rows_of_thread] = {values.x, values.y, values.z, values.w};
    const float size[rows_of_thread] = {sizes.x, sizes.y, sizes.z, sizes.w};
#pragma unroll
    for (int q = 0; q < rows_of_thread; ++q) {
      part[q][0] = fmaf(value[q], right.x, part[q][0]);
      part[q][1] = fmaf(value[q], right.y, part[q][1]);
      sums.sizes[q][0] = fmaf(size[q], right.x, sums.sizes[q][0]);
      sums.sizes[q][1] = fmaf(size[q], right.y, sums.sizes[q][1]);
    }
  }
#pragma unroll
  for (int q = 0; q < rows_of_thread; ++q)
#pragma unroll
    for (int l = 0; l < lanes_of_thread; ++l) sums.values[q][l] += part[q][l];
}

/// Rows [first, first + variance_pass_rows) of v / s. A warp has done when its rows have no more columns. All threads
/// call it; ends with a barrier.
__device__ inline void multiply_rows(const VarianceScreen& screen, int first, VarianceStage& stage, RowSums& sums) {
  constexpr int warp = 32, warp_rows = warp / lane_pairs * rows_of_thread;
  const int pair = threadIdx.x % lane_pairs, group = threadIdx.x / lane_pairs;
  const int end = min(screen.rows, first + variance_pass_rows);
  const int own_end = first + (static_cast<int>(threadIdx.x) / warp + 1) * warp_rows;
  InverseEntries next = load_inverse(screen, first, 0);
  for (int column = 0; column < end; column += staged_inverse_columns) {
    store_inverse(next, stage);
    __syncthreads();
    if (column + staged_inverse_columns < end) next = load_inverse(screen, first, column + staged_inverse_columns);
    if (column < own_end) add_stretch(stage, column, pair, group, sums);
    __syncthreads();
  }
}

/// Of the candidate of this thread's lane, for the first variance_lanes threads. All threads call it; `i`: the lane's
/// candidate.
__device__ inline FloatExplained explained_by(const CandidateView& candidates, const ScreenTask& task, std::size_t i,
                                              VarianceStage& stage) {
  const int pair = threadIdx.x % lane_pairs, group = threadIdx.x / lane_pairs;
  stage_float_correlations(candidates, task, i, stage);
  const VarianceScreen screen = task.variance;  // its members stay in registers across barriers
  float certain[lanes_of_thread] = {}, all[lanes_of_thread] = {};
  for (int first = 0; first < screen.rows; first += variance_pass_rows) {
    RowSums sums;
    multiply_rows(screen, first, stage, sums);
#pragma unroll
    for (int q = 0; q < rows_of_thread; ++q) {
      const FloatVarianceRow row = screen.units[first + rows_of_thread * group + q];
#pragma unroll
      for (int l = 0; l < lanes_of_thread; ++l) {
        const float least =
            certain_part(row, sums.values[q][l], sums.sizes[q][l], stage.shares[lanes_of_thread * pair + l]);
        const float value = row.unit * sums.values[q][l];
        certain[l] = fmaf(least, least, certain[l]);
        all[l] = fmaf(value, value, all[l]);
      }
    }
  }
#pragma unroll
  for (int l = 0; l < lanes_of_thread; ++l) {
    stage.squares.certain[group][lanes_of_thread * pair + l] = certain[l];
    stage.squares.all[group][lanes_of_thread * pair + l] = all[l];
  }
  __syncthreads();
  FloatExplained explained{0.0, 0.0};
  if (threadIdx.x < variance_lanes) {
    for (int g = 0; g < pair_groups; ++g) {
      explained.certain += static_cast<double>(stage.squares.certain[g][threadIdx.x]);
      explained.all += static_cast<double>(stage.squares.all[g][threadIdx.x]);
    }
  }
  __syncthreads();
  return explained;
}

}  // namespace carbo::kernels
