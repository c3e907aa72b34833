#include "launch/substitution.cuh"

#include "device/substitution_device.cuh"

namespace carbo::kernels {
namespace {

__global__ void __launch_bounds__(tile_threads, 2) substitute(SubstitutionArguments arguments) {
  __shared__ SubstitutionStage stage;
  take_steps(
      arguments, 0, [](std::size_t) {}, stage);
}

}  // namespace

cudaError_t launch_substitution(cudaStream_t stream, const CandidateView& candidates, const CandidateList& list,
                                const SubstitutionTask* tasks, int task_count, int rows, const SubstitutionView& room,
                                WorkCounters* counters) {
  if (list.size == 0 || task_count == 0 || rows == 0) return cudaSuccess;
  substitute<<<room.blocks, tile_threads, 0, stream>>>({candidates, list, tasks, task_count, rows, room, counters});
  return cudaGetLastError();
}

void add_substitution_kernels(std::vector<const void*>& kernels) {
  kernels.push_back(reinterpret_cast<const void*>(substitute));
}

}  // namespace carbo::kernels
