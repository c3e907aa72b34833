#include "selector/caller_arrays.hpp"

#include <limits>

#include <carbo/error.hpp>

#include "support/text.hpp"

namespace carbo::internal {
namespace {

using Reason = InvalidArray::Reason;

constexpr std::size_t most_values = std::numeric_limits<std::size_t>::max() / sizeof(double) / 4;

std::size_t bytes_per_value(Scalar scalar) { return scalar == Scalar::float32 ? sizeof(float) : sizeof(double); }

std::size_t along(const MatrixRef& matrix) { return matrix.order == Order::row_major ? matrix.columns : matrix.rows; }
std::size_t lines(const MatrixRef& matrix) { return matrix.order == Order::row_major ? matrix.rows : matrix.columns; }
std::size_t leading_dimension(const MatrixRef& matrix) {
  return matrix.leading_dimension == 0 ? along(matrix) : matrix.leading_dimension;
}
std::size_t row_stride(const MatrixRef& matrix) {
  return matrix.order == Order::row_major ? leading_dimension(matrix) : 1;
}
std::size_t column_stride(const MatrixRef& matrix) {
  return matrix.order == Order::row_major ? 1 : leading_dimension(matrix);
}

/// Elements from the first to the last, both counted, of a matrix that is not empty.
std::size_t extent(const MatrixRef& matrix) {
  return (lines(matrix) - 1) * leading_dimension(matrix) + along(matrix);
}

ByteRange range(const void* data, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(data);
  return {begin, begin + bytes};
}

template <class T>
void copy_rows(const MatrixRef& matrix, std::vector<double>& to) {
  const T* const data = static_cast<const T*>(matrix.data);
  const std::size_t down = row_stride(matrix), across = column_stride(matrix);
  for (std::size_t row = 0; row < matrix.rows; ++row)
    for (std::size_t column = 0; column < matrix.columns; ++column)
      to.push_back(static_cast<double>(data[row * down + column * across]));
}

void check_count(std::size_t room, std::size_t count, const std::string& name) {
  if (room < count)
    throw InvalidArray(Reason::shape,
                       text(name, ": there is room for ", room, " values, and ", count, " are needed"));
}

}  // namespace

MatrixRef as_matrix(const VectorRef& vector) {
  return {vector.data, vector.scalar, vector.memory, Order::column_major, vector.size, 1, 0};
}

ByteRange bytes_of(const MatrixRef& matrix) {
  if (matrix.rows == 0 || matrix.columns == 0) return {};
  return range(matrix.data, extent(matrix) * bytes_per_value(matrix.scalar));
}

ByteRange bytes_of(const MutableVectorRef& room, std::size_t count) {
  return range(room.data, count * bytes_per_value(room.scalar));
}

ByteRange bytes_of(const MutableIndexRef& room, std::size_t count) {
  return range(room.data, count * sizeof(std::int64_t));
}

void CallerArrays::require_device(const std::string& name) const {
  if (device_ == nullptr)
    throw BackendUnavailable(text(name, ": it lies in device memory, but the selector runs on the host (",
                                  backend_reason_, "); give host memory, or make a selector on a device"));
}

void CallerArrays::check_memory(Memory memory, const void* data, std::size_t bytes, std::size_t alignment,
                                const std::string& name) const {
  if (memory == Memory::device) {
    require_device(name);
    return device_->check_room(data, bytes, alignment, name);
  }
  if (data == nullptr) throw InvalidArray(Reason::null_pointer, name + ": the pointer is null");
  if (reinterpret_cast<std::uintptr_t>(data) % alignment != 0)
    throw InvalidArray(Reason::misaligned, text(name, ": its address must be a multiple of ", alignment, " bytes"));
  if (device_ != nullptr) device_->check_host(data, name);
}

void CallerArrays::check_matrix(const MatrixRef& matrix, std::size_t columns, const std::string& name) const {
  if (matrix.rows == 0) throw InvalidArray(Reason::shape, name + ": it has no rows; at least one is needed");
  if (matrix.columns != columns)
    throw InvalidArray(Reason::shape,
                       text(name, ": it has ", matrix.columns, " columns, and ", columns, " are expected"));
  if (leading_dimension(matrix) < along(matrix))
    throw InvalidArray(Reason::leading_dimension,
                       text(name, ": the leading dimension is ", matrix.leading_dimension, ", but a ",
                            matrix.order == Order::row_major ? "row" : "column", " has ", along(matrix), " values"));
  if (lines(matrix) > most_values / leading_dimension(matrix))
    throw InvalidArray(Reason::shape, text(name, ": ", matrix.rows, " rows of ", matrix.columns,
                                           " columns with a leading dimension of ", leading_dimension(matrix),
                                           " pass the address space"));
  if (matrix.memory == Memory::device) return require_device(name);
  const std::size_t bytes = bytes_per_value(matrix.scalar);
  check_memory(matrix.memory, matrix.data, extent(matrix) * bytes, bytes, name);
}

DeviceMatrix CallerArrays::device_matrix(const MatrixRef& matrix, const std::string& name) const {
  return {matrix.data,
          matrix.scalar == Scalar::float32,
          matrix.rows,
          matrix.columns,
          row_stride(matrix),
          column_stride(matrix),
          name};
}

std::vector<std::vector<double>> CallerArrays::read(std::span<const NamedMatrix> matrices) const {
  std::vector<std::vector<double>> values(matrices.size());
  std::vector<DeviceMatrix> on_device;
  std::size_t device_values = 0;
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    const MatrixRef& matrix = matrices[i].matrix;
    if (matrix.rows == 0 || matrix.columns == 0) continue;
    check_matrix(matrix, matrix.columns, matrices[i].name);
    if (matrix.memory == Memory::device) {
      on_device.push_back(device_matrix(matrix, matrices[i].name));
      device_values += matrix.rows * matrix.columns;
    } else {
      values[i].reserve(matrix.rows * matrix.columns);
      if (matrix.scalar == Scalar::float32)
        copy_rows<float>(matrix, values[i]);
      else
        copy_rows<double>(matrix, values[i]);
    }
  }
  if (on_device.empty()) return values;
  std::vector<double> together(device_values);
  device_->read(on_device, together);
  auto next = together.begin();
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    const MatrixRef& matrix = matrices[i].matrix;
    if (matrix.memory != Memory::device) continue;
    const auto end = next + static_cast<std::ptrdiff_t>(matrix.rows * matrix.columns);
    values[i].assign(next, end);
    next = end;
  }
  return values;
}

