#include "launch/batch_steps.cuh"

namespace carbo::kernels {
namespace {

constexpr int batch_threads = 128;

__global__ void __launch_bounds__(batch_threads)
    follow_incumbents(const PickRecord* before, const double* values, double* incumbents, int count,
                      PickRecord* record) {
  const bool follows = values != nullptr && before->state.best.index[0] != no_candidate;
  for (int i = static_cast<int>(threadIdx.x); follows && i < count; i += batch_threads)
    if (values[i] < incumbents[i]) incumbents[i] = values[i];
  __syncthreads();
  if (threadIdx.x != 0) return;
  double sum = 0.0;
  for (int i = 0; i < count; ++i) sum += incumbents[i];
  record->incumbent = sum / count;
}

}  // namespace

cudaError_t launch_follow_incumbents(cudaStream_t stream, const PickRecord* before, const double* values,
                                     double* incumbents, int count, PickRecord* record) {
  follow_incumbents<<<1, batch_threads, 0, stream>>>(before, values, incumbents, count, record);
  return cudaGetLastError();
}

void add_batch_kernels(std::vector<const void*>& kernels) {
  kernels.push_back(reinterpret_cast<const void*>(follow_incumbents));
}

}  // namespace carbo::kernels
