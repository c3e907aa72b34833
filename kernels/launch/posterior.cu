#include "launch/posterior.cuh"

#include "device/bound_device.cuh"
#include "device/covariance_tile.cuh"
#include "device/grid_stride.cuh"
#include "device/launch_under.cuh"

namespace carbo::kernels {
namespace {

/// A thread has one candidate, and as many rows of the GP at a time.
constexpr int pass_threads = bound_block;
constexpr int pass_rows = 16;
constexpr int pass_columns = 32;
static_assert(first_rows == substitution_block && first_rows == 2 * pass_rows);

struct PassStage {
  double points[pass_columns][pass_rows];
  double scales[pass_columns];           // inverse lengthscales
  double weights[pass_rows];             // signal variance · K⁻¹(y − mean)
  double lower[first_rows][first_rows];  // inverse of the first block of L, [row][column]
};

/// k[q] = correlation of the candidate with row first + q; 0 from row `end` on. Stages the weights of these rows,
/// too.
__device__ inline void pass_correlations(const CandidateView& candidates, const GpView& gp, std::size_t i, int first,
                                         int end, PassStage& stage, double (&k)[pass_rows]) {
#pragma unroll
  for (int q = 0; q < pass_rows; ++q) k[q] = 0.0;
  for (int column = 0; column < gp.columns; column += pass_columns) {
    const int width = min(pass_columns, gp.columns - column);
    __syncthreads();
    for (int at = threadIdx.x; at < width * pass_rows; at += pass_threads) {
      const int c = at / pass_rows, q = at % pass_rows;
      stage.points[c][q] = first + q < end ? gp.points[(column + c) * gp.stride + first + q] : 0.0;
    }
    if (threadIdx.x < width) stage.scales[threadIdx.x] = gp.inverse_lengthscales[column + threadIdx.x];
    if (column == 0 && threadIdx.x < pass_rows)
      stage.weights[threadIdx.x] =
          first + static_cast<int>(threadIdx.x) < end ? gp.signal_variance * gp.weights[first + threadIdx.x] : 0.0;
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
  for (int q = 0; q < pass_rows; ++q) k[q] = first + q < end ? matern(k[q]) : 0.0;
}

/// Mean over all rows and what the first rows explain of the variance, of one candidate.
struct PassSums {
  double mean = 0.0;
  double explained = 0.0;
};

__device__ inline PassSums pass_over_rows(const CandidateView& candidates, const GpView& gp, std::size_t i,
                                          bool with_mean, bool with_variance, PassStage& stage) {
  PassSums sums;
  const int end = with_mean ? gp.observed : min(first_rows, gp.observed);
  double head[pass_rows];
  for (int first = 0; first < end; first += pass_rows) {
    double k[pass_rows];
    pass_correlations(candidates, gp, i, first, end, stage, k);
    if (with_mean) {
#pragma unroll
      for (int q = 0; q < pass_rows; ++q) sums.mean = fma(stage.weights[q], k[q], sums.mean);
    }
    if (!with_variance || first >= first_rows) continue;
      // v = L⁻¹ k by the inverse of the first block, in the order of `substitute`, so that this is what that begins
      // with.
#pragma unroll
    for (int q = 0; q < pass_rows; ++q) k[q] *= gp.signal_variance;
    if (first == 0) {
#pragma unroll
      for (int q = 0; q < pass_rows; ++q) head[q] = k[q];
    }
    double squares = 0.0;
#pragma unroll
    for (int q = 0; q < pass_rows; ++q) {
      double v = 0.0;
      const double* const row = stage.lower[first + q];
      if (first > 0) {
#pragma unroll
        for (int j = 0; j < pass_rows; ++j) v = fma(row[j], head[j], v);
      }
#pragma unroll
      for (int j = 0; j <= q; ++j) v = fma(row[first + j], k[j], v);
      squares = fma(v, v, squares);
      if (q % rows_per_thread != rows_per_thread - 1) continue;
      sums.explained += squares;
      squares = 0.0;
    }
  }
  return sums;
}

__device__ inline void pass_task(const CandidateView& candidates, const PosteriorTask& task, std::size_t i,
                                 PassStage& stage) {
  const bool with_mean = task.means != nullptr;
  const bool with_variance = task.target.bases != nullptr;
  const GpView gp = task.gp;
  const bool inside = i < candidates.size;
  if (with_variance) {
    for (int at = threadIdx.x; at < first_rows * first_rows; at += pass_threads)
      stage.lower[at % first_rows][at / first_rows] = task.inverse_blocks[at];
    __syncthreads();
  }
  const PassSums sums =
      pass_over_rows(candidates, gp, inside ? i : candidates.size - 1, with_mean, with_variance, stage);
  if (inside && with_mean) {
    const double mean = task.shift + task.scale * (gp.mean + sums.mean);
    task.means[i] = task.offset == nullptr ? mean : mean + task.offset[i];
  }
  if (inside && with_variance) {
    task.target.bases[i] = task.target.squared_scale * (gp.signal_variance - sums.explained);
    if (task.target.solved != nullptr) task.target.solved[i] = min(first_rows, gp.observed);
  }
}

template <class Score>
__global__ void __launch_bounds__(pass_threads, 1)
    pass(CandidateView candidates, const PosteriorTask* tasks, int task_count, BoundView bounds, BoundOutput output) {
  __shared__ PassStage stage;
  __shared__ BoundStage bound_stage;
  const std::size_t blocks = (candidates.size + pass_threads - 1) / pass_threads;
  for (std::size_t block = blockIdx.x; block < blocks; block += gridDim.x) {
    const std::size_t i = block * pass_threads + threadIdx.x;
    for (int t = 0; t < task_count; ++t) {
      pass_task(candidates, tasks[t], i, stage);
      __syncthreads();
    }
    if (output.ceilings == nullptr) continue;
    bound_block_of<Score>(bounds, i, candidates.size, block, output, bound_stage);
    __syncthreads();
  }
}

}  // namespace

cudaError_t launch_posterior(cudaStream_t stream, const CandidateView& candidates, const PosteriorTask* tasks,
                             int task_count, const BoundView* bounds, const BoundOutput& output) {
  if (candidates.size == 0 || task_count == 0) return cudaSuccess;
  const unsigned grid = stride_blocks(candidates.size, most_stride_blocks, pass_threads);
  const BoundView view = bounds == nullptr ? BoundView{} : *bounds;
  return launch_under(view.score, [&](auto score) {
    using Score = typename decltype(score)::type;
    pass<Score><<<grid, pass_threads, 0, stream>>>(candidates, tasks, task_count, view, output);
  });
}

void add_posterior_kernels(std::vector<const void*>& kernels) {
  for_each_score(
      [&](auto score) { kernels.push_back(reinterpret_cast<const void*>(pass<typename decltype(score)::type>)); });
}

}  // namespace carbo::kernels
