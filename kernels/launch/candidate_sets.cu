#include <algorithm>
#include <cmath>

#include "device/grid_stride.cuh"
#include "launch/candidate_sets.cuh"

namespace carbo::kernels {
namespace {

constexpr int tile = 32;   // rows and columns that a block turns at once
constexpr int tile_y = 8;  // threads a column of the tile
constexpr int chunk = 32;  // coordinates of points in shared memory at once
constexpr int points_at_once = 8;
constexpr std::size_t most_blocks_x = std::size_t{1} << 30;
constexpr std::size_t most_blocks_y = 65535;

/// Blocks: x over tiles of rows, y over tiles of columns.
__global__ void __launch_bounds__(tile* tile_y)
    by_column_kernel(const double* row_major, std::size_t rows, std::size_t columns, double* target,
                     std::size_t stride) {
  __shared__ double turned[tile][tile + 1];  // one more, so that a column lies in different banks
  for (std::size_t column = blockIdx.y * std::size_t{tile}; column < columns; column += gridDim.y * std::size_t{tile})
    for (std::size_t row = blockIdx.x * std::size_t{tile}; row < rows; row += gridDim.x * std::size_t{tile}) {
      for (int y = static_cast<int>(threadIdx.y); y < tile; y += tile_y)
        if (row + y < rows && column + threadIdx.x < columns)
          turned[y][threadIdx.x] = row_major[(row + y) * columns + column + threadIdx.x];
      __syncthreads();
      for (int y = static_cast<int>(threadIdx.y); y < tile; y += tile_y)
        if (row + threadIdx.x < rows && column + y < columns)
          target[(column + y) * stride + row + threadIdx.x] = turned[threadIdx.x][y];
      __syncthreads();
    }
}

__global__ void __launch_bounds__(stride_threads)
    mark_kernel(std::uint8_t* mask, const std::uint64_t* indices, std::size_t count, std::uint8_t value) {
  for (std::size_t i = first_element(); i < count; i += element_step()) mask[indices[i]] = value;
}

/// A block takes stride_threads candidates at a time, `Points` points at a time, `chunk` coordinates at a time.
template <class Real, int Points>
__global__ void __launch_bounds__(stride_threads)
    nearest_kernel(CandidateView view, const double* points, std::size_t count, bool afresh, double* nearest) {
  __shared__ double coordinates[chunk][Points];
  const std::size_t columns = static_cast<std::size_t>(view.columns);
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * stride_threads;
  for (std::size_t base = static_cast<std::size_t>(blockIdx.x) * stride_threads; base < view.size; base += step) {
    const bool exists = base + threadIdx.x < view.size;
    const std::size_t i = exists ? base + threadIdx.x : base;
    const Real* candidate = static_cast<const Real*>(view.data) + i * view.row_stride;
    double lowest = afresh ? HUGE_VAL : nearest[i];
    for (std::size_t first = 0; first < count; first += Points) {
      double squared[Points] = {};
      for (std::size_t c = 0; c < columns; c += chunk) {
        __syncthreads();
        for (std::size_t e = threadIdx.x; e < chunk * Points; e += stride_threads) {
          const std::size_t k = e / Points, p = e % Points;
          const bool given = first + p < count && c + k < columns;
          coordinates[k][p] = given ? points[(first + p) * columns + c + k] : 0.0;
        }
        __syncthreads();
        const std::size_t width = columns - c < chunk ? columns - c : chunk;
        for (std::size_t k = 0; k < width; ++k) {
          const double x = static_cast<double>(candidate[(c + k) * view.column_stride]);
#pragma unroll
          for (int p = 0; p < Points; ++p) {
            const double difference = x - coordinates[k][p];
            squared[p] += difference * difference;
          }
        }
      }
#pragma unroll
      for (int p = 0; p < Points; ++p)
        if (first + p < count && squared[p] < lowest) lowest = squared[p];
    }
    if (exists) nearest[i] = lowest;
  }
}

/// Neighbouring threads read along the shorter stride.
template <class Real>
__global__ void __launch_bounds__(stride_threads)
    first_outside_cube_kernel(CandidateView view, std::uint64_t* first) {
  const std::size_t columns = static_cast<std::size_t>(view.columns);
  const bool by_row = view.column_stride < view.row_stride;
  const std::size_t inner = by_row ? columns : view.size;
  for (std::size_t e = first_element(); e < view.size * columns; e += element_step()) {
    const std::size_t outer = e / inner;
    const std::size_t row = by_row ? outer : e - outer * inner;
    const std::size_t column = by_row ? e - outer * inner : outer;
    const Real value = static_cast<const Real*>(view.data)[row * view.row_stride + column * view.column_stride];
    if (!(value >= Real{0} && value <= Real{1}))
      atomicMin(reinterpret_cast<unsigned long long*>(first),
                static_cast<unsigned long long>(row * columns + column));
  }
}

template <class Real>
__global__ void __launch_bounds__(stride_threads)
    read_rows_kernel(CandidateView view, const std::uint64_t* rows, std::size_t count, double* target) {
  const std::size_t columns = static_cast<std::size_t>(view.columns);
  for (std::size_t e = first_element(); e < count * columns; e += element_step()) {
    const std::size_t i = e / columns;
    const std::size_t row = rows == nullptr ? i : rows[i];
    target[e] = static_cast<double>(
        static_cast<const Real*>(view.data)[row * view.row_stride + (e - i * columns) * view.column_stride]);
  }
}

/// One value a block.
__global__ void __launch_bounds__(stride_threads)
    largest_kernel(const double* values, std::size_t count, double* largest) {
  __shared__ double shared[stride_threads];
  double mine = -HUGE_VAL;
  for (std::size_t i = first_element(); i < count; i += element_step()) mine = values[i] > mine ? values[i] : mine;
  shared[threadIdx.x] = mine;
  for (unsigned half = stride_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half && shared[threadIdx.x + half] > shared[threadIdx.x])
      shared[threadIdx.x] = shared[threadIdx.x + half];
  }
  if (threadIdx.x == 0) largest[blockIdx.x] = shared[0];
}

unsigned tiles(std::size_t elements, std::size_t most) {
  return static_cast<unsigned>(std::min((elements + tile - 1) / tile, most));
}

template <class Real>
void start_nearest(cudaStream_t stream, const CandidateView& view, const double* points, std::size_t count,
                   bool afresh, double* nearest) {
  const unsigned blocks = stride_blocks(view.size);
  if (count == 1)
    nearest_kernel<Real, 1><<<blocks, stride_threads, 0, stream>>>(view, points, count, afresh, nearest);
  else
    nearest_kernel<Real, points_at_once><<<blocks, stride_threads, 0, stream>>>(view, points, count, afresh, nearest);
}

}  // namespace

