#pragma once

#include <cstddef>
#include <vector>

#include <cuda_runtime_api.h>

namespace carbo::kernels {

/// A linear cost over all candidates. All pointers are device memory.
struct LinearFieldTask {
  const double* features = nullptr;  ///< feature f of candidate i: f · size + i
  std::size_t size = 0;
  int feature_count = 0;
  const double* coefficients = nullptr;  ///< one a feature
  double intercept = 0;
  double knee = 0;
  const double* covariance = nullptr;  ///< (features + 1)², intercept last; null where no variance is wanted
  double spread = 0;
  bool relative = true;            ///< residuals are log ratios
  const double* offset = nullptr;  ///< added to the mean; null where there is none
  double* means = nullptr;
  double* variances = nullptr;  ///< unused without a covariance
};

cudaError_t launch_linear_field(cudaStream_t stream, const LinearFieldTask& task);

void add_linear_field_kernels(std::vector<const void*>& kernels);

}  // namespace carbo::kernels
