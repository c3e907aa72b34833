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

/// sum[q] = Σ_row weight(row, point) · k(row, candidate) for points first + each · group + q; rows ascending.
template <int each>
__device__ inline void weighted_sums(const CandidateView& candidates, const GpView& gp, std::size_t candidate,
                                     int first, ResponseStage& stage, double (&sum)[each]) {
  const int lane = threadIdx.x % tile;
  const int group = threadIdx.x / tile;
  const int end = gp.observed + min(first + each * tile_groups, gp.fantasised);
#pragma unroll
  for (int q = 0; q < each; ++q) sum[q] = 0.0;
  for (int row = 0; row < end; row += tile) {
    double k[rows_per_thread];
    tile_correlations(candidates, gp, candidate, row, end, stage.covariance, k);
#pragma unroll
    for (int q = 0; q < rows_per_thread; ++q) stage.correlations[rows_per_thread * group + q][lane] = k[q];
#pragma unroll
    for (int q = 0; q < each; ++q)
      stage.weights[lane][each * group + q] = response_weight(gp, first + each * group + q, row + lane);
    __syncthreads();
#pragma unroll 4
    for (int i = 0; i < tile; ++i) {
      const double correlation = stage.correlations[i][lane];
#pragma unroll
      for (int q = 0; q < each; ++q) sum[q] = fma(stage.weights[i][each * group + q], correlation, sum[q]);
    }
    __syncthreads();
  }
}

/// Applies the responses in stage.correlations, [point][candidate], to the candidate of this lane.
__device__ inline void apply(const ResponseTask& task, const GpView& gp, std::size_t candidate, int first, int most,
                             const ResponseStage& stage) {
  const int lane = threadIdx.x % tile;
  const int group = threadIdx.x / tile;
  const int points = min(most, gp.fantasised - first);
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

/// What one lane of a tile responds with.
struct Responding {
  std::size_t candidate;
  int seen;    ///< fantasised points
  bool stale;  ///< whether it misses any
};

/// Points from `first` on, `each` a thread at a time.
template <int each>
__device__ inline void respond_to(const CandidateView& candidates, const ResponseTask& task, const GpView& gp,
                                  const Responding& own, int first, ResponseStage& stage) {
  constexpr int at_once = each * tile_groups;
  const int lane = threadIdx.x % tile;
  const int group = threadIdx.x / tile;
  for (; first < gp.fantasised; first += at_once) {
    double sum[each];
    weighted_sums<each>(candidates, gp, own.candidate, first, stage, sum);
#pragma unroll
    for (int q = 0; q < each; ++q) {
      const int point = first + each * group + q;
      const bool unseen = point >= own.seen && point < gp.fantasised;
      stage.correlations[each * group + q][lane] = unseen ? -sum[q] / gp.pivots[point] : 0.0;
    }
    __syncthreads();
    if (own.stale) apply(task, gp, own.candidate, first, at_once, stage);
    __syncthreads();
  }
}

/// blockIdx.y is the task. A tile takes as many points at once as its oldest candidate has missed, in steps of
/// tile_groups.
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
    Responding own;
    own.candidate = list_at(arguments.list, inside ? place : size - 1);
    own.seen = task.versions == nullptr ? gp.fantasised - 1 : static_cast<int>(task.versions[own.candidate]);
    own.stale = inside && own.seen < gp.fantasised;
    if (__syncthreads_or(own.stale) == 0) continue;
    if (threadIdx.x == 0) oldest = gp.fantasised;
    __syncthreads();
    if (group == 0 && inside) atomicMin(&oldest, own.seen);
    __syncthreads();
    const int first = oldest;
    const int missed = gp.fantasised - first;
    if (missed <= tile_groups) {
      respond_to<1>(arguments.candidates, task, gp, own, first, stage);
    } else if (missed <= 2 * tile_groups) {
      respond_to<2>(arguments.candidates, task, gp, own, first, stage);
    } else {
      respond_to<rows_per_thread>(arguments.candidates, task, gp, own, first, stage);
    }
    if (group == 0 && own.stale) {
      if (task.versions != nullptr) task.versions[own.candidate] = static_cast<std::uint32_t>(gp.fantasised);
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
