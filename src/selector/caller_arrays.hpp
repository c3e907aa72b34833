#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <carbo/array.hpp>

#include "backend/device_access.hpp"

namespace carbo::internal {

/// Bytes that an array takes, gaps included.
struct ByteRange {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;

  bool overlaps(const ByteRange& other) const { return begin < other.end && other.begin < end; }
};

/// An array to be read, with its name for messages.
struct NamedMatrix {
  MatrixRef matrix;
  std::string name;
};

/// Reads and writes arrays of a caller's wherever they lie. Everything is checked before it is touched: InvalidArray
/// where an array is null, misaligned, too short or not where it is said to be; BackendUnavailable where it lies in
/// device memory and there is no device.
class CallerArrays {
 public:
  /// `device` is null where the backend runs on the host; `backend_reason` then says why.
  CallerArrays(DeviceAccess* device, std::string backend_reason)
      : device_(device), backend_reason_(std::move(backend_reason)) {}

  /// As row-major doubles, one vector a matrix. Waits for the device where one of them lies there.
  std::vector<std::vector<double>> read(std::span<const NamedMatrix> matrices) const;
  std::vector<std::int64_t> read(const IndexRef& indices, const std::string& name) const;

  /// Throws unless there is room for `count` values.
  void check_room(const MutableVectorRef& room, std::size_t count, const std::string& name) const;
  void check_room(const MutableIndexRef& room, std::size_t count, const std::string& name) const;
  /// To room that was checked; does not wait for the device.
  void write(const MutableVectorRef& room, std::span<const double> values) const;
  void write(const MutableIndexRef& room, std::span<const std::int64_t> values) const;

  /// Throws unless the matrix is at least one row by `columns`, with a leading dimension that is large enough, and,
  /// in host memory, there. DeviceAccess looks where device memory lies.
  void check_matrix(const MatrixRef& matrix, std::size_t columns, const std::string& name) const;
  /// A matrix in device memory that was checked.
  DeviceMatrix device_matrix(const MatrixRef& matrix, const std::string& name) const;

 private:
  void check_memory(Memory memory, const void* data, std::size_t bytes, std::size_t alignment,
                    const std::string& name) const;
  void require_device(const std::string& name) const;

  DeviceAccess* device_;
  std::string backend_reason_;
};

/// A vector as a matrix of one column.
MatrixRef as_matrix(const VectorRef& vector);
ByteRange bytes_of(const MatrixRef& matrix);
ByteRange bytes_of(const MutableVectorRef& room, std::size_t count);
ByteRange bytes_of(const MutableIndexRef& room, std::size_t count);

}  // namespace carbo::internal
