#pragma once

#include <cstddef>
#include <vector>

#include <cuda_runtime_api.h>

#include "device/device_views.hpp"

namespace carbo::kernels {

/// Posterior of the noise-free function at `count` queries from v = L⁻¹k(X, query), query q from solved + q · stride
/// on, over observed rows: mean and variance, floored at rounding level. `prior`: prior mean at each query, null
/// where it is gp.mean; `whitened`: L⁻¹(y − prior mean).
cudaError_t launch_query_posterior(cudaStream_t stream, const GpView& gp, const double* prior, const double* whitened,
                                   const double* solved, std::size_t stride, int count, double* mean,
                                   double* variance);

/// What posterior means at the rows of a factor are made of; fantasised rows follow the observed ones.
struct FittedRows {
  const double* whitened;  ///< L⁻¹(y − mean), one an observed row
  const double* normals;   ///< of fantasised point t and fantasy f: t · fantasies + f, as are `values`
  const double* targets;   ///< one an observed row
  const double* values;
  const double* diagonal;  ///< noise and jitter, one a row
  int observed;
  int rows;
  int fantasies;  ///< at least 1
};

/// Column f of `columns` (`stride` apart): the whitened values of fantasy f, one a row.
cudaError_t launch_whitened_columns(cudaStream_t stream, const FittedRows& rows, double* columns, std::size_t stride);
/// lowest[f]: the least of y − diagonal · weight over all rows; `weights`: the columns after a backward solve.
cudaError_t launch_lowest_means(cudaStream_t stream, const FittedRows& rows, const double* weights,
                                std::size_t stride, double* lowest);

/// The identity's first `columns` columns, of `rows` rows, column-major and `rows` apart.
cudaError_t launch_identity(cudaStream_t stream, double* matrix, int rows, int columns);
/// Prediction of each target from all others: `inverse` holds columns [first, first + count) of L⁻¹ from row `first`
/// down, `rows` rows each. Writes entries [first, first + count) of `mean` and `variance`.
cudaError_t launch_leave_one_out(cudaStream_t stream, const double* inverse, int rows, int first, int count,
                                 const double* targets, const double* weights, double* mean, double* variance);

void add_factor_reads_kernels(std::vector<const void*>& kernels);

}  // namespace carbo::kernels
