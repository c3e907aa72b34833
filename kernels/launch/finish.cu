#include "launch/finish.cuh"

#include "device/float_variance_tile.cuh"
#include "device/response_device.cuh"
#include "device/substitution_device.cuh"
#include "launch/screen.cuh"

namespace carbo::kernels {
namespace {

/// Rows of L⁻¹ that a block of threads rounds: one a lane, their columns by groups.
constexpr int prepared_rows = tile;
static_assert(variance_pass_rows % prepared_rows == 0 && prepared_rows == substitution_block);

struct FinishStage {
  union {
    SubstitutionStage substitution;
    ResponseStage<Settling> settling;
  };
};

__global__ void __launch_bounds__(tile_threads, 2)
    finish(SubstitutionArguments arguments, ResponseArguments settled, int settled_count) {
  __shared__ FinishStage stage;
  const std::size_t size = list_size(arguments.list), tasks = static_cast<std::size_t>(settled_count);
  const std::size_t tiles = (size + Settling::lanes - 1) / Settling::lanes;
  take_steps(
      arguments, tiles * tasks,
      [&](std::size_t step) {
        respond_tile<Settling, true>(settled, settled.tasks[step % tasks], step / tasks * Settling::lanes, size,
                                     stage.settling);
      },
      stage.substitution);
}

struct TightenStage {
  union {
    SubstitutionStage substitution;
    VarianceStage screen;
  };
};

/// Listed candidates, variance_lanes of one GP at a time.
__device__ inline void tighten_in_float32(const SubstitutionArguments& arguments, const ScreenTask* screens,
                                          VarianceStage& stage) {
  const std::size_t size = list_size(arguments.list), tasks = static_cast<std::size_t>(arguments.task_count);
  const std::size_t units = (size + variance_lanes - 1) / variance_lanes * tasks;
  const auto rows = static_cast<std::uint32_t>(arguments.rows);
  for (std::size_t unit = blockIdx.x; unit < units; unit += gridDim.x) {
    const VarianceTarget& target = arguments.tasks[unit % tasks].target;
    const ScreenTask& screen = screens[unit % tasks];
    const std::size_t place = unit / tasks * variance_lanes + threadIdx.x % variance_lanes;
    const std::size_t i = list_at(arguments.list, place < size ? place : size - 1);
    const bool wanted = place < size && target.solved[i] < rows;
    if (__syncthreads_or(wanted) == 0) continue;
    const FloatExplained explained = explained_by(arguments.candidates, screen, i, stage);
    if (threadIdx.x >= variance_lanes || !wanted) continue;
    const double bound = target.squared_scale * float_variance(screen.gp.signal_variance, explained.certain);
    if (bound < target.bases[i]) target.bases[i] = bound;
    target.solved[i] = rows;
    if (arguments.counters == nullptr) continue;
    atomicAdd(&arguments.counters->rows, static_cast<unsigned long long>(rows) * rows);
  }
}

__global__ void __launch_bounds__(tile_threads, 2)
    tighten(SubstitutionArguments arguments, const ScreenTask* screens) {
  __shared__ TightenStage stage;
  if (*screens->variance.chosen != 0) return tighten_in_float32(arguments, screens, stage.screen);
  take_steps(
      arguments, 0, [](std::size_t) {}, stage.substitution);
}

/// s L⁻¹(row, column) of the rows that there are; 0 above the diagonal.
__device__ inline double inverse_at(const ScreenTask& task, double deviation, int row, int column) {
  if (row >= task.variance.rows || column > row) return 0.0;
  const int r = row / tile, c = column / tile;
  const double* const from =
      r == c ? task.variance.inverse_blocks + static_cast<std::size_t>(r) * tile * tile +
                   static_cast<std::size_t>(column % tile) * tile
             : task.gp.lower + static_cast<std::size_t>(r * tile + column % tile) * task.gp.stride + c * tile;
  return deviation * from[row % tile];
}

/// blockIdx.y is the task.
__global__ void __launch_bounds__(tile_threads) prepare_variances(const ScreenTask* tasks) {
  __shared__ double largest[tile_groups][tile];
  __shared__ double totals[tile_groups][tile];
  __shared__ float units[tile];
  const ScreenTask& task = tasks[blockIdx.y];
  const VarianceScreen& screen = task.variance;
  const int lane = threadIdx.x % tile, group = threadIdx.x / tile;
  const int row = static_cast<int>(blockIdx.x) * prepared_rows + lane;
  const double deviation = sqrt(task.gp.signal_variance);
  double own_largest = 0.0, own_total = 0.0;
  for (int column = group; column < screen.rows; column += tile_groups) {
    const double size = fabs(inverse_at(task, deviation, row, column));
    own_largest = size > own_largest ? size : own_largest;
    own_total += size;
  }
  largest[group][lane] = own_largest;
  totals[group][lane] = own_total;
  __syncthreads();
  if (group == 0) {
    for (int g = 1; g < tile_groups; ++g) {
      own_largest = largest[g][lane] > own_largest ? largest[g][lane] : own_largest;
      own_total += totals[g][lane];
    }
    FloatVarianceRow made = float_variance_row(own_largest, own_total, static_cast<double>(task.gp.columns));
    made.slack *= static_cast<float>(task.margin_share);
    screen.units[row] = made;
    units[lane] = made.unit;
  }
  __syncthreads();
  const double unit = static_cast<double>(units[lane]);
  for (int column = group; column < screen.rows; column += tile_groups)
    screen.inverse[column * screen.stride + row] =
        static_cast<float>(inverse_at(task, deviation, row, column) / unit);
}

/// One block.
__global__ void __launch_bounds__(tile_threads)
    choose_variances(CandidateView candidates, const ScreenTask* task, const std::uint32_t* sample, double floor,
                     bool forced, std::uint32_t* chosen) {
  static_assert(screen_samples % variance_lanes == 0);
  __shared__ VarianceStage stage;
  __shared__ double excesses[screen_samples];
  const double prior = task->gp.signal_variance;
  const int thread = threadIdx.x;
  for (int first = 0; first < screen_samples; first += variance_lanes) {
    const FloatExplained explained = explained_by(candidates, *task, sample[first + thread % variance_lanes], stage);
    if (thread >= variance_lanes) continue;
    const double usual = prior * (1.0 - explained.all);
    const double excess = float_variance(prior, explained.certain) / (usual > floor ? usual : floor);
    excesses[first + thread] = isnan(excess) ? HUGE_VAL : excess;
  }
  __syncthreads();
  if (thread >= screen_samples) return;
  int before = 0;
  for (int other = 0; other < screen_samples; ++other)
    before += excesses[other] < excesses[thread] || (excesses[other] == excesses[thread] && other < thread) ? 1 : 0;
  if (before != screen_samples / 2) return;
  constexpr double most = (1.0 + worthwhile_excess) * (1.0 + worthwhile_excess);
  *chosen = forced || excesses[thread] < most ? 1 : 0;
}

}  // namespace

cudaError_t launch_finish(cudaStream_t stream, const CandidateView& candidates, const CandidateList& list,
                          const ExactList& exact, const SubstitutionTask* tasks, int task_count, int rows,
                          const SubstitutionView& room, WorkCounters* counters) {
  if (list.size == 0 || task_count == 0 || rows == 0) return cudaSuccess;
  finish<<<room.blocks, tile_threads, 0, stream>>>({candidates, list, tasks, task_count, rows, room, counters},
                                                   {candidates, list, exact.tasks, counters}, exact.count);
  return cudaGetLastError();
}

cudaError_t launch_tighten(cudaStream_t stream, const CandidateView& candidates, const CandidateList& list,
                           const SubstitutionTask* tasks, const ScreenTask* screens, int task_count, int rows,
                           const SubstitutionView& room, WorkCounters* counters) {
  if (list.size == 0 || task_count == 0 || rows == 0) return cudaSuccess;
  tighten<<<room.blocks, tile_threads, 0, stream>>>({candidates, list, tasks, task_count, rows, room, counters},
                                                    screens);
  return cudaGetLastError();
}

cudaError_t launch_prepare_variances(cudaStream_t stream, const ScreenTask* tasks, int task_count, int rows) {
  const auto blocks = static_cast<unsigned>(variance_stride(static_cast<std::size_t>(rows)) / prepared_rows);
  prepare_variances<<<dim3(blocks, task_count), tile_threads, 0, stream>>>(tasks);
  return cudaGetLastError();
}

cudaError_t launch_choose_variances(cudaStream_t stream, const CandidateView& candidates, const ScreenTask* task,
                                    const std::uint32_t* sample, double floor, bool forced, std::uint32_t* chosen) {
  choose_variances<<<1, tile_threads, 0, stream>>>(candidates, task, sample, floor, forced, chosen);
  return cudaGetLastError();
}

void add_finish_kernels(std::vector<const void*>& kernels) {
  for (const void* kernel :
       {reinterpret_cast<const void*>(finish), reinterpret_cast<const void*>(tighten),
        reinterpret_cast<const void*>(prepare_variances), reinterpret_cast<const void*>(choose_variances)})
    kernels.push_back(kernel);
}

}  // namespace carbo::kernels