cudaError_t launch_by_column(cudaStream_t stream, const double* row_major, std::size_t rows, std::size_t columns,
                             double* target, std::size_t stride) {
  if (rows == 0 || columns == 0) return cudaSuccess;
  const dim3 blocks(tiles(rows, most_blocks_x), tiles(columns, most_blocks_y));
  by_column_kernel<<<blocks, dim3(tile, tile_y), 0, stream>>>(row_major, rows, columns, target, stride);
  return cudaGetLastError();
}

cudaError_t launch_mark(cudaStream_t stream, std::uint8_t* mask, const std::uint64_t* indices, std::size_t count,
                        std::uint8_t value) {
  if (count == 0) return cudaSuccess;
  mark_kernel<<<stride_blocks(count), stride_threads, 0, stream>>>(mask, indices, count, value);
  return cudaGetLastError();
}

cudaError_t launch_nearest(cudaStream_t stream, const CandidateView& candidates, const double* points,
                           std::size_t count, bool afresh, double* nearest) {
  if (candidates.size == 0 || (count == 0 && !afresh)) return cudaSuccess;
  if (candidates.single_precision)
    start_nearest<float>(stream, candidates, points, count, afresh, nearest);
  else
    start_nearest<double>(stream, candidates, points, count, afresh, nearest);
  return cudaGetLastError();
}

cudaError_t launch_first_outside_cube(cudaStream_t stream, const CandidateView& candidates, std::uint64_t* first) {
  const std::size_t elements = candidates.size * static_cast<std::size_t>(candidates.columns);
  if (elements == 0) return cudaSuccess;
  if (candidates.single_precision)
    first_outside_cube_kernel<float><<<stride_blocks(elements), stride_threads, 0, stream>>>(candidates, first);
  else
    first_outside_cube_kernel<double><<<stride_blocks(elements), stride_threads, 0, stream>>>(candidates, first);
  return cudaGetLastError();
}

cudaError_t launch_read_rows(cudaStream_t stream, const CandidateView& candidates, const std::uint64_t* rows,
                             std::size_t count, double* target) {
  const std::size_t elements = count * static_cast<std::size_t>(candidates.columns);
  if (elements == 0) return cudaSuccess;
  const unsigned blocks = stride_blocks(elements);
  if (candidates.single_precision)
    read_rows_kernel<float><<<blocks, stride_threads, 0, stream>>>(candidates, rows, count, target);
  else
    read_rows_kernel<double><<<blocks, stride_threads, 0, stream>>>(candidates, rows, count, target);
  return cudaGetLastError();
}

cudaError_t launch_largest(cudaStream_t stream, const double* values, std::size_t count, double* partials,
                           double* largest) {
  if (count == 0) return cudaSuccess;
  const unsigned blocks = stride_blocks(count, largest_partials);
  largest_kernel<<<blocks, stride_threads, 0, stream>>>(values, count, partials);
  largest_kernel<<<1, stride_threads, 0, stream>>>(partials, blocks, largest);
  return cudaGetLastError();
}

void add_candidate_kernels(std::vector<const void*>& kernels) {
  for (const void* kernel :
       {reinterpret_cast<const void*>(by_column_kernel), reinterpret_cast<const void*>(mark_kernel),
        reinterpret_cast<const void*>(nearest_kernel<float, 1>),
        reinterpret_cast<const void*>(nearest_kernel<float, points_at_once>),
        reinterpret_cast<const void*>(nearest_kernel<double, 1>),
        reinterpret_cast<const void*>(nearest_kernel<double, points_at_once>),
        reinterpret_cast<const void*>(first_outside_cube_kernel<float>),
        reinterpret_cast<const void*>(first_outside_cube_kernel<double>),
        reinterpret_cast<const void*>(read_rows_kernel<float>),
        reinterpret_cast<const void*>(read_rows_kernel<double>), reinterpret_cast<const void*>(largest_kernel)})
    kernels.push_back(kernel);
}

}  // namespace carbo::kernels
