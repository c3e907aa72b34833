#include "launch/responses.cuh"

#include "device/covariance_tile.cuh"

namespace carbo::kernels {
namespace {

struct ResponseArguments {
  CandidateView candidates;
  CandidateList list;
  const ResponseTask* tasks;
  WorkCounters* counters;
};

struct ResponseStage {
  CovarianceStage covariance;
  double correlations[tile][tile];  // [row][candidate]
  double weights[tile][tile + 1];   // [row][point], padded: it is filled across
};

/// Weight of a row in the response to fantasised point t: β of the rows before it, −k(x*, ·) for itself.
__device__ inline double response_weight(const GpView& gp, int point, int row) {
  const int own = gp.observed + point;
  if (point >= gp.fantasised || row > own) return 0.0;
  return row == own ? -gp.signal_variance : gp.responses[point * gp.stride + row];
}

/// sum[q] = Σ_row weight(row, point) · k(row, candidate) for points first + rows_per_thread · group + q; rows
/// ascending.
__device__ inline void weighted_sums(const CandidateView& candidates, const GpView& gp, std::size_t candidate,
                                     int first, ResponseStage& stage, double (&sum)[rows_per_thread]) {
  const int lane = threadIdx.x % tile;
  const int group = threadIdx.x / tile;
  const int end = gp.observed + min(first + tile, gp.fantasised);
#pragma unroll
  for (int q = 0; q < rows_per_thread; ++q) sum[q] = 0.0;
  for (int row = 0; row < end; row += tile) {
    double k[rows_per_thread];
    tile_correlations(candidates, gp, candidate, row, end, stage.covariance, k);
#pragma unroll
    for (int q = 0; q < rows_per_thread; ++q) {
      stage.correlations[rows_per_thread * group + q][lane] = k[q];
      const int point = rows_per_thread * group + q;
      stage.weights[lane][point] = response_weight(gp, first + point, row + lane);
    }
    __syncthreads();
#pragma unroll 4
    for (int i = 0; i < tile; ++i) {
      const double correlation = stage.correlations[i][lane];
#pragma unroll
      for (int q = 0; q < rows_per_thread; ++q)
        sum[q] = fma(stage.weights[i][rows_per_thread * group + q], correlation, sum[q]);
    }
    __syncthreads();
  }
}

/// Applies the responses in stage.correlations, [point][candidate], to the candidate of this lane.
__device__ inline void apply(const ResponseTask& task, const GpView& gp, std::size_t candidate, int first,
                             const ResponseStage& stage) {
  const int lane = threadIdx.x % tile;
  const int group = threadIdx.x / tile;
  const int points = min(tile, gp.fantasised - first);
  for (int f = group; f < gp.fantasies; f += tile_groups) {
    double* const mean = task.means + f * task.stride + candidate;
    double value = *mean;
    for (int t = 0; t < points; ++t)
      value = fma(stage.correlations[t][lane], gp.normals[(first + t) * gp.fantasies + f], value);
    *mean = value;
  }
  if (group != tile_groups - 1) return;
  double reduction = task.reductions[candidate];
  for (int t = 0; t < points; ++t)
    reduction = fma(stage.correlations[t][lane], stage.correlations[t][lane], reduction);
  task.reductions[candidate] = reduction;
}

/// blockIdx.y is the task.
__global__ void __launch_bounds__(tile_threads, 2) respond(ResponseArguments arguments) {
  __shared__ ResponseStage stage;
  __shared__ int oldest;
  const ResponseTask& task = arguments.tasks[blockIdx.y];
  const GpView gp = task.gp;
  const int lane = threadIdx.x % tile;
  const int group = threadIdx.x / tile;
  const std::size_t size = list_size(arguments.list);
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * tile;
  for (std::size_t start = static_cast<std::size_t>(blockIdx.x) * tile; start < size; start += step) {
    const std::size_t place = start + lane;
    const bool inside = place < size;
    const std::size_t candidate = list_at(arguments.list, inside ? place : size - 1);
    const int seen = task.versions == nullptr ? gp.fantasised - 1 : static_cast<int>(task.versions[candidate]);
    const bool stale = inside && seen < gp.fantasised;
    if (__syncthreads_or(stale) == 0) continue;
    if (threadIdx.x == 0) oldest = gp.fantasised;
    __syncthreads();
    if (group == 0 && inside) atomicMin(&oldest, seen);
    __syncthreads();
    for (int first = oldest; first < gp.fantasised; first += tile) {
      double sum[rows_per_thread];
      weighted_sums(arguments.candidates, gp, candidate, first, stage, sum);
#pragma unroll
      for (int q = 0; q < rows_per_thread; ++q) {
        const int point = first + rows_per_thread * group + q;
        const bool unseen = point >= seen && point < gp.fantasised;
        stage.correlations[rows_per_thread * group + q][lane] = unseen ? -sum[q] / gp.pivots[point] : 0.0;
      }
      __syncthreads();
      if (stale) apply(task, gp, candidate, first, stage);
      __syncthreads();
    }
    if (group == 0 && stale) {
      if (task.versions != nullptr) task.versions[candidate] = static_cast<std::uint32_t>(gp.fantasised);
      if (arguments.counters != nullptr) atomicAdd(&arguments.counters->refreshed, 1ull);
    }
  }
}

}  // namespace

cudaError_t launch_responses(cudaStream_t stream, const CandidateView& candidates, const CandidateList& list,
                             const ResponseTask* tasks, int task_count, int resident, WorkCounters* counters) {
  if (list.size == 0 || task_count == 0) return cudaSuccess;
  respond<<<dim3(resident, task_count), tile_threads, 0, stream>>>({candidates, list, tasks, counters});
  return cudaGetLastError();
}

void add_response_kernels(std::vector<const void*>& kernels) {
  kernels.push_back(reinterpret_cast<const void*>(respond));
}

}  // namespace carbo::kernels