std::vector<std::int64_t> CallerArrays::read(const IndexRef& indices, const std::string& name) const {
  if (indices.size == 0) return {};
  if (indices.size > most_values)
    throw InvalidArray(Reason::shape, text(name, ": ", indices.size, " entries pass the address space"));
  check_memory(indices.memory, indices.data, indices.size * sizeof(std::int64_t), sizeof(std::int64_t), name);
  if (indices.memory == Memory::host) return {indices.data, indices.data + indices.size};
  std::vector<std::int64_t> values(indices.size);
  device_->read(indices.data, values, name);
  return values;
}

void CallerArrays::check_room(const MutableVectorRef& room, std::size_t count, const std::string& name) const {
  check_count(room.size, count, name);
  check_memory(room.memory, room.data, count * bytes_per_value(room.scalar), bytes_per_value(room.scalar), name);
}

void CallerArrays::check_room(const MutableIndexRef& room, std::size_t count, const std::string& name) const {
  check_count(room.size, count, name);
  check_memory(room.memory, room.data, count * sizeof(std::int64_t), sizeof(std::int64_t), name);
}

void CallerArrays::write(const MutableVectorRef& room, std::span<const double> values) const {
  const std::vector<float> singles(room.scalar == Scalar::float32 ? values.begin() : values.end(), values.end());
  const std::span<const std::byte> bytes =
      room.scalar == Scalar::float32 ? std::as_bytes(std::span(singles)) : std::as_bytes(values);
  if (room.memory == Memory::device) return device_->write(room.data, bytes);
  std::copy(bytes.begin(), bytes.end(), static_cast<std::byte*>(room.data));
}

void CallerArrays::write(const MutableIndexRef& room, std::span<const std::int64_t> values) const {
  if (room.memory == Memory::device) return device_->write(room.data, std::as_bytes(values));
  std::copy(values.begin(), values.end(), room.data);
}

}  // namespace carbo::internal
