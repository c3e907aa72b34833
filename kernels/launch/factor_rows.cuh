#pragma once

#include <cstddef>
#include <vector>

#include <cuda_runtime_api.h>

#include "device/contender_view.hpp"
#include "device/device_views.hpp"

namespace carbo::kernels {

/// Whether a Cholesky factor may be used: info 0 and every pivot L_ii² above `smallest`.
struct PivotTask {
  const double* lower;
  std::size_t stride;
  int rows;
  double smallest;
};

/// works[k] = 1 where factor k may be used, else 0. `device_tasks`, `infos` and `works`: device memory, one a task.
cudaError_t launch_check_pivots(cudaStream_t stream, const PivotTask* device_tasks, int tasks, const int* infos,
                                int* works);

/// One more row of a factor that has `rows` rows, `observed` of them observed; all memory has room for it, and
/// nothing of the rows before is written. Layouts as in GpView.
struct RowTask {
  double* points;
  const double* inverse_lengthscales;
  double* lower;
  double* diagonal;  ///< what is added to the signal variance on the diagonal, one a row
  double* whitened;  ///< L⁻¹(y − prior mean), one an observed row
  double* column;    ///< k(X, x*), after a forward solve l = L⁻¹k, after a backward solve β = L⁻ᵀl; one a row
  std::size_t stride;
  int columns;
  int rows;
  int observed;
  double signal_variance;
  double mean;
  const double* prior;    ///< prior mean at x*; null: `mean`
  double own_variance;    ///< k(x*,x*) with noise and jitter
  double usual_diagonal;  ///< noise and jitter
  double least_pivot;     ///< smallest ℓ² that is taken as it is
  double* pivots;         ///< from here on: of fantasised points, as in GpView
  double* normals;
  double* response_errors;
  double* values;  ///< y* of fantasised point t and fantasy f: t · fantasies + f
  int fantasies;
};

/// column = k(X, point); the point, divided by the lengthscales, becomes row `rows` of `points`. `device_tasks` and
/// `point` (one value a column, not divided) are device memory; `most_rows`: rows of the largest task.
cudaError_t launch_row_covariances(cudaStream_t stream, const RowTask* device_tasks, int tasks, int most_rows,
                                   const double* point);

/// From l: the new row of L, diagonal and whitened value of an observed point whose target is the prior mean. works =
/// 1 where ℓ² is above least_pivot, else 0 (the row is then of no use).
cudaError_t launch_append_row(cudaStream_t stream, const RowTask* device_task, double* targets, int* works);

/// From l: the new row of L and diagonal of a fantasised point with ℓ² of at least least_pivot, its pivot, and
/// y* = prior mean + l·w + ℓ z for each fantasy. `normals` and `values`: task after task, device memory.
cudaError_t launch_fantasise_rows(cudaStream_t stream, const RowTask* device_tasks, int tasks, const double* normals,
                                  double* values);

/// From β: the response, signal variance · β, and what rounding may add to it. Incumbents follow what was fantasised.
cudaError_t launch_finish_responses(cudaStream_t stream, const RowTask* device_tasks, int tasks,
                                    const IncumbentTarget& incumbents);

/// out[q · stride + i] = k(x_i, query q) over observed rows; queries row-major, not divided by the lengthscales.
cudaError_t launch_query_covariances(cudaStream_t stream, const GpView& gp, const double* queries, int count,
                                     double* out, std::size_t stride);

void add_factor_rows_kernels(std::vector<const void*>& kernels);

}  // namespace carbo::kernels
