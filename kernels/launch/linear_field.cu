#include "device/grid_stride.cuh"
#include "formulas/linear_cost.hpp"
#include "launch/linear_field.cuh"

namespace carbo::kernels {
namespace {

/// Σ c_j φ_j + c₀.
__device__ double feature_sum(const LinearFieldTask& task, std::size_t i) {
  double sum = task.intercept;
  for (int f = 0; f < task.feature_count; ++f)
    sum += task.coefficients[f] * task.features[static_cast<std::size_t>(f) * task.size + i];
  return sum;
}

/// φᵀCφ, with 1 for the intercept.
__device__ double explained(const LinearFieldTask& task, std::size_t i) {
  const double* row = task.covariance;
  double form = 0.0;
  for (int f = 0; f <= task.feature_count; ++f, row += task.feature_count + 1) {
    double product = row[task.feature_count];
    for (int g = 0; g < task.feature_count; ++g)
      product += row[g] * task.features[static_cast<std::size_t>(g) * task.size + i];
    form += f < task.feature_count ? product * task.features[static_cast<std::size_t>(f) * task.size + i] : product;
  }
  // Rounding may leave a form that is 0 a little below it.
  return form < 0.0 ? 0.0 : form;
}

__global__ void __launch_bounds__(stride_threads) linear_field_kernel(LinearFieldTask task) {
  for (std::size_t i = first_element(); i < task.size; i += element_step()) {
    const LogLinearCost cost = log_linear_cost(feature_sum(task, i), task.knee);
    task.means[i] = task.offset == nullptr ? cost.value : cost.value + task.offset[i];
    if (task.covariance != nullptr)
      task.variances[i] = log_linear_variance(cost, explained(task, i), task.spread, task.relative);
  }
}

}  // namespace

cudaError_t launch_linear_field(cudaStream_t stream, const LinearFieldTask& task) {
  if (task.size == 0) return cudaSuccess;
  linear_field_kernel<<<stride_blocks(task.size), stride_threads, 0, stream>>>(task);
  return cudaGetLastError();
}

void add_linear_field_kernels(std::vector<const void*>& kernels) {
  kernels.push_back(reinterpret_cast<const void*>(linear_field_kernel));
}

}  // namespace carbo::kernels
