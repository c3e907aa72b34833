#include <algorithm>

#include "backend/checks.hpp"
#include "backend/cuda/factor.hpp"
#include "launch/factor_reads.cuh"
#include "launch/inverse.cuh"

namespace carbo::internal {
namespace {

/// Right-hand sides that are solved together, so that no n × n matrix is needed beside L.
constexpr std::size_t panel_columns = 256;

}  // namespace

void CudaFactor::predict(MatrixView points, std::span<double> mean, std::span<double> variance) const {
  const DeviceScope scope(*context_);
  check_size(points.columns, columns(), "predict, columns");
  check_size(mean.size(), points.rows, "predict, means");
  if (!variance.empty()) check_size(variance.size(), points.rows, "predict, variances");
  check_finite(points, "predict, points");
  if (points.rows == 0) return;
  if (variance.empty()) return predict_means(points, mean);
  const std::size_t panel = std::min(panel_columns, points.rows);
  auto queries = context_->buffer<double>(panel * columns());
  auto solved = context_->buffer<double>(panel * capacity_);
  auto prior = context_->buffer<double>(background_.points > 0 ? panel : 0);
  auto results = context_->buffer<double>(2 * points.rows);
  for (std::size_t first = 0; first < points.rows; first += panel) {
    const std::size_t count = std::min(panel, points.rows - first);
    const int queried = static_cast<int>(count);
    double* const means = results.data() + first;
    context_->upload(queries.data(), std::span(points.data + first * columns(), count * columns()));
    context_->check(kernels::launch_query_covariances(context_->stream(), view(), queries.data(), queried,
                                                      solved.data(), capacity_),
                    "covariances with queries");
    solve(CUBLAS_OP_N, observed_, solved.data(), count, capacity_);
    if (background_.points > 0) enqueue_prior(queries.data(), count, prior.data());
    context_->check(kernels::launch_query_posterior(
                        context_->stream(), view(), background_.points > 0 ? prior.data() : nullptr,
                        fit_.whitened.data(), solved.data(), capacity_, queried, means, means + points.rows),
                    "posterior at queries");
  }
  std::vector<double> values(2 * points.rows);
  context_->download<double>(values, results.data());
  const auto variances = values.begin() + static_cast<std::ptrdiff_t>(points.rows);
  std::copy(values.begin(), variances, mean.begin());
  std::copy(variances, values.end(), variance.begin());
}

const double* CudaFactor::enqueue_inverse() const {
  if (inverted_ == observed_) return inverse_blocks_.data();
  const std::size_t first = inverted_ / kernels::inverse_block;  // a block that was not full is made anew
  if (const std::size_t needed = kernels::diagonal_blocks_size(capacity_); inverse_blocks_.size() < needed) {
    auto larger = context_->buffer<double>(needed);
    context_->copy_on_device(larger.data(), inverse_blocks_.data(), kernels::diagonal_blocks_size(inverted_));
    inverse_blocks_ = std::move(larger);
  }
  context_->check(kernels::launch_inverse(context_->stream(), view(), lower_.data(), inverse_blocks_.data(),
                                          static_cast<int>(first)),
                  "inverting L");
  inverted_ = observed_;
  return inverse_blocks_.data();
}

void CudaFactor::enqueue_lowest_fitted_mean(double* lowest) const {
  const std::size_t count = std::max<std::size_t>(fantasies_, 1);
  auto weights = context_->buffer<double>(count * capacity_);
  const kernels::FittedRows fitted{.whitened = fit_.whitened.data(),
                                   .normals = fantasised_.normals.data(),
                                   .targets = fit_.targets.data(),
                                   .values = fantasised_.values.data(),
                                   .diagonal = diagonal_.data(),
                                   .observed = static_cast<int>(observed_),
                                   .rows = static_cast<int>(rows_),
                                   .fantasies = static_cast<int>(count)};
  context_->check(kernels::launch_whitened_columns(context_->stream(), fitted, weights.data(), capacity_),
                  "whitened values by fantasy");
  solve(CUBLAS_OP_T, rows_, weights.data(), count, capacity_);
  context_->check(kernels::launch_lowest_means(context_->stream(), fitted, weights.data(), capacity_, lowest),
                  "lowest fitted means");
}

std::vector<double> CudaFactor::lowest_fitted_mean() const {
  const DeviceScope scope(*context_);
  const std::size_t count = std::max<std::size_t>(fantasies_, 1);
  auto lowest = context_->buffer<double>(count);
  enqueue_lowest_fitted_mean(lowest.data());
  std::vector<double> result(count);
  context_->download<double>(result, lowest.data());
  return result;
}

LeaveOneOut CudaFactor::leave_one_out() const {
  const DeviceScope scope(*context_);
  auto panel = context_->buffer<double>(observed_ * std::min(panel_columns, observed_));
  auto results = context_->buffer<double>(2 * observed_);
  double* const variances = results.data() + observed_;
  const double one = 1.0;
  // Column j of L⁻¹ is zero above row j, so a panel needs only the part of L below and right of where it begins.
  for (std::size_t first = 0; first < observed_; first += panel_columns) {
    const int rows = static_cast<int>(observed_ - first);
    const int count = std::min(rows, static_cast<int>(panel_columns));
    context_->check(kernels::launch_identity(context_->stream(), panel.data(), rows, count),
                    "a part of the identity");
    context_->check(cublasDtrsm(context_->blas(), CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N,
                                CUBLAS_DIAG_NON_UNIT, rows, count, &one, lower_.data() + first * (capacity_ + 1),
                                static_cast<int>(capacity_), panel.data(), rows),
                    "cublasDtrsm");
    context_->check(
        kernels::launch_leave_one_out(context_->stream(), panel.data(), rows, static_cast<int>(first), count,
                                      fit_.targets.data(), fit_.weights.data(), results.data(), variances),
        "leaving one out");
  }
  LeaveOneOut result{std::vector<double>(observed_), std::vector<double>(observed_)};
  std::vector<double> values(2 * observed_);
  context_->download<double>(values, results.data());
  std::copy_n(values.begin(), observed_, result.mean.begin());
  std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(observed_), observed_, result.variance.begin());
  return result;
}

}  // namespace carbo::internal
