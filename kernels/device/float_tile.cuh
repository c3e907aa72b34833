#pragma once

#include <cmath>
#include <cstddef>

#include "device/covariance_tile.cuh"
#include "device/screen_view.hpp"
#include "formulas/matern_float.hpp"

namespace carbo::kernels {

constexpr double sqrt_5 = 2.23606797749979;

/// A thread has one candidate, whose first columns stay in shared memory as float32; where there are more, they are
/// rounded anew for every `screen_rows` rows.
inline constexpr int screen_threads = 128;
inline constexpr int kept_columns = 24;
/// Rows after which sums in float32 are taken into float64, which is slow on most cards.
inline constexpr int rows_between_takes = 512;
static_assert(rows_between_takes % screen_rows == 0);

/// Rows and candidates in shared memory at once. A thread has candidate threadIdx.x % Candidates.
template <int Rows, int Candidates>
struct ScreenStage {
  static constexpr int rows = Rows;
  static constexpr int candidates_at_once = Candidates;
  alignas(16) float points[kept_columns][Rows];
  float candidates[kept_columns][Candidates];
};

/// A coordinate as float32 takes it: scaled, moved by the centre, times √5.
__device__ inline double screened_coordinate(const CandidateView& candidates, const GpView& gp, const double* centre,
                                             std::size_t i, int column) {
  return sqrt_5 * (coordinate(candidates, i, column) * gp.inverse_lengthscales[column] - centre[column]);
}

/// Coordinates [column, column + width) of this thread's candidate; adds their squares.
template <class Stage>
__device__ inline void keep_columns(const CandidateView& candidates, const ScreenTask& task, std::size_t i,
                                    int column, int width, Stage& stage, double& squares) {
#pragma unroll 1
  for (int c = 0; c < width; ++c) {
    const double coordinate = screened_coordinate(candidates, task.gp, task.centre, i, column + c);
    squares = fma(coordinate, coordinate, squares);
    if (threadIdx.x < Stage::candidates_at_once) stage.candidates[c][threadIdx.x] = static_cast<float>(coordinate);
  }
}

/// ‖x‖² of this thread's candidate, whose columns stay where they are few enough.
template <class Stage>
__device__ inline double keep_candidate(const CandidateView& candidates, const ScreenTask& task, std::size_t i,
                                        Stage& stage) {
  double squares = 0.0;
  for (int column = 0; column < task.gp.columns; column += kept_columns)
    keep_columns(candidates, task, i, column, min(kept_columns, task.gp.columns - column), stage, squares);
  return squares;
}

/// squared[q] of rows `offset` + q of those that are staged at once; point(column, row) is a coordinate of one of
/// them in float32. They are staged where `fresh`, after a barrier, or where columns are too many to keep. All
/// threads of the block call it.
template <class Stage, class Point>
__device__ inline void squared_float_distances(const CandidateView& candidates, const ScreenTask& task, std::size_t i,
                                               int offset, Stage& stage, const Point& point,
                                               float (&squared)[screen_rows]) {
#pragma unroll
  for (int q = 0; q < screen_rows; ++q) squared[q] = 0.0f;
  for (int column = 0; column < task.gp.columns; column += kept_columns) {
    const int width = min(kept_columns, task.gp.columns - column);
    __syncthreads();
    const int row = threadIdx.x % Stage::rows;
#pragma unroll 1
    for (int c = threadIdx.x / Stage::rows; c < width; c += screen_threads / Stage::rows)
      stage.points[c][row] = point(column + c, row);
    double squares = 0.0;
    if (task.gp.columns > kept_columns) keep_columns(candidates, task, i, column, width, stage, squares);
    __syncthreads();
    for (int c = 0; c < width; ++c) {
      const float x = stage.candidates[c][threadIdx.x % Stage::candidates_at_once];
#pragma unroll
      for (int q = 0; q < screen_rows; ++q) {
        const float difference = x - stage.points[c][offset + q];
        squared[q] = fmaf(difference, difference, squared[q]);
      }
    }
  }
}

/// A sum of parts in float32 as two numbers: what adding a part rounds off is kept.
struct FloatPair {
  float high = 0.0f;
  float low = 0.0f;

  __device__ inline void add(float part) {
    const float sum = high + part;
    const float taken = sum - high;
    low += (high - (sum - taken)) + (part - taken);
    high = sum;
  }
  __device__ inline double take() {
    const double sum = static_cast<double>(high) + static_cast<double>(low);
    high = low = 0.0f;
    return sum;
  }
};

}  // namespace carbo::kernels
