#include "device/grid_stride.cuh"
#include "launch/fields.cuh"

namespace carbo::kernels {
namespace {

__global__ void __launch_bounds__(stride_threads)
    spread_kernel(const double* means, std::size_t size, std::size_t copies, double* target) {
  for (std::size_t i = first_element(); i < size; i += element_step()) {
    const double mean = means[i];
    for (std::size_t f = 0; f < copies; ++f) target[f * size + i] = mean;
  }
}

}  // namespace

cudaError_t launch_spread(cudaStream_t stream, const double* means, std::size_t size, std::size_t copies,
                          double* target) {
  if (size == 0 || copies == 0) return cudaSuccess;
  spread_kernel<<<stride_blocks(size), stride_threads, 0, stream>>>(means, size, copies, target);
  return cudaGetLastError();
}

void add_field_kernels(std::vector<const void*>& kernels) {
  kernels.push_back(reinterpret_cast<const void*>(spread_kernel));
}

}  // namespace carbo::kernels
