#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace carbo::internal {

class CandidateSet;
struct ScoreRequest;

/// A matrix in device memory that an application owns: element (row, column) at data[row · row_stride + column ·
/// column_stride], float32 or float64. `name` is for messages.
struct DeviceMatrix {
  const void* data = nullptr;
  bool single_precision = false;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t row_stride = 0;
  std::size_t column_stride = 0;
  std::string name = "pool";
};

/// What a backend on a device does with memory of an application's, in the order of its stream. Every address is
/// checked: InvalidArray where it is null, misaligned, not of this device at its first and last element, or overlaps
/// itself by its strides.
class DeviceAccess {
 public:
  virtual ~DeviceAccess() = default;
  virtual int device() const = 0;

  /// Candidates that stay where they are, and must stay as they are while the set lives. Throws InvalidArray where a
  /// value lies outside [0, 1]. Waits for the device.
  virtual std::unique_ptr<CandidateSet> borrow_candidates(const DeviceMatrix& pool) = 0;
  /// All elements, row by row and matrix by matrix; `to` has room for as many. Waits for the device.
  virtual void read(std::span<const DeviceMatrix> matrices, std::span<double> to) = 0;
  /// Waits for the device.
  virtual void read(const std::int64_t* from, std::span<std::int64_t> to, const std::string& name) = 0;

  /// Throws InvalidArray where the host cannot read from or write to the address.
  virtual void check_host(const void* address, const std::string& name) = 0;
  /// Throws InvalidArray unless the first and the last of these bytes lie in this device's memory.
  virtual void check_room(const void* to, std::size_t bytes, std::size_t alignment, const std::string& name) = 0;
  /// Copies without waiting; `from` may change as soon as this returns.
  virtual void write(void* to, std::span<const std::byte> from) = 0;
  /// The score of every candidate, as Backend::scores, without waiting.
  virtual void write_scores(const CandidateSet& candidates, const ScoreRequest& request, double* to) = 0;
  virtual void write_scores(const CandidateSet& candidates, const ScoreRequest& request, float* to) = 0;
  /// Waits for all work so far.
  virtual void wait() = 0;
  /// Device memory that may outlive the backend.
  virtual std::shared_ptr<void> allocate(std::size_t bytes) = 0;
};

}  // namespace carbo::internal
