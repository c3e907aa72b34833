#include "launch/screen_pairs.cuh"

#include "device/float_tile.cuh"
#include "device/grid_stride.cuh"
#include "device/screen_margin.cuh"
#include "device/task_walk.cuh"
#include "formulas/matern_pair.hpp"

namespace carbo::kernels {
namespace {

/// Columns that stay in shared memory, which leaves room for four blocks of threads on every architecture.
constexpr int kept_pair_columns = 12;
constexpr int pair_residents = 4;
static_assert(pair_rows % screen_rows == 0);

struct PairStage {
  ScreenStage<FloatPair, screen_rows, screen_threads, kept_pair_columns> rows;
  alignas(16) FloatPair weights[screen_rows];
  alignas(16) float sizes[screen_rows];  // of the weights
  FloatPair powers[pair_powers];
};

__device__ inline void screen_pair_mean(const CandidateView& candidates, const ScreenTask& task, std::size_t i,
                                        PairStage& stage) {
  const bool inside = i < candidates.size;
  const std::size_t own = inside ? i : candidates.size - 1;
  const double squares = keep_candidate(candidates, task, own, stage.rows);
  double sum = 0.0, absolute = 0.0;
  FloatPair part{};
  float sizes = 0.0f;
  const int rows = static_cast<int>(task.stride);
  for (int first = task.first_row; first < rows; first += screen_rows) {
    __syncthreads();
    if (threadIdx.x < screen_rows) {
      const FloatPair weight = task.pair_weights[first + threadIdx.x];
      stage.weights[threadIdx.x] = weight;
      stage.sizes[threadIdx.x] = fabsf(weight.high);
    }
    PairedSquares squared[screen_rows];
    squared_float_distances(
        candidates, task, own, 0, stage.rows,
        [&](int column, int row) { return task.pair_points[column * task.stride + first + row]; }, squared);
#pragma unroll
    for (int q = 0; q < screen_rows; ++q) {
      const FloatPair correlation = matern_pair(squared[q], stage.powers);
      add_product(stage.weights[q], correlation, part);
      sizes = fmaf(stage.sizes[q], correlation.high, sizes);
    }
    if ((first + screen_rows) % pair_rows != 0 && first + screen_rows < rows) continue;
    sum += taken(part);
    absolute += static_cast<double>(sizes);
    sizes = 0.0f;
  }
  if (inside) bound_mean(task, in_pairs, i, squares, sum, absolute);
}

__global__ void __launch_bounds__(screen_threads, pair_residents)
    screen_pairs(CandidateView candidates, const ScreenTask* tasks, int task_count, std::size_t begin,
                 std::size_t end) {
  __shared__ PairStage stage;
  if (threadIdx.x < pair_powers) stage.powers[threadIdx.x] = power_pair(static_cast<int>(threadIdx.x));
  walk_tasks<screen_threads>(
      task_count, begin, end, [&](int t) { return *tasks[t].chosen == in_pairs; },
      [&](int t, std::size_t i) { screen_pair_mean(candidates, tasks[t], i, stage); });
}

}  // namespace

cudaError_t launch_pair_screens(cudaStream_t stream, const CandidateView& candidates, const ScreenTask* tasks,
                                int task_count, std::size_t begin, std::size_t end) {
  screen_pairs<<<stride_blocks(end - begin, most_stride_blocks, screen_threads), screen_threads, 0, stream>>>(
      candidates, tasks, task_count, begin, end);
  return cudaGetLastError();
}

void add_pair_screen_kernels(std::vector<const void*>& kernels) {
  kernels.push_back(reinterpret_cast<const void*>(screen_pairs));
}

}  // namespace carbo::kernels
