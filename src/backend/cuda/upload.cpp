#include "backend/cuda/upload.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include <carbo/error.hpp>

#include "backend/cuda/context.hpp"
#include "launch/candidate_sets.cuh"

namespace carbo::internal {
namespace {

constexpr std::size_t upload_half_bytes = std::size_t{1} << 20;
/// A row fits into a half.
constexpr std::size_t most_upload_columns = upload_half_bytes / sizeof(double);

}  // namespace

Event::Event() { throw_if_failed(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "making an event"); }

RowUploader::RowUploader(const std::shared_ptr<DeviceMemory>& memory)
    : pinned_(2 * upload_half_bytes), device_(memory, 2 * upload_half_bytes) {
  throw_if_failed(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream for copies");
}

RowUploader::~RowUploader() {
  ignore_failure(cudaStreamSynchronize(stream_));
  ignore_failure(cudaStreamDestroy(stream_));
}

void RowUploader::upload_by_column(const Context& context, MatrixView rows, double* target, std::size_t stride,
                                   const Event& done) {
  context.check(cudaEventRecord(before_.get(), context.stream()), "marking the work so far");
  context.check(cudaStreamWaitEvent(stream_, before_.get()), "waiting for the work so far");
  const std::size_t rows_per_part =
      std::max<std::size_t>(1, most_upload_columns / std::max<std::size_t>(1, rows.columns));
  try {
    for (std::size_t first = 0; first < rows.rows; first += rows_per_part) {
      const std::size_t count = std::min(rows_per_part, rows.rows - first);
      upload_part(context, {rows.data + first * rows.columns, count, rows.columns}, target + first, stride);
    }
    context.check(cudaEventRecord(done.get(), stream_), "marking copied rows");
  } catch (...) {
    // The target goes; nothing may be written to it any more.
    ignore_failure(cudaStreamSynchronize(stream_));
    throw;
  }
}

void RowUploader::upload_part(const Context& context, MatrixView rows, double* target, std::size_t stride) {
  if (under_way_[half_]) {
    context.check(cudaEventSynchronize(copied_[half_].get()), "waiting for copied rows");
    under_way_[half_] = false;
  }
  const std::size_t bytes = rows.rows * rows.columns * sizeof(double);
  std::byte* const from = pinned_.data() + half_ * upload_half_bytes;
  std::byte* const to = device_.data() + half_ * upload_half_bytes;
  std::memcpy(from, rows.data, bytes);
  context.check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_), "copying rows to the device");
  context.check(kernels::launch_by_column(stream_, reinterpret_cast<const double*>(to), rows.rows, rows.columns,
                                          target, stride),
                "turning rows into columns");
  under_way_[half_] = true;
  context.check(cudaEventRecord(copied_[half_].get(), stream_), "marking copied rows");
  half_ = 1 - half_;
}

ArrivingRows::~ArrivingRows() {
  if (!under_way_) return;
  const cudaError_t error = cudaStreamWaitEvent(context_->stream(), done_->get());
  if (error == cudaSuccess) return;
  ignore_failure(error);
  ignore_failure(cudaEventSynchronize(done_->get()));
}

void ArrivingRows::send(MatrixView rows, double* target, std::size_t stride) {
  if (rows.columns > most_upload_columns)
    throw InvalidOptions("rows of " + std::to_string(rows.columns) + " columns; at most " +
                         std::to_string(most_upload_columns) + " are possible");
  if (rows.rows == 0 || rows.columns == 0) return;
  if (!done_) done_.emplace();
  context_->rows().upload_by_column(*context_, rows, target, stride, *done_);
  under_way_ = true;
}

void ArrivingRows::await() const {
  if (!under_way_) return;
  context_->check(cudaStreamWaitEvent(context_->stream(), done_->get()), "waiting for copied rows");
  under_way_ = false;
}

}  // namespace carbo::internal
