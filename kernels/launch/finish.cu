#include "launch/finish.cuh"

#include "device/float_variance_tile.cuh"
#include "device/response_device.cuh"
#include "device/substitution_device.cuh"

namespace carbo::kernels {
namespace {

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
        const ResponseTask& task = settled.tasks[step % tasks];
        respond_tile<Settling, true>(settled, task, task.gp, step / tasks * Settling::lanes, size, stage.settling);
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

void add_finish_kernels(std::vector<const void*>& kernels) {
  kernels.push_back(reinterpret_cast<const void*>(finish));
  kernels.push_back(reinterpret_cast<const void*>(tighten));
}

}  // namespace carbo::kernels
