#include "device/grid_stride.cuh"
#include "launch/sobol_rows.cuh"

namespace carbo::kernels {
namespace {

constexpr int most_blocks_y = 65535;

/// Blocks: x over points, y over axes.
__global__ void __launch_bounds__(stride_threads)
    sobol_rows_kernel(const SobolAxis* axes, int axis_count, std::uint32_t first, const std::uint32_t* indices,
                      std::size_t count, double* target, std::size_t stride) {
  for (int a = static_cast<int>(blockIdx.y); a < axis_count; a += static_cast<int>(gridDim.y)) {
    const SobolAxis& axis = axes[a];
    double* const columns = target + static_cast<std::size_t>(axis.first_column) * stride;
    for (std::size_t j = first_element(); j < count; j += element_step()) {
      const std::uint32_t index = indices == nullptr ? first + static_cast<std::uint32_t>(j) : indices[j];
      const double level = sobol_level(axis, index);
      for (int c = 0; c < axis.columns; ++c)
        columns[static_cast<std::size_t>(c) * stride + j] = encoded_value(axis, level, c);
    }
  }
}

}  // namespace

cudaError_t launch_sobol_rows(cudaStream_t stream, const SobolAxis* axes, int axis_count, std::uint32_t first,
                              const std::uint32_t* indices, std::size_t count, double* target, std::size_t stride) {
  if (count == 0 || axis_count == 0) return cudaSuccess;
  const dim3 blocks(stride_blocks(count),
                    static_cast<unsigned>(axis_count < most_blocks_y ? axis_count : most_blocks_y));
  sobol_rows_kernel<<<blocks, stride_threads, 0, stream>>>(axes, axis_count, first, indices, count, target, stride);
  return cudaGetLastError();
}

void add_sobol_kernels(std::vector<const void*>& kernels) {
  kernels.push_back(reinterpret_cast<const void*>(sobol_rows_kernel));
}

}  // namespace carbo::kernels
