#include "launch/posterior.cuh"

#include "device/covariance_tile.cuh"
#include "device/grid_stride.cuh"
#include "device/task_walk.cuh"

namespace carbo::kernels {
namespace {

/// In the pass over all rows a thread has one candidate, and as many rows of the GP at a time.
constexpr int pass_threads = 128;
constexpr int pass_rows = 16;
constexpr int pass_columns = 32;
/// Blocks of threads that registers and shared memory leave room for on a multiprocessor of every architecture
/// (scripts/kernel_resources checks that there are four at least).
constexpr int pass_residents = 4, first_rows_residents = 4;
static_assert(first_rows == substitution_block && first_rows == tile);

/// Whether the first rows' part of the mean lies where the mean will be. A mean with a background adds that, which
/// lies there, at its end.
__device__ inline bool mean_begun(const PosteriorTask& task) {
  return task.target.bases != nullptr && task.means != nullptr && task.offset != task.means;
}

struct FirstRowsStage {
  union {
    CovarianceStage covariance;
    double correlations[first_rows][tile];  // afterwards
  };
  double squares[tile_groups][tile];
};

/// What the first rows explain of the variance by v = L⁻¹ k, and their part of the mean. A tile of candidates at a
/// time, by the inverse of the first block and in the order of `substitute`, so that this is what that begins with.
__device__ inline void first_rows_of(const CandidateView& candidates, const PosteriorTask& task, std::size_t i,
                                     FirstRowsStage& stage) {
  const int lane = threadIdx.x % tile;
  const int group = threadIdx.x / tile;
  const bool inside = i < candidates.size;
  const int solved = min(first_rows, task.gp.observed);
  double k[rows_per_thread];
  tile_correlations(candidates, task.gp, inside ? i : candidates.size - 1, 0, solved, stage.covariance, k);
#pragma unroll
  for (int q = 0; q < rows_per_thread; ++q) stage.correlations[rows_per_thread * group + q][lane] = k[q];
  __syncthreads();
  double v[rows_per_thread] = {};
  const int first = rows_per_thread * group;
  const double signal_variance = task.gp.signal_variance;
  const double* inverse = task.inverse_blocks + first;
#pragma unroll 2  // more would not fit into the registers
  for (int j = 0; j < first + rows_per_thread; ++j, inverse += first_rows) {
    const double covariance = signal_variance * stage.correlations[j][lane];
#pragma unroll
    for (int q = 0; q < rows_per_thread; ++q)
      if (j <= first + q) v[q] = fma(inverse[q], covariance, v[q]);
  }
  double squares = 0.0;
#pragma unroll
  for (int q = 0; q < rows_per_thread; ++q) squares = fma(v[q], v[q], squares);
  stage.squares[group][lane] = squares;
  __syncthreads();
  if (group != 0 || !inside) return;
  double explained = 0.0;
  for (int g = 0; g < tile_groups; ++g) explained += stage.squares[g][lane];
  task.target.bases[i] = task.target.squared_scale * (task.gp.signal_variance - explained);
  if (task.target.solved != nullptr) task.target.solved[i] = solved;
  if (!mean_begun(task)) return;
  double mean = 0.0;
  for (int row = 0; row < solved; ++row)
    mean = fma(task.gp.signal_variance * task.gp.weights[row], stage.correlations[row][lane], mean);
  task.means[i] = mean;
}

__global__ void __launch_bounds__(tile_threads, first_rows_residents)
    pass_first_rows(CandidateView candidates, const PosteriorTask* tasks, int task_count, std::size_t begin,
                    std::size_t end) {
  __shared__ FirstRowsStage stage;
  walk_tasks<tile>(
      task_count, begin, end, [&](int t) { return tasks[t].target.bases != nullptr; },
      [&](int t, std::size_t i) { first_rows_of(candidates, tasks[t], i, stage); });
}

struct PassStage {
  double points[pass_columns][pass_rows];
  double scales[pass_columns];  // inverse lengthscales
  double weights[pass_rows];    // signal variance · K⁻¹(y − mean)
};

/// k[q] = correlation of the candidate with row first + q; anything finite from the last observed row on, where the
/// staged weight is 0. Stages the weights of these rows, too.
__device__ inline void pass_correlations(const CandidateView& candidates, const GpView& gp, std::size_t i, int first,
                                         PassStage& stage, double (&k)[pass_rows]) {
#pragma unroll
  for (int q = 0; q < pass_rows; ++q) k[q] = 0.0;
  for (int column = 0; column < gp.columns; column += pass_columns) {
    const int width = min(pass_columns, gp.columns - column);
    __syncthreads();
    for (int at = threadIdx.x; at < width * pass_rows; at += pass_threads) {
      const int c = at / pass_rows, q = at % pass_rows;
      stage.points[c][q] = first + q < gp.observed ? gp.points[(column + c) * gp.stride + first + q] : 0.0;
    }
    if (threadIdx.x < width) stage.scales[threadIdx.x] = gp.inverse_lengthscales[column + threadIdx.x];
    if (column == 0 && threadIdx.x < pass_rows)
      stage.weights[threadIdx.x] = first + static_cast<int>(threadIdx.x) < gp.observed
                                       ? gp.signal_variance * gp.weights[first + threadIdx.x]
                                       : 0.0;
    __syncthreads();
    for (int c = 0; c < width; ++c) {
      const double x = coordinate(candidates, i, column + c) * stage.scales[c];
#pragma unroll
      for (int q = 0; q < pass_rows; ++q) {
        const double difference = x - stage.points[c][q];
        k[q] = fma(difference, difference, k[q]);
      }
    }
  }
#pragma unroll
  for (int q = 0; q < pass_rows; ++q) k[q] = matern(k[q]);
}

__device__ inline void mean_of(const CandidateView& candidates, const PosteriorTask& task, std::size_t i,
                               PassStage& stage) {
  const GpView gp = task.gp;
  const bool inside = i < candidates.size;
  const bool begun = mean_begun(task);
  double sum = begun && inside ? task.means[i] : 0.0;
  for (int first = begun ? first_rows : 0; first < gp.observed; first += pass_rows) {
    double k[pass_rows];
    pass_correlations(candidates, gp, inside ? i : candidates.size - 1, first, stage, k);
#pragma unroll
    for (int q = 0; q < pass_rows; ++q) sum = fma(stage.weights[q], k[q], sum);
  }
  if (!inside) return;
  const double mean = task.shift + task.scale * (gp.mean + sum);
  task.means[i] = task.offset == nullptr ? mean : mean + task.offset[i];
  if (task.target.bases == nullptr && task.target.solved != nullptr) task.target.solved[i] = gp.observed;
}

__global__ void __launch_bounds__(pass_threads, pass_residents)
    pass(CandidateView candidates, const PosteriorTask* tasks, int task_count, std::size_t begin, std::size_t end) {
  __shared__ PassStage stage;
  const auto is_exact = [&](int t) {
    return tasks[t].means != nullptr && (tasks[t].screened == nullptr || *tasks[t].screened == in_float64);
  };
  walk_tasks<pass_threads>(task_count, begin, end, is_exact,
                           [&](int t, std::size_t i) { mean_of(candidates, tasks[t], i, stage); });
}

}  // namespace

cudaError_t launch_posterior(cudaStream_t stream, const CandidateView& candidates, const PosteriorTask* tasks,
                             int task_count, const ScreenList& screens, bool with_variances, std::size_t part) {
  if (candidates.size == 0 || task_count == 0) return cudaSuccess;
  for (std::size_t begin = 0; begin < candidates.size; begin += part) {
    const std::size_t size = part < candidates.size - begin ? part : candidates.size - begin;
    if (with_variances)
      pass_first_rows<<<stride_blocks(size, most_stride_blocks, tile), tile_threads, 0, stream>>>(
          candidates, tasks, task_count, begin, begin + size);
    if (screens.count > 0) {
      const cudaError_t error = launch_screens(stream, candidates, screens, begin, begin + size);
      if (error != cudaSuccess) return error;
    }
    pass<<<stride_blocks(size, most_stride_blocks, pass_threads), pass_threads, 0, stream>>>(
        candidates, tasks, task_count, begin, begin + size);
    if (const cudaError_t error = cudaGetLastError(); error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

void add_posterior_kernels(std::vector<const void*>& kernels) {
  kernels.push_back(reinterpret_cast<const void*>(pass_first_rows));
  kernels.push_back(reinterpret_cast<const void*>(pass));
}

}  // namespace carbo::kernels
