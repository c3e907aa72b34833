#include "launch/responses.cuh"

#include "device/response_device.cuh"

namespace carbo::kernels {
namespace {

/// blockIdx.y is the task.
__global__ void __launch_bounds__(tile_threads, 2) respond(ResponseArguments arguments) {
  __shared__ ResponseStage<Refreshing> stage;
  const ResponseTask& task = arguments.tasks[blockIdx.y];
  if (task.exact.screened != nullptr && *task.exact.screened != in_float64) return;
  const GpView gp = task.gp;
  const std::size_t size = list_size(arguments.list);
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * Refreshing::lanes;
  for (std::size_t start = static_cast<std::size_t>(blockIdx.x) * Refreshing::lanes; start < size; start += step)
    respond_tile<Refreshing, false>(arguments, task, gp, start, size, stage);
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
