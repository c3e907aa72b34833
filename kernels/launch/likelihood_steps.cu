#include <algorithm>
#include <cstdint>

#include "device/block_sum.cuh"
#include "device/grid_stride.cuh"
#include "device/point_tile.cuh"
#include "formulas/matern.hpp"
#include "launch/likelihood_steps.cuh"

namespace carbo::kernels {
namespace {

constexpr int threads = stride_threads;
constexpr int warp = 32;
constexpr int threads_y = 4;
/// Blocks of gradient_kernel a multiprocessor: where nothing is asked for, ptxas may aim at more and spill registers.
constexpr int resident_blocks = 4;
constexpr int entries = point_tile / threads_y;  // of a tile, a thread
constexpr std::int64_t most_blocks_x = std::int64_t{1} << 30;
constexpr int most_blocks_y = 65535;

static_assert(point_tile == warp, "a row of threads is a warp");

/// Sum over the warp in lane 0, always in the same order.
__device__ double warp_sum(double value) {
  for (int step = warp / 2; step > 0; step /= 2) value += __shfl_down_sync(0xffffffffu, value, step);
  return value;
}

__global__ void __launch_bounds__(threads) right_sides_kernel(const LikelihoodTask* tasks, int count) {
  for (int t = static_cast<int>(blockIdx.y); t < count; t += static_cast<int>(gridDim.y)) {
    const LikelihoodTask& task = tasks[t];
    const auto rows = static_cast<std::size_t>(task.rows);
    for (std::size_t e = first_element(); e < rows * (rows + 2); e += element_step()) {
      const std::size_t column = e / rows;
      const std::size_t row = e - column * rows;
      double value = row + 2 == column ? 1.0 : 0.0;
      if (column == 0) value = 1.0;
      if (column == 1) value = task.targets[row] - task.mean;
      task.solved[column * task.stride + row] = value;
    }
  }
}

/// Whether potrf succeeded and no pivot is made of rounding; the same in every thread of the block.
__device__ bool factor_usable(const LikelihoodTask& task) {
  bool usable = *task.info == 0;
  for (int i = static_cast<int>(threadIdx.x); i < task.rows; i += threads) {
    const double pivot = task.factor[static_cast<std::size_t>(i) * (task.stride + 1)];
    usable = usable && pivot * pivot > task.smallest_pivot;
  }
  return __syncthreads_and(usable) != 0;
}

/// One block a task.
__device__ void whiten(const LikelihoodTask& task, double (&scratch)[threads]) {
  const int thread = static_cast<int>(threadIdx.x);
  if (!factor_usable(task)) {
    if (thread == 0) task.results[LikelihoodResult::usable] = 0.0;
    return;
  }
  const double* ones = task.solved;
  double* whitened = task.solved + task.stride;
  double mean = task.mean;
  double correction = 0;  // to the mean that the right-hand side had
  if (!task.mean_given) {
    double product = 0;
    double norm = 0;
    for (int i = thread; i < task.rows; i += threads) {
      product += ones[i] * whitened[i];
      norm += ones[i] * ones[i];
    }
    product = block_sum(product, scratch);
    norm = block_sum(norm, scratch);
    correction = product / norm;
    mean += correction;
  }
  double squared = 0;
  double logs = 0;
  for (int i = thread; i < task.rows; i += threads) {
    const double w = whitened[i] - correction * ones[i];
    whitened[i] = w;
    squared += w * w;
    logs += log(task.factor[static_cast<std::size_t>(i) * (task.stride + 1)]);
  }
  squared = block_sum(squared, scratch);
  logs = block_sum(logs, scratch);
  if (thread > 0) return;
  task.results[LikelihoodResult::usable] = 1.0;
  task.results[LikelihoodResult::mean] = mean;
  task.results[LikelihoodResult::log_pivots] = logs;
  task.results[LikelihoodResult::squared_norm] = squared;
}

__global__ void __launch_bounds__(threads) whiten_kernel(const LikelihoodTask* tasks, int count) {
  __shared__ double scratch[threads];
  for (int t = static_cast<int>(blockIdx.x); t < count; t += static_cast<int>(gridDim.x)) whiten(tasks[t], scratch);
}

struct GradientShared {
  TileCoordinates coordinates;
  double by_warp[threads_y][point_chunk];
};

/// Adds what the warps left for sums [first, first + count) of a tile, in order, and writes it. Begins with a
/// barrier.
__device__ void write_partials(const LikelihoodTask& task, std::int64_t tiles, std::int64_t number, int first,
                               int count, const GradientShared& shared) {
  __syncthreads();
  const int k = static_cast<int>(threadIdx.x);
  if (threadIdx.y != 0 || k >= count) return;
  double total = 0;
#pragma unroll
  for (int w = 0; w < threads_y; ++w) total += shared.by_warp[w][k];
  task.partials[static_cast<std::int64_t>(first + k) * tiles + number] = total;
}

/// Weights W · slope of the thread's entries, 0 where there is no entry below the diagonal; sums of the tile for the
/// signal and the trace in shared memory.
__device__ void weigh_entries(const LikelihoodTask& task, std::int64_t row, std::int64_t first_column,
                              double (&squared)[entries], GradientShared& shared) {
  const double* alpha = task.factor;
  const double* inverse = task.factor + task.stride;
  const double own = row < task.rows ? alpha[row] : 0.0;
  double signal = 0;
  double trace = 0;
#pragma unroll
  for (int p = 0; p < entries; ++p) {
    const std::int64_t column = first_column + threadIdx.y + p * threads_y;
    double weight = 0;
    if (row < task.rows && column <= row) {
      const double w = own * alpha[column] - inverse[static_cast<std::size_t>(column) * task.stride + row];
      if (column == row)
        trace += w;
      else
        weight = w;
    }
    const MaternWithSlope k = matern_with_slope(squared[p]);
    signal += weight * k.value;
    squared[p] = weight * k.slope;
  }
  signal = warp_sum(signal);
  trace = warp_sum(trace);
  if (threadIdx.x == 0) {
    shared.by_warp[threadIdx.y][0] = signal;
    shared.by_warp[threadIdx.y][1] = trace;
  }
}

/// All sums of one tile. Coordinates pass through shared memory twice: for the distances, then for the sums.
__device__ void sum_tile(const LikelihoodTask& task, std::int64_t tiles, std::int64_t number,
                         GradientShared& shared) {
  const TrianglePlace place = triangle_place(number);
  const std::int64_t first_row = place.row * point_tile;
  const std::int64_t first_column = place.column * point_tile;
  const ScaledPoints points{task.points, task.stride, task.rows, task.columns};
  double weights[entries];
  squared_distances<threads_y>(points, first_row, first_column, shared.coordinates, weights);
  weigh_entries(task, first_row + threadIdx.x, first_column, weights, shared);
  write_partials(task, tiles, number, task.columns, 2, shared);
  for (int first = 0; first < task.columns; first += point_chunk) {
    load_coordinates<threads_y>(points, first_row, first_column, first, shared.coordinates);
    const int count = min(point_chunk, task.columns - first);
    for (int k = 0; k < count; ++k) {
      const double mine = shared.coordinates.rows[k][threadIdx.x];
      double sum = 0;
#pragma unroll
      for (int p = 0; p < entries; ++p) {
        const double difference = mine - shared.coordinates.columns[k][static_cast<int>(threadIdx.y) + p * threads_y];
        sum += weights[p] * (difference * difference);
      }
      sum = warp_sum(sum);
      if (threadIdx.x == 0) shared.by_warp[threadIdx.y][k] = sum;
    }
    write_partials(task, tiles, number, first, count, shared);
  }
  __syncthreads();
}

/// Blocks: x over tiles of the triangle, y over tasks.
__global__ void __launch_bounds__(point_tile* threads_y, resident_blocks)
    gradient_kernel(const LikelihoodTask* tasks, int count) {
  __shared__ GradientShared shared;
  for (int t = static_cast<int>(blockIdx.y); t < count; t += static_cast<int>(gridDim.y)) {
    const LikelihoodTask& task = tasks[t];
    if (task.results[LikelihoodResult::usable] == 0.0) continue;
    const std::int64_t tiles = point_tiles(task.rows);
    for (std::int64_t number = blockIdx.x; number < tiles; number += gridDim.x) sum_tile(task, tiles, number, shared);
  }
}

/// This thread's part of the trace of W with every row divided by its count; 0 where there are none.
__device__ double noise_trace(const LikelihoodTask& task) {
  if (task.counts == nullptr) return 0;
  const double* alpha = task.factor;
  const double* inverse = task.factor + task.stride;
  double total = 0;
  for (int i = static_cast<int>(threadIdx.x); i < task.rows; i += threads)
    total += (alpha[i] * alpha[i] - inverse[static_cast<std::size_t>(i) * (task.stride + 1)]) / task.counts[i];
  return total;
}

/// Blocks: x over sums, y over tasks.
__global__ void __launch_bounds__(threads) gradient_sums_kernel(const LikelihoodTask* tasks, int count) {
  __shared__ double scratch[threads];
  for (int t = static_cast<int>(blockIdx.y); t < count; t += static_cast<int>(gridDim.y)) {
    const LikelihoodTask& task = tasks[t];
    if (task.results[LikelihoodResult::usable] == 0.0) continue;
    const std::int64_t tiles = point_tiles(task.rows);
    const int tile_sums = task.columns + 2;
    for (int s = static_cast<int>(blockIdx.x); s <= tile_sums; s += static_cast<int>(gridDim.x)) {
      double total = s < tile_sums ? 0 : noise_trace(task);
      for (std::int64_t number = threadIdx.x; s < tile_sums && number < tiles; number += threads)
        total += task.partials[s * tiles + number];
      total = block_sum(total, scratch);
      if (threadIdx.x == 0) task.results[LikelihoodResult::sums + s] = total;
    }
  }
}

unsigned blocks_x(std::int64_t wanted) { return static_cast<unsigned>(std::min(wanted, most_blocks_x)); }
unsigned blocks_y(int wanted) { return static_cast<unsigned>(std::min(wanted, most_blocks_y)); }

}  // namespace

std::size_t likelihood_tiles(int rows) { return static_cast<std::size_t>(point_tiles(rows)); }

cudaError_t launch_right_sides(cudaStream_t stream, const LikelihoodTask* device_tasks, int tasks, int most_rows) {
  if (tasks == 0 || most_rows == 0) return cudaSuccess;
  const auto rows = static_cast<std::size_t>(most_rows);
  right_sides_kernel<<<dim3(stride_blocks(rows * (rows + 2)), blocks_y(tasks)), threads, 0, stream>>>(device_tasks,
                                                                                                      tasks);
  return cudaGetLastError();
}

cudaError_t launch_whiten(cudaStream_t stream, const LikelihoodTask* device_tasks, int tasks) {
  if (tasks == 0) return cudaSuccess;
  whiten_kernel<<<blocks_x(tasks), threads, 0, stream>>>(device_tasks, tasks);
  return cudaGetLastError();
}

cudaError_t launch_gradient(cudaStream_t stream, const LikelihoodTask* device_tasks, int tasks, int most_rows) {
  if (tasks == 0 || most_rows == 0) return cudaSuccess;
  gradient_kernel<<<dim3(blocks_x(point_tiles(most_rows)), blocks_y(tasks)), dim3(point_tile, threads_y), 0,
                    stream>>>(device_tasks, tasks);
  return cudaGetLastError();
}

cudaError_t launch_gradient_sums(cudaStream_t stream, const LikelihoodTask* device_tasks, int tasks,
                                 int most_columns) {
  if (tasks == 0) return cudaSuccess;
  const auto most_sums = static_cast<std::int64_t>(likelihood_sums(most_columns)) + 1;
  gradient_sums_kernel<<<dim3(blocks_x(most_sums), blocks_y(tasks)), threads, 0, stream>>>(device_tasks, tasks);
  return cudaGetLastError();
}

void add_likelihood_step_kernels(std::vector<const void*>& kernels) {
  for (const void* kernel :
       {reinterpret_cast<const void*>(right_sides_kernel), reinterpret_cast<const void*>(whiten_kernel),
        reinterpret_cast<const void*>(gradient_kernel), reinterpret_cast<const void*>(gradient_sums_kernel)})
    kernels.push_back(kernel);
}

}  // namespace carbo::kernels
