#include "backend/cuda/factor.hpp"

#include <algorithm>
#include <functional>

#include <carbo/error.hpp>

#include "backend/checks.hpp"
#include "backend/cuda/packed_block.hpp"
#include "backend/factor_room.hpp"
#include "backend/jitter_policy.hpp"
#include "support/room.hpp"

namespace carbo::internal {
namespace {

/// Columns of L then start on 256 bytes.
std::size_t padded_rows(std::size_t rows) { return (rows + 31) / 32 * 32; }

/// The leading rows × columns of a column-major matrix.
void copy_columns(const Context& context, double* to, std::size_t to_stride, const double* from,
                  std::size_t from_stride, std::size_t rows, std::size_t columns) {
  if (rows == 0 || columns == 0) return;
  context.check(cudaMemcpy2DAsync(to, to_stride * sizeof(double), from, from_stride * sizeof(double),
                                  rows * sizeof(double), columns, cudaMemcpyDeviceToDevice, context.stream()),
                "copying a factor's rows");
}

}  // namespace

CudaFactor::CudaFactor(std::shared_ptr<const Context> context, GpParameters parameters, std::size_t rows)
    : context_(std::move(context)),
      parameters_(std::move(parameters)),
      observed_(rows),
      rows_(rows),
      capacity_(padded_rows(first_capacity(rows))),
      inverse_lengthscales_(context_->buffer<double>(columns())),
      points_(context_->buffer<double>(columns() * capacity_)),
      lower_(context_->buffer<double>(capacity_ * capacity_)),
      diagonal_(context_->buffer<double>(capacity_)) {}

kernels::GpView CudaFactor::view() const {
  kernels::GpView view;
  view.points = points_.data();
  view.inverse_lengthscales = inverse_lengthscales_.data();
  view.lower = lower_.data();
  view.weights = fit_.weights.data();
  view.responses = fantasised_.responses.data();
  view.pivots = fantasised_.pivots.data();
  view.normals = fantasised_.normals.data();
  view.response_errors = fantasised_.response_errors.data();
  view.stride = capacity_;
  view.columns = static_cast<int>(columns());
  view.observed = static_cast<int>(observed_);
  view.fantasised = static_cast<int>(fantasised());
  view.fantasies = static_cast<int>(fantasies_);
  view.signal_variance = parameters_.signal_variance;
  view.mean = parameters_.mean;
  return view;
}

std::size_t CudaFactor::capacity_for(std::size_t rows) const {
  return rows <= capacity_ ? capacity_ : padded_rows(grown_capacity(rows, capacity_));
}

void CudaFactor::grow(std::size_t capacity) {
  if (capacity <= capacity_) return;
  auto lower = context_->buffer<double>(capacity * capacity);
  auto points = context_->buffer<double>(columns() * capacity);
  auto responses = context_->buffer<double>(fantasised_.room * capacity);
  const std::size_t blocks = padded_rows(rows_);  // the inverse lies in whole blocks
  copy_columns(*context_, lower.data(), capacity, lower_.data(), capacity_, blocks, blocks);
  copy_columns(*context_, points.data(), capacity, points_.data(), capacity_, rows_, columns());
  copy_columns(*context_, responses.data(), capacity, fantasised_.responses.data(), capacity_, rows_, fantasised());
  const auto longer = [&](const DeviceBuffer<double>& from, std::size_t count) {
    auto buffer = context_->buffer<double>(capacity);
    context_->copy_on_device(buffer.data(), from.data(), count);
    return buffer;
  };
  auto diagonal = longer(diagonal_, rows_);
  Fit fit{longer(fit_.targets, observed_), longer(fit_.whitened, observed_), longer(fit_.weights, observed_)};
  lower_ = std::move(lower);
  points_ = std::move(points);
  fantasised_.responses = std::move(responses);
  diagonal_ = std::move(diagonal);
  fit_ = std::move(fit);
  capacity_ = capacity;
}

void CudaFactor::solve(cublasOperation_t operation, std::size_t rows, double* x, std::size_t columns,
                       std::size_t stride) const {
  const int size = static_cast<int>(rows);
  const int lower_stride = static_cast<int>(capacity_);
  if (columns == 1) {
    context_->check(cublasDtrsv(context_->blas(), CUBLAS_FILL_MODE_LOWER, operation, CUBLAS_DIAG_NON_UNIT, size,
                                lower_.data(), lower_stride, x, 1),
                    "cublasDtrsv");
    return;
  }
  const double one = 1.0;
  context_->check(
      cublasDtrsm(context_->blas(), CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, operation, CUBLAS_DIAG_NON_UNIT, size,
                  static_cast<int>(columns), &one, lower_.data(), lower_stride, x, static_cast<int>(stride)),
      "cublasDtrsm");
}

CudaFactor::Fit CudaFactor::make_fit(std::span<const double> targets, std::span<const double> prior) const {
  Fit fit{context_->buffer<double>(capacity_), context_->buffer<double>(capacity_),
          context_->buffer<double>(capacity_)};
  std::vector<double> centred(targets.size());
  std::transform(targets.begin(), targets.end(), prior.begin(), centred.begin(), std::minus<>());
  context_->upload(fit.targets.data(), targets);
  context_->upload<double>(fit.whitened.data(), centred);
  solve(CUBLAS_OP_N, observed_, fit.whitened.data(), 1, capacity_);
  context_->copy_on_device(fit.weights.data(), fit.whitened.data(), observed_);
  solve(CUBLAS_OP_T, observed_, fit.weights.data(), 1, capacity_);
  return fit;
}

void CudaFactor::set_targets(std::span<const double> targets) {
  const DeviceScope scope(*context_);
  if (fantasised() > 0) throw InvalidOptions("set_targets: drop the fantasised points first");
  check_size(targets.size(), observed_, "set_targets, targets");
  check_finite(targets, "set_targets, targets");
  fit_ = make_fit(targets, prior_);
}

kernels::RowTask CudaFactor::row_task(double* column, double least_pivot) {
  kernels::RowTask task{};
  task.points = points_.data();
  task.inverse_lengthscales = inverse_lengthscales_.data();
  task.lower = lower_.data();
  task.diagonal = diagonal_.data();
  task.whitened = fit_.whitened.data();
  task.column = column;
  task.stride = capacity_;
  task.columns = static_cast<int>(columns());
  task.rows = static_cast<int>(rows_);
  task.observed = static_cast<int>(observed_);
  task.signal_variance = parameters_.signal_variance;
  task.mean = parameters_.mean;
  task.own_variance = mean_diagonal() * (1.0 + jitter_);
  task.usual_diagonal = usual_diagonal();
  task.least_pivot = least_pivot * mean_diagonal();
  return task;
}

bool CudaFactor::append(std::span<const double> point) {
  const DeviceScope scope(*context_);
  if (fantasised() > 0) throw InvalidOptions("append: drop the fantasised points first");
  check_size(point.size(), columns(), "append, coordinates");
  check_finite(point, "append, point");
  grow(capacity_for(rows_ + 1));
  auto column = context_->buffer<double>(capacity_);
  auto weights = context_->buffer<double>(capacity_);
  auto works = context_->buffer<int>(1);
  auto prior = context_->buffer<double>(background_.points > 0 ? 1 : 0);
  internal::make_room(prior_, 1);
  kernels::RowTask task = row_task(column.data(), smallest_pivot(rows_ + 1));
  if (background_.points > 0) task.prior = prior.data();
  PackedBlock block;
  const std::size_t task_at = block.add(std::span<const kernels::RowTask>(&task, 1));
  const std::size_t point_at = block.add(point);
  block.upload(*context_);
  if (background_.points > 0) enqueue_prior(block.at<const double>(point_at), 1, prior.data());
  const auto* device_task = block.at<const kernels::RowTask>(task_at);
  context_->check(kernels::launch_row_covariances(context_->stream(), device_task, 1, task.rows,
                                                  block.at<const double>(point_at)),
                  "covariances with a new point");
  solve(CUBLAS_OP_N, rows_, column.data(), 1, capacity_);
  context_->check(kernels::launch_append_row(context_->stream(), device_task, fit_.targets.data(), works.data()),
                  "appending a row");
  context_->copy_on_device(weights.data(), fit_.whitened.data(), rows_ + 1);
  solve(CUBLAS_OP_T, rows_ + 1, weights.data(), 1, capacity_);
  if (context_->download_one(works.data()) == 0) return false;
  prior_.push_back(background_.points > 0 ? context_->download_one(prior.data()) : parameters_.mean);
  fit_.weights = std::move(weights);
  observed_ = ++rows_;
  return true;
}

}  // namespace carbo::internal
