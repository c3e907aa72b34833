#include "launch/batch_steps.cuh"

#include "device/incumbents.cuh"

namespace carbo::kernels {
namespace {

constexpr int batch_threads = 128;

__global__ void __launch_bounds__(batch_threads) first_incumbents(IncumbentTarget target) {
  follow_incumbents(target);
}

}  // namespace

cudaError_t launch_follow_incumbents(cudaStream_t stream, const IncumbentTarget& target) {
  first_incumbents<<<1, batch_threads, 0, stream>>>(target);
  return cudaGetLastError();
}

void add_batch_kernels(std::vector<const void*>& kernels) {
  kernels.push_back(reinterpret_cast<const void*>(first_incumbents));
}

}  // namespace carbo::kernels
