#include "launch/responses.cuh"

#include "device/covariance_tile.cuh"

namespace carbo::kernels {
namespace {

/// A block takes few candidates at a time, so that a short list keeps many multiprocessors busy, and many rows:
/// thread (lane, group) computes correlations of candidate `lane` with rows group + groups · q, then has the sums of
/// that candidate over all rows for point `group`.
constexpr int lanes = 8;
constexpr int groups = tile_threads / lanes;
constexpr int rows_at_once = groups * rows_per_thread;

struct ResponseArguments {
  CandidateView candidates;
  CandidateList list;
  const ResponseTask* tasks;
  WorkCounters* counters;
};

struct ResponseStage {
  double candidates[staged_columns][lanes];
  double points[staged_columns][rows_at_once];
  double correlations[rows_at_once][lanes];
  double responses[groups][lanes];
};

/// stage.correlations[row − first][lane] for rows [first, end), at most rows_at_once of them; the sum over
/// coordinates has one order. All threads of the block call it; it begins and ends with a barrier's guarantees.
__device__ inline void stage_correlations(const CandidateView& candidates, const GpView& gp, std::size_t candidate,
                                          int first, int end, ResponseStage& stage) {
  const int lane = threadIdx.x % lanes;
  const int group = threadIdx.x / lanes;
  const int rows = min(rows_at_once, end - first);
  double squared[rows_per_thread] = {};
  for (int column = 0; column < gp.columns; column += staged_columns) {
    const int width = min(staged_columns, gp.columns - column);
    for (int c = group; c < width; c += groups)
      stage.candidates[c][lane] = coordinate(candidates, candidate, column + c) * gp.inverse_lengthscales[column + c];
    for (int at = threadIdx.x; at < width * rows_at_once; at += tile_threads) {
      const int c = at / rows_at_once, row = at % rows_at_once;
      stage.points[c][row] = row < rows ? gp.points[(column + c) * gp.stride + first + row] : 0.0;
    }
    __syncthreads();
    for (int c = 0; c < width; ++c) {
      const double x = stage.candidates[c][lane];
#pragma unroll
      for (int q = 0; q < rows_per_thread; ++q) {
        const double difference = x - stage.points[c][group + groups * q];
        squared[q] = fma(difference, difference, squared[q]);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int q = 0; q < rows_per_thread; ++q) stage.correlations[group + groups * q][lane] = matern(squared[q]);
  __syncthreads();
}

/// sum += Σ_row factor · weights[first + row] · correlation over the first `rows` of the staged rows, in their order.
__device__ inline void add_rows(const double* weights, double factor, int rows, const ResponseStage& stage,
                                double& sum) {
  const int lane = threadIdx.x % lanes;
#pragma unroll 4
  for (int row = 0; row < rows; ++row) sum = fma(factor * weights[row], stage.correlations[row][lane], sum);
}

/// Weighted sums of this thread's candidate over all rows: for its point, and (`mean`) for the posterior mean.
struct Sums {
  double response = 0.0;  ///< Σ β k − k(x*, ·)
  double mean = 0.0;
};

/// `first`: point of group 0; the mean's sum is made by the last group where `with_mean`.
__device__ inline Sums weighted_sums(const CandidateView& candidates, const GpView& gp, std::size_t candidate,
                                     int first, bool with_mean, ResponseStage& stage) {
  const int lane = threadIdx.x % lanes;
  const int group = threadIdx.x / lanes;
  const int end = gp.observed + min(first + groups, gp.fantasised);
  const int own = gp.observed + first + group;  // the row of the point itself
  const bool responds = first + group < gp.fantasised;
  Sums sums;
  for (int row = 0; row < end; row += rows_at_once) {
    stage_correlations(candidates, gp, candidate, row, end, stage);
    if (responds) {
      const double* const weights = gp.responses + static_cast<std::size_t>(first + group) * gp.stride + row;
      add_rows(weights, 1.0, min(rows_at_once, own - row), stage, sums.response);
      if (own >= row && own < row + rows_at_once)
        sums.response = fma(-gp.signal_variance, stage.correlations[own - row][lane], sums.response);
    }
    if (with_mean && group == groups - 1)
      add_rows(gp.weights + row, gp.signal_variance, min(rows_at_once, gp.observed - row), stage, sums.mean);
    __syncthreads();
  }
  return sums;
}

/// What the prior mean adds to an exact one, as the pass adds it; for the last group.
__device__ inline double background_of(const CandidateView& candidates, const ExactMean& exact, std::size_t candidate,
                                       ResponseStage& stage) {
  const GpView& gp = exact.background;
  double sum = 0.0;
  for (int row = 0; row < gp.observed; row += rows_at_once) {
    stage_correlations(candidates, gp, candidate, row, gp.observed, stage);
    if (threadIdx.x / lanes == groups - 1)
      add_rows(gp.weights + row, gp.signal_variance, min(rows_at_once, gp.observed - row), stage, sum);
    __syncthreads();
  }
  return sum;
}

/// Applies the responses in the stage, [point][candidate], to the candidate of this lane.
__device__ inline void apply(const ResponseTask& task, const GpView& gp, std::size_t candidate, int first,
                             const ResponseStage& stage) {
  const int lane = threadIdx.x % lanes;
  const int group = threadIdx.x / lanes;
  const int points = min(groups, gp.fantasised - first);
  for (int f = group; f < gp.fantasies; f += groups) {
    double* const mean = task.means + f * task.stride + candidate;
    double value = *mean;
    for (int t = 0; t < points; ++t)
      value = fma(stage.responses[t][lane], gp.normals[(first + t) * gp.fantasies + f], value);
    *mean = value;
  }
  if (group != groups - 1) return;
  double reduction = task.reductions[candidate];
  for (int t = 0; t < points; ++t) reduction = fma(stage.responses[t][lane], stage.responses[t][lane], reduction);
  task.reductions[candidate] = reduction;
}

/// What one lane of a tile responds with.
struct Responding {
  std::size_t candidate;
  int seen;      ///< fantasised points
  bool stale;    ///< whether it misses any
  bool inexact;  ///< whether its mean is to become exact; it has then seen none
};

__device__ inline Responding responding(const ResponseTask& task, const GpView& gp, const CandidateList& list,
                                        std::size_t place, std::size_t size, bool settles) {
  const bool inside = place < size;
  const ExactMean& exact = task.exact;
  Responding own;
  own.candidate = list_at(list, inside ? place : size - 1);
  own.inexact = settles && inside && exact.screened != nullptr && *exact.screened != 0 &&
                exact.solved[own.candidate] < static_cast<std::uint32_t>(gp.observed);
  own.seen = task.versions == nullptr ? gp.fantasised - 1 : static_cast<int>(task.versions[own.candidate]);
  if (own.inexact || own.seen < 0) own.seen = 0;
  own.stale = inside && own.seen < gp.fantasised;
  return own;
}

/// The last group's: the exact mean before any fantasised point, from its sum.
__device__ inline void begin_exact(const ResponseTask& task, const GpView& gp, std::size_t candidate, double sum,
                                   double background) {
  const ExactMean& exact = task.exact;
  double mean = exact.shift + exact.scale * (gp.mean + sum);
  if (exact.background.observed > 0) {
    double added = 0.0 + exact.scale * (0.0 + background);
    if (exact.offset != nullptr) added = added + exact.offset[candidate];
    mean = mean + added;
  } else if (exact.offset != nullptr) {
    mean = mean + exact.offset[candidate];
  }
  const int means = gp.fantasised == 0 ? 1 : gp.fantasies;
  for (int f = 0; f < means; ++f) task.means[f * task.stride + candidate] = mean;
  if (task.reductions != nullptr) task.reductions[candidate] = 0.0;
  if (exact.marks) exact.solved[candidate] = static_cast<std::uint32_t>(gp.observed);
}

/// Points from `first` on, one a group at a time.
__device__ inline void respond_to(const CandidateView& candidates, const ResponseTask& task, const GpView& gp,
                                  const Responding& own, int first, ResponseStage& stage) {
  const int lane = threadIdx.x % lanes;
  const int group = threadIdx.x / lanes;
  bool with_mean = __syncthreads_or(own.inexact) != 0;
  const double background = with_mean ? background_of(candidates, task.exact, own.candidate, stage) : 0.0;
  for (; with_mean || first < gp.fantasised; first += groups) {
    const Sums sums = weighted_sums(candidates, gp, own.candidate, first, with_mean, stage);
    const int point = first + group;
    const bool unseen = point >= own.seen && point < gp.fantasised;
    stage.responses[group][lane] = unseen ? -sums.response / gp.pivots[point] : 0.0;
    if (with_mean && own.inexact && group == groups - 1) begin_exact(task, gp, own.candidate, sums.mean, background);
    with_mean = false;
    __syncthreads();
    if (own.stale) apply(task, gp, own.candidate, first, stage);
    __syncthreads();
  }
}

/// blockIdx.y is the task. A tile begins with the first point that its oldest candidate has missed. `settles`: means
/// that are bounds become exact.
template <bool settles>
__device__ inline void respond_all(const ResponseArguments& arguments, ResponseStage& stage, int& oldest) {
  const ResponseTask& task = arguments.tasks[blockIdx.y];
  if (!settles && task.exact.screened != nullptr && *task.exact.screened != 0) return;
  const GpView gp = task.gp;
  const int lane = threadIdx.x % lanes;
  const int group = threadIdx.x / lanes;
  const std::size_t size = list_size(arguments.list);
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * lanes;
  for (std::size_t start = static_cast<std::size_t>(blockIdx.x) * lanes; start < size; start += step) {
    const Responding own = responding(task, gp, arguments.list, start + lane, size, settles);
    if (__syncthreads_or(own.stale || own.inexact) == 0) continue;
    if (threadIdx.x == 0) oldest = gp.fantasised;
    __syncthreads();
    if (group == 0 && own.stale) atomicMin(&oldest, own.seen);
    __syncthreads();
    respond_to(arguments.candidates, task, gp, own, oldest, stage);
    if (group == 0 && own.stale) {
      if (task.versions != nullptr) task.versions[own.candidate] = static_cast<std::uint32_t>(gp.fantasised);
      if (arguments.counters != nullptr) atomicAdd(&arguments.counters->refreshed, 1ull);
    }
  }
}

__global__ void __launch_bounds__(tile_threads, 2) respond(ResponseArguments arguments) {
  __shared__ ResponseStage stage;
  __shared__ int oldest;
  respond_all<false>(arguments, stage, oldest);
}

__global__ void __launch_bounds__(tile_threads, 2) settle_means(ResponseArguments arguments) {
  __shared__ ResponseStage stage;
  __shared__ int oldest;
  respond_all<true>(arguments, stage, oldest);
}

}  // namespace

cudaError_t launch_responses(cudaStream_t stream, const CandidateView& candidates, const CandidateList& list,
                             const ResponseTask* tasks, int task_count, int resident, WorkCounters* counters) {
  if (list.size == 0 || task_count == 0) return cudaSuccess;
  respond<<<dim3(resident, task_count), tile_threads, 0, stream>>>({candidates, list, tasks, counters});
  return cudaGetLastError();
}

cudaError_t launch_exact_means(cudaStream_t stream, const CandidateView& candidates, const CandidateList& list,
                               const ResponseTask* tasks, int task_count, int resident, WorkCounters* counters) {
  if (list.size == 0 || task_count == 0) return cudaSuccess;
  settle_means<<<dim3(resident, task_count), tile_threads, 0, stream>>>({candidates, list, tasks, counters});
  return cudaGetLastError();
}

void add_response_kernels(std::vector<const void*>& kernels) {
  kernels.push_back(reinterpret_cast<const void*>(respond));
  kernels.push_back(reinterpret_cast<const void*>(settle_means));
}

}  // namespace carbo::kernels
