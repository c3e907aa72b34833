#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include <cuda_runtime_api.h>

#include "backend/cuda/cuda_error.hpp"
#include "backend/cuda/memory.hpp"
#include "backend/matrix_view.hpp"

namespace carbo::internal {

class Context;

class Event {
 public:
  /// Throws as throw_if_failed.
  Event();
  ~Event() { ignore_failure(cudaEventDestroy(event_)); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Brings rows to the device on a stream of its own, beside the work on the context's: page-locked memory in two
/// halves, so that filling one overlaps with copying the other.
class RowUploader {
 public:
  /// The device is current.
  explicit RowUploader(const std::shared_ptr<DeviceMemory>& memory);
  ~RowUploader();
  RowUploader(const RowUploader&) = delete;
  RowUploader& operator=(const RowUploader&) = delete;

  /// Turns rows into columns: element (r, c) goes to target[c · stride + r], after all work so far on the context's
  /// stream. `done` is recorded behind it; whoever uses the target waits for that. The rows may change as soon as
  /// this returns.
  void upload_by_column(const Context& context, MatrixView rows, double* target, std::size_t stride,
                        const Event& done);

 private:
  void upload_part(const Context& context, MatrixView rows, double* target, std::size_t stride);

  cudaStream_t stream_ = nullptr;
  PinnedBuffer<std::byte> pinned_;
  DeviceBuffer<std::byte> device_;
  Event before_;
  Event copied_[2];
  bool under_way_[2]{};
  std::size_t half_ = 0;
};

/// Rows on their way to device memory, which must outlive this.
class ArrivingRows {
 public:
  explicit ArrivingRows(std::shared_ptr<const Context> context) : context_(std::move(context)) {}
  ~ArrivingRows();
  ArrivingRows(const ArrivingRows&) = delete;
  ArrivingRows& operator=(const ArrivingRows&) = delete;

  /// See RowUploader::upload_by_column. Throws InvalidOptions where a row is too long.
  void send(MatrixView rows, double* target, std::size_t stride);
  /// Work on the context's stream from now on comes after the rows.
  void await() const;

 private:
  std::shared_ptr<const Context> context_;
  std::optional<Event> done_;  ///< made on the context's device, with the first rows
  mutable bool under_way_ = false;
};

}  // namespace carbo::internal
