#pragma once

#include <cstddef>
#include <vector>

#include <cuda_runtime_api.h>

namespace carbo::kernels {

/// One log marginal likelihood with its gradient, in device memory. Matrices are column-major with `stride` elements
/// a column; n = rows. The steps, with library calls between them:
///
///     right_sides     solved = [1 | y − mean | I]
///     (potrf, trsm)   factor = L, solved = [L⁻¹1 | L⁻¹(y − mean) | L⁻¹]
///     whiten          the mean where it is not given; second column of solved = w = L⁻¹(y − mean); value results
///     (gemm)          factor = [L⁻ᵀw | lower triangle of L⁻ᵀL⁻¹] = [α | K⁻¹]
///     gradient        sums over W = αα' − K⁻¹, one set a tile
///     gradient_sums   their totals
struct LikelihoodTask {
  const double* points;  ///< divided by the lengthscales; coordinate c of row i at c · stride + i
  const double* targets;
  const double* counts;  ///< as in GramTask
  double* factor;        ///< n + 1 columns
  double* solved;        ///< n + 2 columns
  double* partials;      ///< sum s of tile t at s · likelihood_tiles(rows) + t
  double* results;       ///< likelihood_results(columns) values, see LikelihoodResult
  const int* info;       ///< potrf's, not 0 where it failed
  std::size_t stride;
  int rows;
  int columns;
  bool mean_given;
  double mean;            ///< 0 where it is to be estimated
  double smallest_pivot;  ///< a factor with ℓ² not above it does not count
};

/// Places in the results. Where the factor is not usable, only `usable` is written, as 0.
struct LikelihoodResult {
  enum Place : int {
    usable,        ///< 1 or 0
    mean,          ///< given or by generalised least squares
    log_pivots,    ///< Σ log ℓ
    squared_norm,  ///< |w|²
    sums,  ///< over i > j: Σ W · slope · (difference of coordinate c)², one a coordinate; Σ W · correlation;
           ///< then the trace of W; last the same with every row divided by its count, 0 where there are none
  };
};

/// Sums over tiles.
inline std::size_t likelihood_sums(int columns) { return static_cast<std::size_t>(columns) + 2; }
inline std::size_t likelihood_results(int columns) { return LikelihoodResult::sums + likelihood_sums(columns) + 1; }
/// Sets of partial sums that the gradient makes.
std::size_t likelihood_tiles(int rows);

/// Each is one launch over all tasks, which are device memory; `most_*` belongs to the largest.
cudaError_t launch_right_sides(cudaStream_t stream, const LikelihoodTask* device_tasks, int tasks, int most_rows);
cudaError_t launch_whiten(cudaStream_t stream, const LikelihoodTask* device_tasks, int tasks);
cudaError_t launch_gradient(cudaStream_t stream, const LikelihoodTask* device_tasks, int tasks, int most_rows);
cudaError_t launch_gradient_sums(cudaStream_t stream, const LikelihoodTask* device_tasks, int tasks,
                                 int most_columns);

void add_likelihood_step_kernels(std::vector<const void*>& kernels);

}  // namespace carbo::kernels
