#include "backend/cpu/factor.hpp"

#include <algorithm>
#include <carbo/error.hpp>
#include <cmath>
#include <functional>
#include <numeric>

#include "acquisition/proof.hpp"
#include "backend/checks.hpp"
#include "backend/factor_room.hpp"
#include "backend/jitter_policy.hpp"
#include "support/room.hpp"

namespace carbo::internal {
namespace {

double dot(const double* a, const double* b, std::size_t count) { return std::inner_product(a, a + count, b, 0.0); }

}  // namespace

CpuFactor::CpuFactor(std::shared_ptr<ThreadPool> pool, MatrixView points, std::span<const double> targets,
                     GpParameters parameters, std::span<const double> counts)
    : pool_(std::move(pool)), parameters_(std::move(parameters)), lower_(std::make_unique<Scratch>()) {
  if (points.rows == 0) throw InvalidOptions("factor: no points given; at least one is needed");
  check_size(targets.size(), points.rows, "factor, targets");
  check_counts(counts, points.rows, "factor");
  check_parameters(parameters_, points.columns);
  check_finite(points, "factor, points");
  check_finite(targets, "factor, targets");
  reserve(first_capacity(points.rows));
  for (std::size_t i = 0; i < points.rows; ++i) store_point(i, scale(points.row(i)));
  observed_ = rows_ = points.rows;
  const double smallest = smallest_pivot(rows_) * mean_diagonal();
  RowNoise noise{parameters_.noise_variance, 0.0, counts};
  const auto works = [&](double jitter) {
    noise.jitter = jitter * mean_diagonal();
    fill_gram(*pool_, this->points(), parameters_.signal_variance, noise, all_lower());
    return factorise(*pool_, all_lower(), smallest);
  };
  const auto found = std::find_if(jitter_steps.begin(), jitter_steps.end(), works);
  if (found == jitter_steps.end())
    throw NumericalError(
        "factor: the covariance of " + std::to_string(rows_) +
        " points is not positive definite even with a jitter of 1e-4 of its mean diagonal; check the "
        "hyperparameters and raise the noise");
  jitter_ = *found;
  for (std::size_t i = 0; i < rows_; ++i) diagonal_.push_back(noise.at(i));
  prior_.assign(rows_, parameters_.mean);
  set_targets(targets);
}

void CpuFactor::reserve(std::size_t rows) {
  if (rows <= capacity_) return;
  const std::size_t capacity = matrix_stride(grown_capacity(rows, capacity_));
  auto lower = std::make_unique<Scratch>();
  lower->reserve(capacity * capacity);
  for (std::size_t i = 0; i < rows_; ++i) std::copy_n(all_lower().row(i), i + 1, lower->data() + i * capacity);
  std::vector<double> scaled(columns() * capacity, 0.0);
  for (std::size_t c = 0; c < columns(); ++c)
    std::copy_n(scaled_.data() + c * capacity_, rows_, scaled.data() + c * capacity);
  lower_ = std::move(lower);
  scaled_ = std::move(scaled);
  capacity_ = capacity;
}

std::vector<double> CpuFactor::scale(std::span<const double> point) const {
  std::vector<double> scaled(point.size());
  for (std::size_t c = 0; c < point.size(); ++c) scaled[c] = point[c] * parameters_.inverse_lengthscales[c];
  return scaled;
}

void CpuFactor::store_point(std::size_t row, std::span<const double> point) {
  for (std::size_t c = 0; c < columns(); ++c) scaled_[c * capacity_ + row] = point[c];
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

NewRow CpuFactor::solve_new_row(std::span<const double> scaled_point) const {
  NewRow row;
  row.solved.resize(padded(rows_));
  covariance_row(scaled_point.data(), 1, points(), rows_, parameters_.signal_variance, row.solved.data());
  row.solved.resize(rows_);
  solve_lower(all_lower(), row.solved.data());
  const double diagonal = mean_diagonal() * (1.0 + jitter_);
  row.pivot_squared = diagonal - dot(row.solved.data(), row.solved.data(), rows_);
  return row;
}

void CpuFactor::add_row(std::span<const double> scaled_point, const NewRow& row, double pivot_squared) {
  reserve(rows_ + 1);
  store_point(rows_, scaled_point);
  double* target = lower_->data() + rows_ * capacity_;
  std::copy(row.solved.begin(), row.solved.end(), target);
  target[rows_] = std::sqrt(pivot_squared);
  const double usual = parameters_.noise_variance + jitter_ * mean_diagonal();
  diagonal_.push_back(usual + (pivot_squared - row.pivot_squared));
  ++rows_;
}

bool CpuFactor::append(std::span<const double> point) {
  if (fantasised() > 0) throw InvalidOptions("append: drop the fantasised points first");
  check_size(point.size(), columns(), "append, coordinates");
  check_finite(point, "append, point");
  const std::vector<double> scaled_point = scale(point);
  const NewRow row = solve_new_row(scaled_point);
  if (!(row.pivot_squared > smallest_pivot(rows_ + 1) * mean_diagonal())) return false;
  const double prior = prior_at(scaled_point);
  for (std::vector<double>* const grown : {&diagonal_, &whitened_, &targets_, &prior_}) make_room(*grown, 1);
  add_row(scaled_point, row, row.pivot_squared);
  whitened_.push_back(-dot(row.solved.data(), whitened_.data(), observed_) / std::sqrt(row.pivot_squared));
  targets_.push_back(prior);
  prior_.push_back(prior);
  ++observed_;
  return true;
}

std::vector<double> CpuFactor::fantasise(std::span<const double> point, std::span<const double> normals) {
  check_size(point.size(), columns(), "fantasise, coordinates");
  check_finite(point, "fantasise, point");
  check_finite(normals, "fantasise, normals");
  if (normals.empty()) throw InvalidOptions("fantasise: at least one normal a member is needed");
  if (fantasised() > 0) check_size(normals.size(), fantasies_.front().normals.size(), "fantasise, normals a member");
  const std::vector<double> scaled_point = scale(point);
  const NewRow row = solve_new_row(scaled_point);
  const double pivot_squared = std::max(row.pivot_squared, fantasy_pivot * mean_diagonal());
  Fantasy fantasy;
  fantasy.pivot = std::sqrt(pivot_squared);
  fantasy.normals.assign(normals.begin(), normals.end());
  fantasy.weights = row.solved;
  solve_lower_transposed(all_lower(), fantasy.weights.data());
  fantasy.response_error = response_error(fantasy.weights, fantasy.pivot);
  for (double& weight : fantasy.weights) weight *= parameters_.signal_variance;
  const double shared_mean = prior_at(scaled_point) + dot(row.solved.data(), whitened_.data(), observed_);
  for (std::size_t f = 0; f < normals.size(); ++f) {
    double mean = shared_mean;
    for (std::size_t t = 0; t < fantasised(); ++t) mean += row.solved[observed_ + t] * fantasies_[t].normals[f];
    fantasy.values.push_back(mean + fantasy.pivot * normals[f]);
  }
  add_row(scaled_point, row, pivot_squared);
  fantasies_.push_back(std::move(fantasy));
  return fantasies_.back().values;
}

double CpuFactor::response_error(std::span<const double> beta, double pivot) const {
  const double norm = std::sqrt(std::inner_product(beta.begin(), beta.end(), beta.begin(), 0.0));
  return kernels::response_error(parameters_.signal_variance, static_cast<double>(rows_), norm, pivot);
}

void CpuFactor::drop_fantasies() {
  rows_ = observed_;
  diagonal_.resize(rows_);
  fantasies_.clear();
}

std::vector<double> CpuFactor::weights() const {
  std::vector<double> weights = whitened_;
  solve_lower_transposed(observed_lower(), weights.data());
  return weights;
}

void CpuFactor::predict(MatrixView points, std::span<double> mean, std::span<double> variance) const {
  check_size(points.columns, columns(), "predict, columns");
  check_size(mean.size(), points.rows, "predict, means");
  if (!variance.empty()) check_size(variance.size(), points.rows, "predict, variances");
  check_finite(points, "predict, points");
  if (variance.empty()) return predict_means(points, mean);
  const double floor = kernels::variance_floor(parameters_.signal_variance, static_cast<double>(observed_));
  pool_->parallel_for(points.rows, [&](std::size_t p) {
    std::vector<double> solved(padded(observed_));
    const std::vector<double> scaled_point = scale(points.row(p));
    covariance_row(scaled_point.data(), 1, this->points(), observed_, parameters_.signal_variance, solved.data());
    solve_lower(observed_lower(), solved.data());
    mean[p] = prior_at(scaled_point) + dot(solved.data(), whitened_.data(), observed_);
    const double explained = dot(solved.data(), solved.data(), observed_);
    variance[p] = kernels::floored(parameters_.signal_variance - explained, floor);
  });
}

std::vector<double> CpuFactor::lowest_fitted_mean() const {
  std::vector<double> lowest(fantasies_.empty() ? 1 : fantasies_.front().normals.size());
  const std::vector<double> observed = weights();
  pool_->parallel_for(lowest.size(), [&](std::size_t f) {
    // One more row, s and its pivot p, of L and one more entry z of y change the solution of Lᵀw = y by -L⁻ᵀs (z /
    // p), and z / p is its new entry.
    std::vector<double> weights = observed;
    weights.reserve(rows_);
    for (const Fantasy& fantasy : fantasies_) {
      const double last = fantasy.normals[f] / fantasy.pivot;
      const double factor = last / parameters_.signal_variance;
      for (std::size_t i = 0; i < weights.size(); ++i) weights[i] -= factor * fantasy.weights[i];
      weights.push_back(last);
    }
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < rows_; ++i) {
      const double target = i < observed_ ? targets_[i] : fantasies_[i - observed_].values[f];
      least = std::min(least, target - diagonal_[i] * weights[i]);
    }
    lowest[f] = least;
  });
  return lowest;
}

LeaveOneOut CpuFactor::leave_one_out() const {
  const std::size_t stride = matrix_stride(observed_);
  Scratch storage;
  storage.reserve(observed_ * stride);
  const LowerMatrix inverse{storage.data(), observed_, stride};
  std::vector<double> precision(observed_, 0.0);
  const std::size_t blocks = (observed_ + cholesky_block - 1) / cholesky_block;
  pool_->parallel_for(blocks, [&](std::size_t b) {
    const std::size_t first = b * cholesky_block;
    const std::size_t end = std::min(observed_, first + cholesky_block);
    invert_block_column(observed_lower(), first, inverse);
    for (std::size_t i = first; i < observed_; ++i)
      for (std::size_t j = first; j < end; ++j) precision[j] += inverse.row(i)[j] * inverse.row(i)[j];
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
