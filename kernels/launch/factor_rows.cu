#include <algorithm>

#include "acquisition/proof.hpp"
#include "device/block_sum.cuh"
#include "device/incumbents.cuh"
#include "formulas/matern.hpp"
#include "launch/factor_rows.cuh"

namespace carbo::kernels {
namespace {

constexpr int threads = 256;
constexpr int chunk = 32;  // coordinates of the query in shared memory at once
constexpr int most_blocks = 65535;

/// Squared distance of a scaled row to a query, over the coordinates in order. All threads of the block must call;
/// those without a row only take part in loading.
__device__ double squared_distance(const double* points, std::size_t stride, int row, bool exists,
                                   const double* query, const double* inverse_lengthscales, int columns,
                                   double (&scaled)[chunk]) {
  const int thread = static_cast<int>(threadIdx.x);
  double squared = 0.0;
  for (int first = 0; first < columns; first += chunk) {
    const int width = min(chunk, columns - first);
    __syncthreads();
    if (thread < width) scaled[thread] = query[first + thread] * inverse_lengthscales[first + thread];
    __syncthreads();
    for (int c = 0; exists && c < width; ++c) {
      const double difference = points[static_cast<std::size_t>(first + c) * stride + row] - scaled[c];
      squared += difference * difference;
    }
  }
  return squared;
}

/// Blocks: x over rows, y over tasks.
__global__ void __launch_bounds__(threads)
    row_covariances_kernel(const RowTask* tasks, int count, const double* point) {
  __shared__ double scaled[chunk];
  for (int t = static_cast<int>(blockIdx.y); t < count; t += static_cast<int>(gridDim.y)) {
    const RowTask task = tasks[t];
    for (int first = static_cast<int>(blockIdx.x) * threads; first < task.rows; first += gridDim.x * threads) {
      const int row = first + static_cast<int>(threadIdx.x);
      const double squared = squared_distance(task.points, task.stride, row, row < task.rows, point,
                                              task.inverse_lengthscales, task.columns, scaled);
      if (row < task.rows) task.column[row] = task.signal_variance * matern(squared);
    }
    if (blockIdx.x != 0) continue;
    for (int c = static_cast<int>(threadIdx.x); c < task.columns; c += threads)
      task.points[static_cast<std::size_t>(c) * task.stride + task.rows] = point[c] * task.inverse_lengthscales[c];
  }
}

/// Blocks: x over rows, y over queries.
__global__ void __launch_bounds__(threads)
    query_covariances_kernel(GpView gp, const double* queries, int count, double* out, std::size_t stride) {
  __shared__ double scaled[chunk];
  for (int q = static_cast<int>(blockIdx.y); q < count; q += static_cast<int>(gridDim.y)) {
    const double* query = queries + static_cast<std::size_t>(q) * gp.columns;
    for (int first = static_cast<int>(blockIdx.x) * threads; first < gp.observed; first += gridDim.x * threads) {
      const int row = first + static_cast<int>(threadIdx.x);
      const double squared = squared_distance(gp.points, gp.stride, row, row < gp.observed, query,
                                              gp.inverse_lengthscales, gp.columns, scaled);
      if (row < gp.observed) out[static_cast<std::size_t>(q) * stride + row] = gp.signal_variance * matern(squared);
    }
  }
}

/// One block a task. NaN counts as a pivot that is too small.
__global__ void __launch_bounds__(threads)
    check_pivots_kernel(const PivotTask* tasks, int count, const int* infos, int* works) {
  for (int t = static_cast<int>(blockIdx.x); t < count; t += static_cast<int>(gridDim.x)) {
    const PivotTask task = tasks[t];
    bool failed = infos[t] != 0;
    for (int i = static_cast<int>(threadIdx.x); i < task.rows && !failed; i += threads) {
      const double root = task.lower[static_cast<std::size_t>(i) * task.stride + i];
      failed = !(root * root > task.smallest);
    }
    const int any = __syncthreads_or(failed ? 1 : 0);
    if (threadIdx.x == 0) works[t] = any == 0 ? 1 : 0;
  }
}

struct RowProducts {
  double squared_norm;   ///< l·l
  double with_whitened;  ///< l·w over observed rows
};

/// Writes l into its row of L and gives its products, in all threads of the block.
__device__ RowProducts store_row(const RowTask& task, double (&scratch)[threads]) {
  double squared_norm = 0.0;
  double with_whitened = 0.0;
  for (int i = static_cast<int>(threadIdx.x); i < task.rows; i += threads) {
    const double entry = task.column[i];
    squared_norm += entry * entry;
    if (i < task.observed) with_whitened += entry * task.whitened[i];
    task.lower[static_cast<std::size_t>(i) * task.stride + task.rows] = entry;
  }
  squared_norm = block_sum(squared_norm, scratch);
  return {squared_norm, block_sum(with_whitened, scratch)};
}

__device__ double prior_mean(const RowTask& task) { return task.prior == nullptr ? task.mean : *task.prior; }

__device__ double* new_pivot(const RowTask& task) {
  return task.lower + static_cast<std::size_t>(task.rows) * task.stride + task.rows;
}

__global__ void __launch_bounds__(threads) append_row_kernel(const RowTask* tasks, double* targets, int* works) {
  __shared__ double scratch[threads];
  const RowTask task = *tasks;
  const RowProducts products = store_row(task, scratch);
  if (threadIdx.x != 0) return;
  const double squared = task.own_variance - products.squared_norm;
  const double pivot = sqrt(squared);
  *new_pivot(task) = pivot;
  task.diagonal[task.rows] = task.usual_diagonal;
  task.whitened[task.rows] = -products.with_whitened / pivot;
  targets[task.rows] = prior_mean(task);
  *works = squared > task.least_pivot ? 1 : 0;
}

/// One block a task.
__global__ void __launch_bounds__(threads)
    fantasise_rows_kernel(const RowTask* tasks, int count, const double* normals, double* values) {
  __shared__ double scratch[threads];
  for (int t = static_cast<int>(blockIdx.x); t < count; t += static_cast<int>(gridDim.x)) {
    const RowTask task = tasks[t];
    const RowProducts products = store_row(task, scratch);
    const double own = task.own_variance - products.squared_norm;
    const double squared = floored(own, task.least_pivot);
    const double pivot = sqrt(squared);
    const int fantasised = task.rows - task.observed;
    if (threadIdx.x == 0) {
      *new_pivot(task) = pivot;
      task.pivots[fantasised] = pivot;
      task.diagonal[task.rows] = task.usual_diagonal + (squared - own);
    }
    for (int f = static_cast<int>(threadIdx.x); f < task.fantasies; f += threads) {
      double mean = prior_mean(task) + products.with_whitened;
      for (int s = 0; s < fantasised; ++s)
        mean += task.column[task.observed + s] * task.normals[static_cast<std::size_t>(s) * task.fantasies + f];
      const std::size_t given = static_cast<std::size_t>(t) * task.fantasies + f;
      const std::size_t kept = static_cast<std::size_t>(fantasised) * task.fantasies + f;
      const double value = mean + pivot * normals[given];
      task.normals[kept] = normals[given];
      task.values[kept] = value;
      values[given] = value;
    }
  }
}

/// One block a task.
__global__ void __launch_bounds__(threads)
    finish_responses_kernel(const RowTask* tasks, int count, IncumbentTarget incumbents) {
  __shared__ double scratch[threads];
  if (blockIdx.x == 0 && incumbents.record != nullptr) follow_incumbents(incumbents);
  for (int t = static_cast<int>(blockIdx.x); t < count; t += static_cast<int>(gridDim.x)) {
    const RowTask task = tasks[t];
    double squared = 0.0;
    for (int i = static_cast<int>(threadIdx.x); i < task.rows; i += threads) {
      const double beta = task.column[i];
      squared += beta * beta;
      task.column[i] = task.signal_variance * beta;
    }
    const double norm = sqrt(block_sum(squared, scratch));
    if (threadIdx.x != 0) continue;
    const int fantasised = task.rows - task.observed;
    const double error = response_error(task.signal_variance, task.rows, norm, task.pivots[fantasised]);
    const double before = fantasised == 0 ? 0.0 : task.response_errors[fantasised - 1];
    task.response_errors[fantasised] = before > error ? before : error;
  }
}

unsigned grid(int wanted) { return static_cast<unsigned>(std::min(wanted, most_blocks)); }
unsigned row_blocks(int rows) { return grid(rows / threads + (rows % threads == 0 ? 0 : 1)); }

}  // namespace

cudaError_t launch_check_pivots(cudaStream_t stream, const PivotTask* device_tasks, int tasks, const int* infos,
                                int* works) {
  if (tasks == 0) return cudaSuccess;
  check_pivots_kernel<<<grid(tasks), threads, 0, stream>>>(device_tasks, tasks, infos, works);
  return cudaGetLastError();
}

cudaError_t launch_row_covariances(cudaStream_t stream, const RowTask* device_tasks, int tasks, int most_rows,
                                   const double* point) {
  if (tasks == 0 || most_rows == 0) return cudaSuccess;
  row_covariances_kernel<<<dim3(row_blocks(most_rows), grid(tasks)), threads, 0, stream>>>(device_tasks, tasks,
                                                                                           point);
  return cudaGetLastError();
}

cudaError_t launch_append_row(cudaStream_t stream, const RowTask* device_task, double* targets, int* works) {
  append_row_kernel<<<1, threads, 0, stream>>>(device_task, targets, works);
  return cudaGetLastError();
}

cudaError_t launch_fantasise_rows(cudaStream_t stream, const RowTask* device_tasks, int tasks, const double* normals,
                                  double* values) {
  if (tasks == 0) return cudaSuccess;
  fantasise_rows_kernel<<<grid(tasks), threads, 0, stream>>>(device_tasks, tasks, normals, values);
  return cudaGetLastError();
}

cudaError_t launch_finish_responses(cudaStream_t stream, const RowTask* device_tasks, int tasks,
                                    const IncumbentTarget& incumbents) {
  if (tasks == 0) return cudaSuccess;
  finish_responses_kernel<<<grid(tasks), threads, 0, stream>>>(device_tasks, tasks, incumbents);
  return cudaGetLastError();
}

cudaError_t launch_query_covariances(cudaStream_t stream, const GpView& gp, const double* queries, int count,
                                     double* out, std::size_t stride) {
  if (count == 0 || gp.observed == 0) return cudaSuccess;
  query_covariances_kernel<<<dim3(row_blocks(gp.observed), grid(count)), threads, 0, stream>>>(gp, queries, count,
                                                                                               out, stride);
  return cudaGetLastError();
}

void add_factor_rows_kernels(std::vector<const void*>& kernels) {
  for (const void* kernel :
       {reinterpret_cast<const void*>(row_covariances_kernel),
        reinterpret_cast<const void*>(query_covariances_kernel), reinterpret_cast<const void*>(check_pivots_kernel),
        reinterpret_cast<const void*>(append_row_kernel), reinterpret_cast<const void*>(fantasise_rows_kernel),
        reinterpret_cast<const void*>(finish_responses_kernel)})
    kernels.push_back(kernel);
}

}  // namespace carbo::kernels
