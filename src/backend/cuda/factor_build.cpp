#include <algorithm>
#include <array>
#include <string>

#include <carbo/error.hpp>

#include "backend/checks.hpp"
#include "backend/cuda/cholesky.hpp"
#include "backend/cuda/factor.hpp"
#include "backend/cuda/matrix_limits.hpp"
#include "backend/cuda/packed_block.hpp"
#include "backend/jitter_policy.hpp"
#include "backend/row_noise.hpp"
#include "launch/gram.cuh"

namespace carbo::internal {
namespace {

void check_problem(MatrixView points, std::span<const double> targets, std::span<const GpParameters> parameters,
                   std::span<const double> counts) {
  if (points.rows == 0) throw InvalidOptions("factor: no points given; at least one is needed");
  check_size(targets.size(), points.rows, "factor, targets");
  check_counts(counts, points.rows, "factor");
  for (const GpParameters& one : parameters) check_parameters(one, points.columns);
  check_finite(points, "factor, points");
  check_finite(targets, "factor, targets");
  check_matrix_rows(points.rows, "factor");
}

}  // namespace

/// Makes factors over the same points. They have equal sizes, so that one workspace and one batch serve them all.
class FactorBuilder {
 public:
  FactorBuilder(std::shared_ptr<const Context> context, MatrixView points, std::span<const GpParameters> parameters,
                std::span<const double> counts);
  std::vector<std::unique_ptr<GpFactor>> run(MatrixView points, std::span<const double> targets);

 private:
  using Factors = std::span<const std::unique_ptr<CudaFactor>>;

  void place_points(MatrixView points);
  std::vector<int> try_jitter(Factors factors, double jitter);
  bool in_a_batch(std::size_t count) const { return count > 1 && factors_.front()->rows_ <= most_batched_rows; }
  void raise_jitter(std::unique_ptr<CudaFactor>& factor);

