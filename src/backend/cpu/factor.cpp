#include "backend/cpu/factor.hpp"

#include <algorithm>
#include <carbo/error.hpp>
#include <cmath>
#include <functional>

#include "acquisition/proof.hpp"
#include "backend/checks.hpp"
#include "backend/factor_room.hpp"
#include "backend/jitter_policy.hpp"
#include "support/room.hpp"

namespace carbo::internal {

CpuFactor::CpuFactor(std::shared_ptr<ThreadPool> pool, MatrixView points, std::span<const double> targets,
                     GpParameters parameters, std::span<const double> counts)
    : pool_(std::move(pool)), parameters_(std::move(parameters)), triangles_(std::make_unique<Scratch>()) {
  if (points.rows == 0) throw InvalidOptions("factor: no points given; at least one is needed");
  check_size(targets.size(), points.rows, "factor, targets");
  check_counts(counts, points.rows, "factor");
  check_parameters(parameters_, points.columns);
  check_finite(points, "factor, points");
  check_finite(targets, "factor, targets");
  reserve(first_capacity(points.rows));
  const ScaledPoints scaled = scale(points);
  for (std::size_t i = 0; i < points.rows; ++i) store_point(i, scaled.view(), i);
  observed_ = rows_ = points.rows;
  const double smallest = smallest_pivot(rows_) * mean_diagonal();
  RowNoise noise{parameters_.noise_variance, 0.0, counts};
  const auto works = [&](double jitter) {
    noise.jitter = jitter * mean_diagonal();
    fill_gram(*pool_, this->points(), rows_, parameters_.signal_variance, noise, all_lower().upper());
    return factorise(*pool_, all_lower().upper(), rows_, smallest);
  };
  const auto found = std::find_if(jitter_steps.begin(), jitter_steps.end(), works);
  if (found == jitter_steps.end())
    throw NumericalError(
        "factor: the covariance of " + std::to_string(rows_) +
        " points is not positive definite even with a jitter of 1e-4 of its mean diagonal; check the "
        "hyperparameters and raise the noise");
  mirror_upper(triangles_->data(), capacity_, rows_);
  jitter_ = *found;
  for (std::size_t i = 0; i < rows_; ++i) diagonal_.push_back(noise.at(i));
  prior_.assign(rows_, parameters_.mean);
  set_targets(targets);
}

void CpuFactor::reserve(std::size_t rows) {
  if (rows <= capacity_) return;
  const std::size_t capacity = matrix_stride(grown_capacity(rows, capacity_));
  auto triangles = std::make_unique<Scratch>();
  triangles->reserve(capacity * capacity);
  for (std::size_t i = 0; i < rows_; ++i) std::copy_n(all_lower().row(i), rows_, triangles->data() + i * capacity);
  std::vector<double> scaled(columns() * capacity, 0.0);
  for (std::size_t c = 0; c < columns(); ++c)
    std::copy_n(scaled_.data() + c * capacity_, rows_, scaled.data() + c * capacity);
  triangles_ = std::move(triangles);
  scaled_ = std::move(scaled);
  capacity_ = capacity;
}

void CpuFactor::store_point(std::size_t row, const PointColumns& scaled, std::size_t which) {
  for (std::size_t c = 0; c < columns(); ++c) scaled_[c * capacity_ + row] = scaled.data[c * scaled.stride + which];
}

void CpuFactor::set_targets(std::span<const double> targets) {
  if (fantasised() > 0) throw InvalidOptions("set_targets: drop the fantasised points first");
  check_size(targets.size(), observed_, "set_targets, targets");
  check_finite(targets, "set_targets, targets");
  std::vector<double> whitened = whiten(targets, prior_);
  targets_.assign(targets.begin(), targets.end());
  whitened_ = std::move(whitened);
}

std::vector<double> CpuFactor::whiten(std::span<const double> targets, std::span<const double> prior) const {
  std::vector<double> whitened(observed_);
  std::transform(targets.begin(), targets.end(), prior.begin(), whitened.begin(), std::minus<>());
  solve_lower(observed_lower(), whitened.data());
  return whitened;
}

void CpuFactor::drop_fantasies() {
  rows_ = observed_;
  diagonal_.resize(rows_);
  fantasies_.clear();
  fitted_weights_.clear();
}

std::vector<double> CpuFactor::weights() const {
  std::vector<double> weights = whitened_;
  solve_lower_transposed(observed_lower(), weights.data());
  return weights;
}

std::vector<double> CpuFactor::lowest_fitted_mean() const {
  std::vector<std::vector<double>> observed;
  if (fantasies_.empty()) observed.push_back(weights());
  const std::vector<std::vector<double>>& all = fantasies_.empty() ? observed : fitted_weights_;
  std::vector<double> lowest;
  for (std::size_t f = 0; f < all.size(); ++f) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < rows_; ++i) {
      const double target = i < observed_ ? targets_[i] : fantasies_[i - observed_].values[f];
      least = std::min(least, target - diagonal_[i] * all[f][i]);
    }
    lowest.push_back(least);
  }
  return lowest;
}

LeaveOneOut CpuFactor::leave_one_out() const {
  Scratch storage;
  storage.reserve(Strips::doubles_for(observed_, observed_));
  const Strips inverse = Strips::in_order(storage.data(), observed_);
  std::vector<double> precision(observed_, 0.0);
  const std::size_t blocks = (observed_ + cholesky_block - 1) / cholesky_block;
  pool_->parallel_for(blocks, [&](std::size_t b) {
    const std::size_t first = b * cholesky_block;
    const std::size_t end = std::min(observed_, first + cholesky_block);
    invert_columns(LeftSide<Layout::rows>{triangles_->data(), capacity_}, observed_, first, end - first, inverse);
    for (std::size_t j = first; j < end; ++j)
      for (std::size_t i = first; i < observed_; ++i) precision[j] += *inverse.at(i, j) * *inverse.at(i, j);
  });
  const std::vector<double> residual_weights = weights();
  LeaveOneOut result;
  for (std::size_t i = 0; i < observed_; ++i) {
    result.mean.push_back(targets_[i] - residual_weights[i] / precision[i]);
    result.variance.push_back(1.0 / precision[i]);
  }
  return result;
}

}  // namespace carbo::internal
