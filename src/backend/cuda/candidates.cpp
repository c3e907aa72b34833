#include "backend/cuda/candidates.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <carbo/error.hpp>

#include "backend/checks.hpp"
#include "backend/cuda/application_memory.hpp"
#include "launch/candidate_sets.cuh"
#include "launch/sobol_rows.cuh"

namespace carbo::internal {
namespace {

/// Kernels number candidates in 32 bits, of which one number means none.
constexpr std::size_t most_candidates = (std::size_t{1} << 32) - 1;

}  // namespace

CudaCandidates::CudaCandidates(std::shared_ptr<const Context> context, MatrixView encoded)
    : context_(std::move(context)), arriving_(context_) {
  check_shape(encoded.rows, encoded.columns);
  check_finite(encoded, "candidates");
  const DeviceScope scope(*context_);
  make_coordinates(encoded.rows, encoded.columns);
  arriving_.send(encoded, coordinates_.data(), encoded.rows);
  make_states();
}

CudaCandidates::CudaCandidates(std::shared_ptr<const Context> context, const SobolRows& rows)
    : context_(std::move(context)), arriving_(context_) {
  check_sobol_rows(rows);
  const std::size_t size = rows.points + rows.others.rows;
  check_shape(size, rows.recipe->columns);
  const DeviceScope scope(*context_);
  make_coordinates(size, rows.recipe->columns);
  const std::span<const kernels::SobolAxis> axes = rows.recipe->axes;
  auto device_axes = context_->buffer<kernels::SobolAxis>(axes.size());
  context_->upload(device_axes.data(), axes);
  auto indices = context_->buffer<std::uint32_t>(rows.indices.size());
  context_->upload(indices.data(), rows.indices);
  context_->check(kernels::launch_sobol_rows(context_->stream(), device_axes.data(), static_cast<int>(axes.size()),
                                             rows.first, indices.data(), rows.points, coordinates_.data(), size),
                  "making Sobol points");
  arriving_.send(rows.others, coordinates_.data() + rows.points, size);
  make_states();
}

CudaCandidates::CudaCandidates(std::shared_ptr<const Context> context, const DeviceMatrix& pool)
    : context_(std::move(context)), arriving_(context_) {
  try {
    check_shape(pool.rows, pool.columns);
  } catch (const InvalidOptions& error) {
    throw InvalidArray(InvalidArray::Reason::shape, pool.name + ": " + error.what());
  }
  const DeviceScope scope(*context_);
  view_ = checked_view(*context_, pool);
  check_in_cube(*context_, pool, view_);
  make_states();
}

void CudaCandidates::check_shape(std::size_t rows, std::size_t columns) const {
  if (rows == 0 || columns == 0) throw InvalidOptions("candidates: at least one row and one column are needed");
  if (rows > most_candidates || columns > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw InvalidOptions("candidates: " + std::to_string(rows) + " rows and " + std::to_string(columns) +
                         " columns; at most 2^32 - 1 rows and 2^31 - 1 columns are possible");
}

void CudaCandidates::make_coordinates(std::size_t rows, std::size_t columns) {
  coordinates_ = context_->buffer<double>(rows * columns);
  view_ = {coordinates_.data(), false, rows, static_cast<int>(columns), 1, rows};
}

void CudaCandidates::make_states() {
  host_mask_.assign(size(), 1);
  available_ = size();
  mask_ = context_->buffer<std::uint8_t>(size());
  squared_distances_ = context_->buffer<double>(size());
  context_->check(cudaMemsetAsync(mask_.data(), 1, size(), context_->stream()), "making the mask");
  context_->check(kernels::launch_nearest(context_->stream(), view_, nullptr, 0, true, squared_distances_.data()),
                  "starting distances");
}

void CudaCandidates::mark(std::span<const std::size_t> indices, std::uint8_t value) {
  const DeviceScope scope(*context_);
  for (const std::size_t index : indices) check_index(index);
  if (value != marks_) mark_on_device();
  marks_ = value;
  const std::size_t most = marked_.size() + indices.size();
  if (marked_.capacity() < most) marked_.reserve(std::max(most, 2 * marked_.capacity()));
  for (const std::size_t index : indices) {
    if (host_mask_[index] == value) continue;
    marked_.push_back(index);
    available_ = available_ - host_mask_[index] + value;
    host_mask_[index] = value;
  }
}

void CudaCandidates::mark_on_device() const {
  if (marked_.empty()) return;
  const DeviceScope scope(*context_);
  if (indices_.size() < marked_.size()) indices_ = context_->buffer<std::uint64_t>(marked_.size());
  context_->upload<std::uint64_t>(indices_.data(), marked_);
  context_->check(kernels::launch_mark(context_->stream(), mask_.data(), indices_.data(), marked_.size(), marks_),
                  "marking candidates");
  marked_.clear();
}

void CudaCandidates::exclude(std::span<const std::size_t> indices) { mark(indices, 0); }
void CudaCandidates::readmit(std::span<const std::size_t> indices) { mark(indices, 1); }

void CudaCandidates::check_index(std::size_t index) const {
  if (index >= size())
    throw InvalidOptions("candidates: index " + std::to_string(index) + " must lie in [0, " + std::to_string(size()) +
                         ")");
}

bool CudaCandidates::is_available(std::size_t index) const {
  check_index(index);
  return host_mask_[index] != 0;
}

void CudaCandidates::read(std::span<const std::size_t> indices, std::span<double> to) const {
  check_size(to.size(), indices.size() * columns(), "candidates, room for their coordinates");
  for (const std::size_t index : indices) check_index(index);
  const DeviceScope scope(*context_);
  auto device_indices = context_->buffer<std::uint64_t>(indices.size());
  context_->upload<std::uint64_t>(device_indices.data(), std::vector<std::uint64_t>(indices.begin(), indices.end()));
  auto rows = context_->buffer<double>(to.size());
  context_->check(
      kernels::launch_read_rows(context_->stream(), view(), device_indices.data(), indices.size(), rows.data()),
      "reading candidates");
  context_->download(to, rows.data());
}

const double* CudaCandidates::upload_points(std::span<const double> points) {
  if (points_.size() < points.size()) points_ = context_->buffer<double>(points.size());
  context_->upload(points_.data(), points);
  return points_.data();
}

void CudaCandidates::set_design(MatrixView points) {
  if (points.rows > 0) check_size(points.columns, columns(), "set_design, columns");
  check_finite(points, "set_design, points");
  const DeviceScope scope(*context_);
  const double* const device_points = upload_points({points.data, points.rows * points.columns});
  context_->check(kernels::launch_nearest(context_->stream(), view(), device_points, points.rows, true,
                                          squared_distances_.data()),
                  "distances to the design");
}

void CudaCandidates::add_design_point(std::span<const double> point) {
  check_size(point.size(), columns(), "add_design_point, coordinates");
  check_finite(point, "add_design_point");
  const DeviceScope scope(*context_);
  const double* const device_point = upload_points(point);
  context_->check(
      kernels::launch_nearest(context_->stream(), view(), device_point, 1, false, squared_distances_.data()),
      "distances to a design point");
}

double CudaCandidates::fill() const {
  const DeviceScope scope(*context_);
  auto partials = context_->buffer<double>(kernels::largest_partials + 1);
  double* const largest = partials.data() + kernels::largest_partials;
  context_->check(
      kernels::launch_largest(context_->stream(), squared_distances_.data(), size(), partials.data(), largest),
      "finding the greatest distance");
  return std::sqrt(context_->download_one(largest));
}

}  // namespace carbo::internal
