#include <algorithm>

#include <carbo/error.hpp>

#include "backend/checks.hpp"
#include "backend/cuda/factor.hpp"
#include "backend/cuda/matrix_limits.hpp"
#include "backend/cuda/packed_block.hpp"
#include "launch/gram.cuh"
#include "launch/posterior.cuh"

namespace carbo::internal {
namespace {

/// Points one row after the other.
kernels::CandidateView by_row(const double* points, std::size_t count, std::size_t columns) {
  return {points, false, count, static_cast<int>(columns), columns, 1};
}

/// Points by coordinate.
kernels::CandidateView by_column(const double* points, std::size_t stride, std::size_t count, std::size_t columns) {
  return {points, false, count, static_cast<int>(columns), 1, stride};
}

/// out = scale · posterior mean + offset (none where null) of `gp`; without waiting.
void enqueue_means(const Context& context, const kernels::GpView& gp, const kernels::CandidateView& at, double* out,
                   double scale = 1.0, const double* offset = nullptr) {
  kernels::PosteriorTask task;
  task.gp = gp;
  task.means = out;
  task.scale = scale;
  task.offset = offset;
  PackedBlock block;
  const std::size_t task_at = block.add(std::span<const kernels::PosteriorTask>(&task, 1));
  block.upload(context);
  context.check(
      kernels::launch_posterior(context.stream(), at, block.at<const kernels::PosteriorTask>(task_at), 1, {}, false),
      "means at given points");
}

/// In the place of lengthscales where points have been divided by them already.
DeviceBuffer<double> ones(const Context& context, std::size_t count) {
  auto buffer = context.buffer<double>(count);
  context.upload<double>(buffer.data(), std::vector<double>(count, 1.0));
  return buffer;
}

}  // namespace

CudaFactor::Background CudaFactor::make_background(MatrixView points, std::span<const double> weights) const {
  if (points.rows == 0) return {};
  Background background{points.rows, context_->buffer<double>(columns() * points.rows),
                        context_->buffer<double>(points.rows)};
  auto row_major = context_->buffer<double>(columns() * points.rows);
  context_->upload(row_major.data(), std::span(points.data, points.rows * columns()));
  context_->upload(background.weights.data(), weights);
  const kernels::ScaleTask task{row_major.data(), inverse_lengthscales_.data(),  background.coordinates.data(),
                                points.rows,      static_cast<int>(points.rows), static_cast<int>(columns())};
  PackedBlock block;
  const std::size_t task_at = block.add(std::span<const kernels::ScaleTask>(&task, 1));
  block.upload(*context_);
  context_->check(kernels::launch_scale_tasks(context_->stream(), block.at<const kernels::ScaleTask>(task_at), 1,
                                              points.rows * columns()),
                  "scaling points of a background");
  return background;
}

kernels::GpView CudaFactor::view_of(const Background& background) const {
  kernels::GpView view;
  view.inverse_lengthscales = inverse_lengthscales_.data();
  view.points = background.coordinates.data();
  view.weights = background.weights.data();
  view.stride = background.points;
  view.observed = static_cast<int>(background.points);
  view.columns = static_cast<int>(columns());
  view.signal_variance = parameters_.signal_variance;
  return view;
}

void CudaFactor::enqueue_prior(const double* queries, std::size_t count, double* prior) const {
  kernels::GpView gp = view_of(background_);
  gp.mean = parameters_.mean;
  enqueue_means(*context_, gp, by_row(queries, count, columns()), prior);
}

void CudaFactor::set_background(MatrixView points, std::span<const double> weights) {
  const DeviceScope scope(*context_);
  if (fantasised() > 0) throw InvalidOptions("set_background: drop the fantasised points first");
  check_weighted_points(points, weights, columns(), "set_background");
  check_matrix_rows(points.rows, "set_background");
  std::vector<double> targets(observed_), prior(observed_, parameters_.mean);
  context_->download<double>(targets, fit_.targets.data());
  Background background = make_background(points, weights);
  if (background.points > 0) {
    const auto divided = ones(*context_, columns());
    auto at_rows = context_->buffer<double>(observed_);
    kernels::GpView gp = view_of(background);
    gp.inverse_lengthscales = divided.data();
    gp.mean = parameters_.mean;
    enqueue_means(*context_, gp, by_column(points_.data(), capacity_, observed_, columns()), at_rows.data());
    context_->download<double>(prior, at_rows.data());
  }
  fit_ = make_fit(targets, prior);
  background_ = std::move(background);
  prior_ = std::move(prior);
}

std::vector<double> CudaFactor::posterior_products(MatrixView points, std::span<const double> weights) const {
  const DeviceScope scope(*context_);
  check_weighted_points(points, weights, columns(), "posterior_products");
  check_matrix_rows(points.rows, "posterior_products");
  if (points.rows == 0) return {};
  const Background given = make_background(points, weights);
  const auto divided = ones(*context_, columns());
  auto explaining = context_->buffer<double>(capacity_);
  auto products = context_->buffer<double>(points.rows), rest = context_->buffer<double>(points.rows);
  kernels::GpView from = view_of(given), kept = view();
  from.inverse_lengthscales = kept.inverse_lengthscales = divided.data();
  kept.weights = explaining.data();
  kept.mean = 0;
  const auto at = by_column(given.coordinates.data(), points.rows, points.rows, columns());
  enqueue_means(*context_, from, by_column(points_.data(), capacity_, observed_, columns()), explaining.data());
  solve(CUBLAS_OP_N, observed_, explaining.data(), 1, capacity_);
  solve(CUBLAS_OP_T, observed_, explaining.data(), 1, capacity_);
  enqueue_means(*context_, from, at, products.data());
  enqueue_means(*context_, kept, at, rest.data(), -1.0, products.data());
  std::vector<double> result(points.rows);
  context_->download<double>(result, rest.data());
  return result;
}

void CudaFactor::predict_means(MatrixView points, std::span<double> mean) const {
  check_matrix_rows(points.rows, "predict");
  auto queries = context_->buffer<double>(points.rows * columns());
  auto means = context_->buffer<double>(points.rows);
  context_->upload(queries.data(), std::span(points.data, points.rows * columns()));
  const auto at = by_row(queries.data(), points.rows, columns());
  if (has_background()) enqueue_means(*context_, background_view(), at, means.data());
  enqueue_means(*context_, view(), at, means.data(), 1.0, has_background() ? means.data() : nullptr);
  context_->download(mean, means.data());
}

}  // namespace carbo::internal
