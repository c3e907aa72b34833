#include <algorithm>
#include <cstdint>

#include "device/block_sum.cuh"
#include "formulas/variance_floor.hpp"
#include "launch/factor_reads.cuh"

namespace carbo::kernels {
namespace {

constexpr int threads = 256;
constexpr int most_blocks = 65535;

/// One block a query.
__global__ void __launch_bounds__(threads)
    query_posterior_kernel(GpView gp, const double* prior, const double* whitened, const double* solved,
                           std::size_t stride, int count, double* mean, double* variance) {
  __shared__ double scratch[threads];
  const double floor = variance_floor(gp.signal_variance, gp.observed);
  for (int q = static_cast<int>(blockIdx.x); q < count; q += static_cast<int>(gridDim.x)) {
    const double* column = solved + static_cast<std::size_t>(q) * stride;
    double with_whitened = 0.0;
    double explained = 0.0;
    for (int i = static_cast<int>(threadIdx.x); i < gp.observed; i += threads) {
      with_whitened += column[i] * whitened[i];
      explained += column[i] * column[i];
    }
    with_whitened = block_sum(with_whitened, scratch);
    explained = block_sum(explained, scratch);
    if (threadIdx.x != 0) continue;
    mean[q] = (prior == nullptr ? gp.mean : prior[q]) + with_whitened;
    variance[q] = floored(gp.signal_variance - explained, floor);
  }
}

__global__ void __launch_bounds__(threads)
    whitened_columns_kernel(FittedRows rows, double* columns, std::size_t stride) {
  const std::int64_t elements = static_cast<std::int64_t>(rows.rows) * rows.fantasies;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * threads;
  for (std::int64_t e = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x; e < elements; e += step) {
    const std::int64_t fantasy = e / rows.rows;
    const std::int64_t row = e - fantasy * rows.rows;
    const std::int64_t point = row - rows.observed;
    columns[static_cast<std::size_t>(fantasy) * stride + row] =
        point < 0 ? rows.whitened[row] : rows.normals[point * rows.fantasies + fantasy];
  }
}

/// One block a fantasy. A mean that is NaN is passed over.
__global__ void __launch_bounds__(threads)
    lowest_means_kernel(FittedRows rows, const double* weights, std::size_t stride, double* lowest) {
  __shared__ double scratch[threads];
  const int thread = static_cast<int>(threadIdx.x);
  for (int f = static_cast<int>(blockIdx.x); f < rows.fantasies; f += static_cast<int>(gridDim.x)) {
    const double* column = weights + static_cast<std::size_t>(f) * stride;
    double least = INFINITY;
    for (int i = thread; i < rows.rows; i += threads) {
      const std::int64_t point = i - rows.observed;
      const double target = point < 0 ? rows.targets[i] : rows.values[point * rows.fantasies + f];
      const double mean = target - rows.diagonal[i] * column[i];
      least = mean < least ? mean : least;
    }
    scratch[thread] = least;
    __syncthreads();
    for (int half = threads / 2; half > 0; half /= 2) {
      if (thread < half) scratch[thread] = fmin(scratch[thread], scratch[thread + half]);
      __syncthreads();
    }
    if (thread == 0) lowest[f] = scratch[0];
    __syncthreads();
  }
}

__global__ void __launch_bounds__(threads) identity_kernel(double* matrix, int rows, int columns) {
  const std::int64_t elements = static_cast<std::int64_t>(rows) * columns;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * threads;
  for (std::int64_t e = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x; e < elements; e += step)
    matrix[e] = e % (static_cast<std::int64_t>(rows) + 1) == 0 ? 1.0 : 0.0;
}

/// One block a column. Entry (j, j) of K⁻¹ is the squared norm of column j of L⁻¹.
__global__ void __launch_bounds__(threads)
    leave_one_out_kernel(const double* inverse, int rows, int first, int count, const double* targets,
                         const double* weights, double* mean, double* variance) {
  __shared__ double scratch[threads];
  for (int c = static_cast<int>(blockIdx.x); c < count; c += static_cast<int>(gridDim.x)) {
    const double* column = inverse + static_cast<std::size_t>(c) * rows;
    double squared = 0.0;
    for (int i = c + static_cast<int>(threadIdx.x); i < rows; i += threads) squared += column[i] * column[i];
    const double precision = block_sum(squared, scratch);
    if (threadIdx.x != 0) continue;
    mean[first + c] = targets[first + c] - weights[first + c] / precision;
    variance[first + c] = 1.0 / precision;
  }
}

unsigned grid(std::int64_t wanted) { return static_cast<unsigned>(std::min<std::int64_t>(wanted, most_blocks)); }
unsigned element_blocks(int rows, int columns) {
  return grid((static_cast<std::int64_t>(rows) * columns + threads - 1) / threads);
}

}  // namespace

cudaError_t launch_query_posterior(cudaStream_t stream, const GpView& gp, const double* prior, const double* whitened,
                                   const double* solved, std::size_t stride, int count, double* mean,
                                   double* variance) {
  if (count == 0) return cudaSuccess;
  query_posterior_kernel<<<grid(count), threads, 0, stream>>>(gp, prior, whitened, solved, stride, count, mean,
                                                              variance);
  return cudaGetLastError();
}

cudaError_t launch_whitened_columns(cudaStream_t stream, const FittedRows& rows, double* columns,
                                    std::size_t stride) {
  if (rows.rows == 0) return cudaSuccess;
  whitened_columns_kernel<<<element_blocks(rows.rows, rows.fantasies), threads, 0, stream>>>(rows, columns, stride);
  return cudaGetLastError();
}

cudaError_t launch_lowest_means(cudaStream_t stream, const FittedRows& rows, const double* weights,
                                std::size_t stride, double* lowest) {
  lowest_means_kernel<<<grid(rows.fantasies), threads, 0, stream>>>(rows, weights, stride, lowest);
  return cudaGetLastError();
}

cudaError_t launch_identity(cudaStream_t stream, double* matrix, int rows, int columns) {
  if (rows == 0 || columns == 0) return cudaSuccess;
  identity_kernel<<<element_blocks(rows, columns), threads, 0, stream>>>(matrix, rows, columns);
  return cudaGetLastError();
}

cudaError_t launch_leave_one_out(cudaStream_t stream, const double* inverse, int rows, int first, int count,
                                 const double* targets, const double* weights, double* mean, double* variance) {
  if (count == 0) return cudaSuccess;
  leave_one_out_kernel<<<grid(count), threads, 0, stream>>>(inverse, rows, first, count, targets, weights, mean,
                                                            variance);
  return cudaGetLastError();
}

void add_factor_reads_kernels(std::vector<const void*>& kernels) {
  for (const void* kernel :
       {reinterpret_cast<const void*>(query_posterior_kernel), reinterpret_cast<const void*>(whitened_columns_kernel),
        reinterpret_cast<const void*>(lowest_means_kernel), reinterpret_cast<const void*>(identity_kernel),
        reinterpret_cast<const void*>(leave_one_out_kernel)})
    kernels.push_back(kernel);
}

}  // namespace carbo::kernels
