#include <algorithm>
#include <cstdint>

#include "device/grid_stride.cuh"
#include "device/point_tile.cuh"
#include "formulas/matern.hpp"
#include "launch/gram.cuh"

namespace carbo::kernels {
namespace {

constexpr int threads_y = 8;
/// Blocks of gram_kernel a multiprocessor: where nothing is asked for, ptxas aims at more of them and spills
/// registers.
constexpr int resident_blocks = 4;
constexpr std::int64_t most_blocks_x = std::int64_t{1} << 30;
constexpr int most_blocks_y = 65535;

__device__ double diagonal_element(const GramTask& task, std::int64_t row) {
  const double noise = task.counts == nullptr ? task.noise_variance : task.noise_variance / task.counts[row];
  return task.signal_variance + (noise + task.jitter);
}

__device__ void build_tile(const GramTask& task, TrianglePlace place, TileCoordinates& shared) {
  const std::int64_t first_column = place.column * point_tile;
  double squared[point_tile / threads_y];
  squared_distances<threads_y>({task.points, task.point_stride, task.rows, task.columns}, place.row * point_tile,
                               first_column, shared, squared);
  const std::int64_t row = place.row * point_tile + threadIdx.x;
#pragma unroll
  for (int p = 0; p < point_tile / threads_y; ++p) {
    const std::int64_t column = first_column + threadIdx.y + p * threads_y;
    if (row >= task.rows || column > row) continue;
    task.matrix[static_cast<std::size_t>(column) * task.matrix_stride + static_cast<std::size_t>(row)] =
        row == column ? diagonal_element(task, row) : task.signal_variance * matern(squared[p]);
  }
}

/// Blocks: x over tiles of the triangle, y over tasks.
__global__ void __launch_bounds__(point_tile* threads_y, resident_blocks)
    gram_kernel(const GramTask* tasks, int count) {
  __shared__ TileCoordinates shared;
  for (int t = static_cast<int>(blockIdx.y); t < count; t += static_cast<int>(gridDim.y)) {
    const GramTask task = tasks[t];
    const std::int64_t tiles = point_tiles(task.rows);
    for (std::int64_t number = blockIdx.x; number < tiles; number += gridDim.x)
      build_tile(task, triangle_place(number), shared);
  }
}

__device__ void scale_elements(const ScaleTask& task) {
  const auto rows = static_cast<std::size_t>(task.rows);
  const auto columns = static_cast<std::size_t>(task.columns);
  for (std::size_t e = first_element(); e < rows * columns; e += element_step()) {
    const std::size_t column = e / rows;
    const std::size_t row = e - column * rows;
    task.scaled[column * task.stride + row] =
        task.row_major[row * columns + column] * task.inverse_lengthscales[column];
  }
}

__global__ void __launch_bounds__(stride_threads) scale_tasks_kernel(const ScaleTask* tasks, int count) {
  for (int t = static_cast<int>(blockIdx.y); t < count; t += static_cast<int>(gridDim.y)) scale_elements(tasks[t]);
}

unsigned blocks_x(std::int64_t wanted) { return static_cast<unsigned>(std::min(wanted, most_blocks_x)); }
unsigned blocks_y(int wanted) { return static_cast<unsigned>(std::min(wanted, most_blocks_y)); }

}  // namespace

cudaError_t launch_gram(cudaStream_t stream, const GramTask* device_tasks, int tasks, int most_rows) {
  if (tasks == 0 || most_rows == 0) return cudaSuccess;
  const std::int64_t tiles = point_tiles(most_rows);
  gram_kernel<<<dim3(blocks_x(tiles), blocks_y(tasks)), dim3(point_tile, threads_y), 0, stream>>>(device_tasks,
                                                                                                  tasks);
  return cudaGetLastError();
}

cudaError_t launch_scale_tasks(cudaStream_t stream, const ScaleTask* device_tasks, int tasks,
                               std::size_t most_elements) {
  if (tasks == 0 || most_elements == 0) return cudaSuccess;
  scale_tasks_kernel<<<dim3(stride_blocks(most_elements), blocks_y(tasks)), stride_threads, 0, stream>>>(device_tasks,
                                                                                                         tasks);
  return cudaGetLastError();
}

void add_gram_kernels(std::vector<const void*>& kernels) {
  for (const void* kernel :
       {reinterpret_cast<const void*>(gram_kernel), reinterpret_cast<const void*>(scale_tasks_kernel)})
    kernels.push_back(kernel);
}

}  // namespace carbo::kernels
