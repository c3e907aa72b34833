#pragma once

#include <cmath>
#include <cstddef>

#include "device/covariance_tile.cuh"
#include "formulas/matern_float.hpp"
#include "launch/screen.cuh"

namespace carbo::kernels {

constexpr double sqrt_5 = 2.23606797749979;

/// A thread has one candidate, whose first columns stay in shared memory as float32; where there are more, they are
/// rounded anew for every `screen_rows` rows.
inline constexpr int screen_threads = 128;
inline constexpr int kept_columns = 24;
/// Rows after which sums in float32 are taken into float64, which is slow on most cards.
inline constexpr int rows_between_takes = 512;
static_assert(rows_between_takes % screen_rows == 0);

struct ScreenStage {
  alignas(16) float points[kept_columns][screen_rows];
  float candidates[kept_columns][screen_threads];
};

/// A coordinate as float32 takes it: scaled, moved by the centre, times √5.
__device__ inline double screened_coordinate(const CandidateView& candidates, const GpView& gp, const double* centre,
                                             std::size_t i, int column) {
  return sqrt_5 * (coordinate(candidates, i, column) * gp.inverse_lengthscales[column] - centre[column]);
}

/// Coordinates [column, column + width) of this thread's candidate; adds their squares.
__device__ inline void keep_columns(const CandidateView& candidates, const ScreenTask& task, std::size_t i,
                                    int column, int width, ScreenStage& stage, double& squares) {
  for (int c = 0; c < width; ++c) {
    const double coordinate = screened_coordinate(candidates, task.gp, task.centre, i, column + c);
    squares = fma(coordinate, coordinate, squares);
    stage.candidates[c][threadIdx.x] = static_cast<float>(coordinate);
  }
}

/// ‖x‖² of this thread's candidate, whose columns stay where they are few enough.
__device__ inline double keep_candidate(const CandidateView& candidates, const ScreenTask& task, std::size_t i,
                                        ScreenStage& stage) {
  double squares = 0.0;
  for (int column = 0; column < task.gp.columns; column += kept_columns)
    keep_columns(candidates, task, i, column, min(kept_columns, task.gp.columns - column), stage, squares);
  return squares;
}

/// squared[q] of `screen_rows` rows; point(column, q) is a coordinate of one in float32. All threads of the block
/// call it; it begins with a barrier.
template <class Point>
__device__ inline void squared_float_distances(const CandidateView& candidates, const ScreenTask& task, std::size_t i,
                                               ScreenStage& stage, const Point& point,
                                               float (&squared)[screen_rows]) {
#pragma unroll
  for (int q = 0; q < screen_rows; ++q) squared[q] = 0.0f;
  for (int column = 0; column < task.gp.columns; column += kept_columns) {
    const int width = min(kept_columns, task.gp.columns - column);
    __syncthreads();
    for (int at = threadIdx.x; at < width * screen_rows; at += screen_threads)
      stage.points[at / screen_rows][at % screen_rows] = point(column + at / screen_rows, at % screen_rows);
    double squares = 0.0;
    if (task.gp.columns > kept_columns) keep_columns(candidates, task, i, column, width, stage, squares);
    __syncthreads();
    for (int c = 0; c < width; ++c) {
      const float x = stage.candidates[c][threadIdx.x];
#pragma unroll
      for (int q = 0; q < screen_rows; ++q) {
        const float difference = x - stage.points[c][q];
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
