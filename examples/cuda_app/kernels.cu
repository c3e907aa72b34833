#include "kernels.cuh"

#include <limits>

#include "oscillator.h"

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The greatest value of all threads of a block; every thread gets it.
__device__ double block_greatest(double value) {
  __shared__ double values[block_threads];
  values[threadIdx.x] = value;
  for (int half = block_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) values[threadIdx.x] = fmax(values[threadIdx.x], values[threadIdx.x + half]);
  }
  __syncthreads();
  return values[0];
}

}  // namespace

__global__ void fill_library(float* rows, std::int64_t count) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= count) return;
  for (int column = 0; column < oscillator_parameters; ++column)
    rows[row * oscillator_parameters + column] = library_value(row, column);
}

__global__ void spread_rows(std::int64_t library_size, int count, std::int64_t* rows) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) rows[i] = library_size * (2 * i + 1) / (2 * count);
}

__global__ void evaluate(const float* library, const std::int64_t* rows, int count, double* objectives,
                         double* costs) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  const float* row = library + rows[i] * oscillator_parameters;
  const double x[oscillator_parameters] = {row[0], row[1], row[2], row[3], row[4]};
  const oscillator_result result = oscillator_run(x);
  objectives[i] = result.objective;
  costs[i] = static_cast<double>(result.steps);
}

__global__ void block_maxima(const double* scores, std::int64_t count, double* maxima) {
  double greatest = -infinity;
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * block_threads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_threads + threadIdx.x; i < count; i += stride)
    greatest = fmax(greatest, scores[i]);
  greatest = block_greatest(greatest);
  if (threadIdx.x == 0) maxima[blockIdx.x] = greatest;
}

__global__ void count_near_best(const double* scores, std::int64_t count, const double* maxima, double margin,
                                unsigned long long* found) {
  static_assert(score_blocks == block_threads, "every thread takes up the maximum of one block");
  const double greatest = block_greatest(maxima[threadIdx.x]);
  unsigned long long near_best = 0;
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * block_threads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_threads + threadIdx.x; i < count; i += stride)
    near_best += greatest > -infinity && scores[i] >= greatest - margin;
  if (near_best > 0) atomicAdd(found, near_best);
}
