#include "kernels.cuh"

#include <limits>

#include "oscillator.h"

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Best {
  double objective;
  std::int64_t row;
};

struct Greater {
  __device__ double operator()(double a, double b) const { return a > b ? a : b; }
};
struct Sum {
  __device__ double operator()(double a, double b) const { return a + b; }
};
struct Better {
  __device__ Best operator()(Best a, Best b) const {
    return b.objective < a.objective || (b.objective == a.objective && b.row < a.row) ? b : a;
  }
};

/// Combines the values of all threads of a block; every thread gets the result.
template <class T, class Combine>
__device__ T combine_block(T value, Combine combine) {
  __shared__ T values[block_threads];
  values[threadIdx.x] = value;
  for (int half = block_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) values[threadIdx.x] = combine(values[threadIdx.x], values[threadIdx.x + half]);
  }
  __syncthreads();
  const T combined = values[0];
  __syncthreads();  // the next call writes to the same memory
  return combined;
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

__global__ void tally(const std::int64_t* rows, const double* objectives, const double* costs, int count,
                      Totals* totals) {
  double spent = 0;
  Best best{infinity, 0};
  for (int i = static_cast<int>(threadIdx.x); i < count; i += block_threads) {
    spent += costs[i];
    best = Better{}(best, {objectives[i], rows[i]});
  }
  spent = combine_block(spent, Sum{});
  best = combine_block(best, Better{});
  if (threadIdx.x > 0) return;
  if (totals->evaluations == 0 || best.objective < totals->best_objective) {
    totals->best_objective = best.objective;
    totals->best_row = best.row;
  }
  totals->evaluations += count;
  totals->spent += spent;
}

__global__ void block_maxima(const double* scores, std::int64_t count, double* maxima) {
  double greatest = -infinity;
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * block_threads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_threads + threadIdx.x; i < count; i += stride)
    greatest = Greater{}(greatest, scores[i]);
  greatest = combine_block(greatest, Greater{});
  if (threadIdx.x == 0) maxima[blockIdx.x] = greatest;
}

__global__ void count_near_best(const double* scores, std::int64_t count, const double* maxima, double margin,
                                unsigned long long* found) {
  static_assert(score_blocks == block_threads, "every thread takes up the maximum of one block");
  const double greatest = combine_block(maxima[threadIdx.x], Greater{});
  unsigned long long near_best = 0;
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * block_threads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_threads + threadIdx.x; i < count; i += stride)
    near_best += greatest > -infinity && scores[i] >= greatest - margin;
  if (near_best > 0) atomicAdd(found, near_best);
}
