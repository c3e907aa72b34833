#pragma once

#include <cstddef>
#include <vector>

#include <cuda_runtime_api.h>

namespace carbo::kernels {

/// One kernel matrix to build in device memory: signal_variance · Matérn over points that are already divided by the
/// lengthscales, coordinate c of row i at points[c · point_stride + i]. Element (i, j), i ≥ j, goes to
/// matrix[j · matrix_stride + i]; what lies above the diagonal is left alone. Diagonal element i is signal_variance +
/// noise_variance / counts[i] + jitter.
struct GramTask {
  const double* points;
  std::size_t point_stride;
  double* matrix;
  std::size_t matrix_stride;
  int rows;
  int columns;
  double signal_variance;
  double noise_variance;
  double jitter;
  const double* counts;  ///< device memory, one a row; null where all are 1
};

/// All tasks in one launch. `device_tasks` is device memory; `most_rows` the rows of the largest task.
cudaError_t launch_gram(cudaStream_t stream, const GramTask* device_tasks, int tasks, int most_rows);

/// Points to divide by lengthscales and to lay out by coordinate: element (i, c) of row_major goes to
/// scaled[c · stride + i]. All pointers are device memory.
struct ScaleTask {
  const double* row_major;
  const double* inverse_lengthscales;  ///< one a column
  double* scaled;
  std::size_t stride;  ///< at least rows
  int rows;
  int columns;
};

/// All tasks in one launch. `most_elements`: rows · columns of the largest.
cudaError_t launch_scale_tasks(cudaStream_t stream, const ScaleTask* device_tasks, int tasks,
                               std::size_t most_elements);

void add_gram_kernels(std::vector<const void*>& kernels);

}  // namespace carbo::kernels
