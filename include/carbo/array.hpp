#pragma once

#include <carbo/language.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>

namespace carbo {

/// \file
/// Arrays that a caller owns, in host or in device memory. What points to them is looked at only during the call that
/// they are given to, unless that call says otherwise.

enum class Scalar { float32, float64 };
enum class Memory {
  host,
  device,  ///< of the CUDA device that the selector runs on, or managed
};
enum class Order { row_major, column_major };

template <class T>
constexpr Scalar scalar_of() {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>, "arrays hold float or double");
  return std::is_same_v<T, float> ? Scalar::float32 : Scalar::float64;
}

struct MatrixRef {
  const void* data = nullptr;  ///< aligned to its scalar
  Scalar scalar = Scalar::float64;
  Memory memory = Memory::host;
  Order order = Order::row_major;
  std::size_t rows = 0;
  std::size_t columns = 0;
  /// Elements from one row (row-major) or column (column-major) to the next; 0: no gaps.
  std::size_t leading_dimension = 0;
};

/// Contiguous.
struct VectorRef {
  const void* data = nullptr;
  Scalar scalar = Scalar::float64;
  Memory memory = Memory::host;
  std::size_t size = 0;
};

struct MutableVectorRef {
  void* data = nullptr;
  Scalar scalar = Scalar::float64;
  Memory memory = Memory::host;
  std::size_t size = 0;
};

/// Rows of a pool, counted from 0.
struct IndexRef {
  const std::int64_t* data = nullptr;
  Memory memory = Memory::host;
  std::size_t size = 0;
};

struct MutableIndexRef {
  std::int64_t* data = nullptr;
  Memory memory = Memory::host;
  std::size_t size = 0;
};

/// A vector that lives for as long as somebody holds it, longer than what made it if need be.
struct OwnedVector {
  std::shared_ptr<void> data;
  Scalar scalar = Scalar::float64;
  Memory memory = Memory::host;
  int device = 0;  ///< of device memory
  std::size_t size = 0;
};

/// In host memory; carbo/cuda.hpp has the same for device memory.
template <class T>
MatrixRef host_rows(const T* data, std::size_t rows, std::size_t columns, std::size_t leading_dimension = 0) {
  return {data, scalar_of<T>(), Memory::host, Order::row_major, rows, columns, leading_dimension};
}
template <class T>
MatrixRef host_columns(const T* data, std::size_t rows, std::size_t columns, std::size_t leading_dimension = 0) {
  return {data, scalar_of<T>(), Memory::host, Order::column_major, rows, columns, leading_dimension};
}
template <class T>
VectorRef host_values(const T* data, std::size_t size) {
  return {data, scalar_of<T>(), Memory::host, size};
}
template <class T>
requires(!std::is_const_v<T>) MutableVectorRef host_room(T* data, std::size_t size) {
  return {data, scalar_of<T>(), Memory::host, size};
}
inline IndexRef host_indices(const std::int64_t* data, std::size_t size) { return {data, Memory::host, size}; }
inline MutableIndexRef host_index_room(std::int64_t* data, std::size_t size) { return {data, Memory::host, size}; }

/// Device memory from an application, in the order of its stream.
class DeviceAllocator {
 public:
  virtual ~DeviceAllocator() = default;
  /// `stream`: a cudaStream_t. Aligned to 256 bytes; null where there is none left.
  virtual void* allocate(std::size_t bytes, void* stream) = 0;
  virtual void release(void* memory, std::size_t bytes, void* stream) noexcept = 0;
};

/// What a CUDA application may bring along, without CUDA's types; carbo/cuda.hpp makes it from them.
struct DeviceResources {
  std::optional<void*> stream{};                 ///< a cudaStream_t; absent: one of our own
  std::shared_ptr<DeviceAllocator> allocator{};  ///< null: a pool of our own
};

}  // namespace carbo
