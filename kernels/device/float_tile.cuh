#pragma once

#include <cmath>
#include <cstddef>

#include "device/covariance_tile.cuh"
#include "device/screen_view.hpp"
#include "formulas/float_pair.hpp"
#include "formulas/matern_float.hpp"

namespace carbo::kernels {

constexpr double sqrt_5 = 2.23606797749979;

/// A thread has one candidate, whose first columns stay in shared memory as they are screened by; where there are
/// more, they are rounded anew for every `screen_rows` rows.
inline constexpr int screen_threads = 128;
/// Rows after which sums in float32 are taken into float64, which is slow on most cards.
inline constexpr int rows_between_takes = 512;
static_assert(rows_between_takes % screen_rows == 0);

/// Rows and candidates in shared memory at once, by numbers that are float or FloatPair. A thread has candidate
/// threadIdx.x % Candidates.
template <class Number, int Rows, int Candidates, int Columns = 24>
struct ScreenStage {
  static constexpr int rows = Rows;
  static constexpr int candidates_at_once = Candidates;
  static constexpr int kept_columns = Columns;
  alignas(16) Number points[Columns][Rows];
  Number candidates[Columns][Candidates];
};

__device__ inline void take_coordinate(double coordinate, float& taken) { taken = static_cast<float>(coordinate); }
__device__ inline void take_coordinate(double coordinate, FloatPair& taken) { taken = grid_pair(coordinate); }

__device__ inline void add_square(float x, float p, float& squared) {
  const float difference = x - p;
  squared = fmaf(difference, difference, squared);
}

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
    if (threadIdx.x < Stage::candidates_at_once) take_coordinate(coordinate, stage.candidates[c][threadIdx.x]);
  }
}

/// ‖x‖² of this thread's candidate, whose columns stay where they are few enough.
template <class Stage>
__device__ inline double keep_candidate(const CandidateView& candidates, const ScreenTask& task, std::size_t i,
                                        Stage& stage) {
  double squares = 0.0;
  for (int column = 0; column < task.gp.columns; column += Stage::kept_columns)
    keep_columns(candidates, task, i, column, min(Stage::kept_columns, task.gp.columns - column), stage, squares);
  return squares;
}

/// Largest norm of all rows, fantasised ones included, for every thread of a block of screen_threads; all call it.
__device__ inline double greatest_norm(const ScreenTask& screen, const GpView& gp, double& shared) {
  double radius = screen.scales->radius;
  for (int t = threadIdx.x; t < gp.fantasised; t += screen_threads) {
    double squares = 0.0;
    for (int c = 0; c < gp.columns; ++c) {
      const double coordinate = sqrt_5 * (gp.points[c * gp.stride + gp.observed + t] - screen.centre[c]);
      squares = fma(coordinate, coordinate, squares);
    }
    radius = fmax(radius, sqrt(squares));
  }
  if (threadIdx.x == 0) shared = 0.0;
  __syncthreads();
  // Bits of numbers that are not negative are in the order of these.
  atomicMax(reinterpret_cast<unsigned long long*>(&shared),
            static_cast<unsigned long long>(__double_as_longlong(radius)));
  __syncthreads();
  return shared;
}

/// squared[q] of rows `offset` + q of those that are staged at once; point(column, row) is a coordinate of one of
/// them as the stage has it. They are staged where `fresh`, after a barrier, or where columns are too many to keep.
/// All threads of the block call it.
template <class Stage, class Point, class Squares>
__device__ inline void squared_float_distances(const CandidateView& candidates, const ScreenTask& task, std::size_t i,
                                               int offset, Stage& stage, const Point& point,
                                               Squares (&squared)[screen_rows]) {
#pragma unroll
  for (int q = 0; q < screen_rows; ++q) squared[q] = {};
  for (int column = 0; column < task.gp.columns; column += Stage::kept_columns) {
    const int width = min(Stage::kept_columns, task.gp.columns - column);
    __syncthreads();
    const int row = threadIdx.x % Stage::rows;
#pragma unroll 1
    for (int c = threadIdx.x / Stage::rows; c < width; c += screen_threads / Stage::rows)
      stage.points[c][row] = point(column + c, row);
    double squares = 0.0;
    if (task.gp.columns > Stage::kept_columns) keep_columns(candidates, task, i, column, width, stage, squares);
    __syncthreads();
    for (int c = 0; c < width; ++c) {
      const auto x = stage.candidates[c][threadIdx.x % Stage::candidates_at_once];
#pragma unroll
      for (int q = 0; q < screen_rows; ++q) add_square(x, stage.points[c][offset + q], squared[q]);
    }
  }
}

}  // namespace carbo::kernels
