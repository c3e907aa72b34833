#include "launch/substitution.cuh"

#include "device/covariance_tile.cuh"

namespace carbo::kernels {
namespace {

static_assert(substitution_block == tile);

struct SubstitutionArguments {
  CandidateView candidates;
  CandidateList list;
  const SubstitutionTask* tasks;
  int rows;
  double* workspace;
  WorkCounters* counters;
};

/// One warp a diagonal block; thread j makes column j of the inverse.
__global__ void __launch_bounds__(tile) invert_blocks(GpView gp, double* blocks) {
  __shared__ double lower[tile][tile];        // [j][i] = L(i, j)
  __shared__ double inverse[tile][tile + 1];  // [j][i]
  const int j = threadIdx.x;
  const int first = blockIdx.x * tile;
  const int rows = min(tile, gp.observed - first);
  for (int column = 0; column < tile; ++column) {
    const bool inside = j >= column && j < rows;
    lower[column][j] = inside ? gp.lower[(first + column) * gp.stride + first + j] : 0.0;
    inverse[column][j] = 0.0;
  }
  __syncthreads();
  if (j < rows) {
    inverse[j][j] = 1.0 / lower[j][j];
    for (int i = j + 1; i < rows; ++i) {
      double sum = 0.0;
      for (int k = j; k < i; ++k) sum = fma(lower[k][i], inverse[j][k], sum);
      inverse[j][i] = -sum / lower[i][i];
    }
  }
  __syncthreads();
  double* const target = blocks + static_cast<std::size_t>(blockIdx.x) * tile * tile;
  for (int column = 0; column < tile; ++column) target[column * tile + j] = inverse[column][j];
}

struct SubstitutionStage {
  CovarianceStage covariance;
  double lower[tile][tile];   // [j][i]
  double solved[tile][tile];  // [row][candidate]
};

/// s[q] −= Σ_j L(row, j) v_j for the rows of this thread, j before `first`.
__device__ inline void eliminate(const GpView& gp, const double* v, int first, int end, SubstitutionStage& stage,
                                 double (&s)[rows_per_thread]) {
  const int lane = threadIdx.x % tile;
  const int group = threadIdx.x / tile;
  for (int before = 0; before < first; before += tile) {
    for (int j = group; j < tile; j += tile_groups) {
      const std::size_t column = static_cast<std::size_t>(before + j) * gp.stride;
      stage.lower[j][lane] = first + lane < end ? gp.lower[column + first + lane] : 0.0;
      stage.solved[j][lane] = v[(before + j) * tile + lane];
    }
    __syncthreads();
#pragma unroll 4
    for (int j = 0; j < tile; ++j) {
      const double known = stage.solved[j][lane];
#pragma unroll
      for (int q = 0; q < rows_per_thread; ++q) s[q] = fma(-stage.lower[j][rows_per_thread * group + q], known, s[q]);
    }
    __syncthreads();
  }
}

/// v of the tile's rows from what elimination left of them; adds their squares to `explained`.
__device__ inline void finish_tile(const double* inverse_block, int first, double* v, SubstitutionStage& stage,
                                   const double (&s)[rows_per_thread], double& explained) {
  const int lane = threadIdx.x % tile;
  const int group = threadIdx.x / tile;
  for (int j = group; j < tile; j += tile_groups) stage.lower[j][lane] = inverse_block[j * tile + lane];
#pragma unroll
  for (int q = 0; q < rows_per_thread; ++q) stage.solved[rows_per_thread * group + q][lane] = s[q];
  __syncthreads();
  double x[rows_per_thread] = {};
#pragma unroll 4
  for (int j = 0; j < tile; ++j) {
    const double right = stage.solved[j][lane];
#pragma unroll
    for (int q = 0; q < rows_per_thread; ++q) x[q] = fma(stage.lower[j][rows_per_thread * group + q], right, x[q]);
  }
#pragma unroll
  for (int q = 0; q < rows_per_thread; ++q) {
    explained = fma(x[q], x[q], explained);
    v[(first + rows_per_thread * group + q) * tile + lane] = x[q];
  }
  __syncthreads();
}

/// blockIdx.y is the task.
__global__ void __launch_bounds__(tile_threads, 2) substitute(SubstitutionArguments arguments) {
  __shared__ SubstitutionStage stage;
  const SubstitutionTask& task = arguments.tasks[blockIdx.y];
  const GpView gp = task.gp;
  const int rows = arguments.rows;
  const int lane = threadIdx.x % tile;
  const int group = threadIdx.x / tile;
  const int padded = (rows + tile - 1) / tile * tile;
  double* const v =
      arguments.workspace + (static_cast<std::size_t>(blockIdx.y) * gridDim.x + blockIdx.x) * padded * tile;
  const std::size_t size = list_size(arguments.list);
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * tile;
  for (std::size_t start = static_cast<std::size_t>(blockIdx.x) * tile; start < size; start += step) {
    const std::size_t place = start + lane;
    const std::size_t candidate = list_at(arguments.list, place < size ? place : size - 1);
    std::uint32_t* const solved = task.target.solved;
    const bool wanted = place < size && (solved == nullptr || solved[candidate] < static_cast<std::uint32_t>(rows));
    if (__syncthreads_or(wanted) == 0) continue;
    double explained = 0.0;
    for (int first = 0; first < rows; first += tile) {
      double s[rows_per_thread];
      tile_correlations(arguments.candidates, gp, candidate, first, rows, stage.covariance, s);
#pragma unroll
      for (int q = 0; q < rows_per_thread; ++q) s[q] *= gp.signal_variance;
      eliminate(gp, v, first, rows, stage, s);
      finish_tile(task.inverse_blocks + static_cast<std::size_t>(first) * tile, first, v, stage, s, explained);
    }
    stage.solved[group][lane] = explained;
    __syncthreads();
    if (group == 0 && wanted) {
      double total = 0.0;
      for (int g = 0; g < tile_groups; ++g) total += stage.solved[g][lane];
      task.target.bases[candidate] = task.target.squared_scale * (gp.signal_variance - total);
      if (solved != nullptr) solved[candidate] = static_cast<std::uint32_t>(rows);
      if (arguments.counters != nullptr) {
        const auto squared = static_cast<unsigned long long>(rows) * static_cast<unsigned long long>(rows);
        atomicAdd(&arguments.counters->rows, squared);
        if (rows == gp.observed) atomicAdd(&arguments.counters->finished, 1ull);
      }
    }
    __syncthreads();
  }
}

}  // namespace

cudaError_t launch_invert_blocks(cudaStream_t stream, const GpView& gp, double* blocks) {
  if (gp.observed == 0) return cudaSuccess;
  invert_blocks<<<(gp.observed + tile - 1) / tile, tile, 0, stream>>>(gp, blocks);
  return cudaGetLastError();
}

cudaError_t launch_substitution(cudaStream_t stream, const CandidateView& candidates, const CandidateList& list,
                                const SubstitutionTask* tasks, int task_count, int rows, int resident,
                                double* workspace, WorkCounters* counters) {
  if (list.size == 0 || task_count == 0 || rows == 0) return cudaSuccess;
  const dim3 grid(resident, task_count);
  substitute<<<grid, tile_threads, 0, stream>>>({candidates, list, tasks, rows, workspace, counters});
  return cudaGetLastError();
}

void add_substitution_kernels(std::vector<const void*>& kernels) {
  kernels.push_back(reinterpret_cast<const void*>(invert_blocks));
  kernels.push_back(reinterpret_cast<const void*>(substitute));
}

}  // namespace carbo::kernels