  std::shared_ptr<const Context> context_;
  std::vector<std::unique_ptr<CudaFactor>> factors_;
  std::span<const double> counts_;
  DeviceBuffer<double> device_counts_;
  DeviceBuffer<double> row_major_;
  DeviceBuffer<int> infos_;
  DeviceBuffer<int> works_;
  Cholesky cholesky_;
};

/// Takes all memory, but for factors of a batch that of Xpotrf, which only some need.
FactorBuilder::FactorBuilder(std::shared_ptr<const Context> context, MatrixView points,
                             std::span<const GpParameters> parameters, std::span<const double> counts)
    : context_(std::move(context)), counts_(counts), cholesky_(*context_) {
  for (const GpParameters& one : parameters)
    factors_.push_back(std::unique_ptr<CudaFactor>(new CudaFactor(context_, one, points.rows)));
  device_counts_ = context_->buffer<double>(counts.size());
  row_major_ = context_->buffer<double>(points.rows * points.columns);
  infos_ = context_->buffer<int>(parameters.size());
  works_ = context_->buffer<int>(parameters.size());
  const CudaFactor& factor = *factors_.front();
  if (!in_a_batch(factors_.size())) cholesky_.plan(factor.rows_, factor.capacity_, factors_.size());
}

void FactorBuilder::place_points(MatrixView points) {
  context_->upload(row_major_.data(), std::span(points.data, points.rows * points.columns));
  if (!counts_.empty()) context_->upload(device_counts_.data(), counts_);
  std::vector<kernels::ScaleTask> tasks;
  for (const auto& factor : factors_) {
    context_->upload<double>(factor->inverse_lengthscales_.data(), factor->parameters_.inverse_lengthscales);
    tasks.push_back({row_major_.data(), factor->inverse_lengthscales_.data(), factor->points_.data(),
                     factor->capacity_, static_cast<int>(points.rows), static_cast<int>(points.columns)});
  }
  PackedBlock block;
  const std::size_t tasks_at = block.add<kernels::ScaleTask>(tasks);
  block.upload(*context_);
  context_->check(kernels::launch_scale_tasks(context_->stream(), block.at<const kernels::ScaleTask>(tasks_at),
                                              static_cast<int>(tasks.size()), points.rows * points.columns),
                  "scaling points");
}

/// Builds and factors the matrices with this jitter; 1 for each that may be used. Waits.
std::vector<int> FactorBuilder::try_jitter(Factors factors, double jitter) {
  const int rows = static_cast<int>(factors.front()->rows_);
  const std::size_t stride = factors.front()->capacity_;
  const int count = static_cast<int>(factors.size());
  std::vector<kernels::GramTask> grams;
  std::vector<kernels::PivotTask> pivots;
  std::vector<double*> lowers;
  for (const auto& factor : factors) {
    factor->jitter_ = jitter;
    lowers.push_back(factor->lower_.data());
    grams.push_back({.points = factor->points_.data(),
                     .point_stride = stride,
                     .matrix = lowers.back(),
                     .matrix_stride = stride,
                     .rows = rows,
                     .columns = static_cast<int>(factor->columns()),
                     .signal_variance = factor->parameters_.signal_variance,
                     .noise_variance = factor->parameters_.noise_variance,
                     .jitter = jitter * factor->mean_diagonal(),
                     .counts = device_counts_.data()});
    pivots.push_back({lowers.back(), stride, rows, smallest_pivot(factor->rows_) * factor->mean_diagonal()});
  }
  PackedBlock block;
  const std::size_t grams_at = block.add<kernels::GramTask>(grams);
  const std::size_t pivots_at = block.add<kernels::PivotTask>(pivots);
  const std::size_t lowers_at = block.add<double*>(lowers);
  block.upload(*context_);
  context_->check(kernels::launch_gram(context_->stream(), block.at<const kernels::GramTask>(grams_at), count, rows),
                  "building kernel matrices");
  if (!in_a_batch(factors.size())) {
    cholesky_.plan(factors.front()->rows_, stride, factors.size());
    cholesky_.factorise(lowers, infos_.data());
  } else {
    context_->check(
        cusolverDnDpotrfBatched(context_->solver(), CUBLAS_FILL_MODE_LOWER, rows, block.at<double*>(lowers_at),
                                static_cast<int>(stride), infos_.data(), count),
        "cusolverDnDpotrfBatched");
  }
  context_->check(kernels::launch_check_pivots(context_->stream(), block.at<const kernels::PivotTask>(pivots_at),
                                               count, infos_.data(), works_.data()),
                  "checking pivots");
  std::vector<int> works(factors.size());
  context_->download<int>(works, works_.data());
  cholesky_.settled();
  return works;
}

void FactorBuilder::raise_jitter(std::unique_ptr<CudaFactor>& factor) {
  // What a batch found not to be positive definite is tried alone before its jitter rises.
  const auto first = jitter_steps.begin() + (in_a_batch(factors_.size()) ? 0 : 1);
  const bool found = std::any_of(first, jitter_steps.end(), [&](double jitter) {
    return try_jitter(std::span(&factor, 1), jitter).front() == 1;
  });
  if (!found)
    throw NumericalError(
        "factor: the covariance of " + std::to_string(factor->rows_) +
        " points is not positive definite even with a jitter of 1e-4 of its mean diagonal; check the "
        "hyperparameters and raise the noise");
}

std::vector<std::unique_ptr<GpFactor>> FactorBuilder::run(MatrixView points, std::span<const double> targets) {
  place_points(points);
  const std::vector<int> works = try_jitter(factors_, jitter_steps.front());
  for (std::size_t k = 0; k < factors_.size(); ++k)
    if (works[k] == 0) raise_jitter(factors_[k]);
  std::vector<std::unique_ptr<GpFactor>> finished;
  for (auto& factor : factors_) {
    const RowNoise noise{factor->parameters_.noise_variance, factor->jitter_ * factor->mean_diagonal(), counts_};
    std::vector<double> diagonal(points.rows);
    for (std::size_t i = 0; i < points.rows; ++i) diagonal[i] = noise.at(i);
    context_->upload<double>(factor->diagonal_.data(), diagonal);
    factor->prior_.assign(points.rows, factor->parameters_.mean);
    factor->fit_ = factor->make_fit(targets, factor->prior_);
    finished.push_back(std::move(factor));
  }
  return finished;
}

std::vector<std::unique_ptr<GpFactor>> make_factors(const std::shared_ptr<const Context>& context, MatrixView points,
                                                    std::span<const double> targets,
                                                    std::span<const GpParameters> parameters,
                                                    std::span<const double> counts) {
  const DeviceScope scope(*context);
  if (parameters.empty()) return {};
  check_problem(points, targets, parameters, counts);
  return FactorBuilder(context, points, parameters, counts).run(points, targets);
}

}  // namespace carbo::internal
