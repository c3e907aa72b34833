#pragma once

/// \file
/// The selector for CUDA applications: device memory, the application's stream and its allocator. Needs the CUDA
/// headers, and a host compiler or nvcc. Link carbo::cuda, or let libcarbo_cuda be found (see BackendOptions).
///
// clang-format off
///     cudaStream_t stream = …;
///     carbo::Selector selector = carbo::cuda::make_selector({.columns = 6}, {.stream = stream});
///     selector.set_pool({carbo::cuda::device_rows(library, 1000000, 6)});   // float* or double*, borrowed
///     selector.append({.rows = carbo::cuda::device_indices(tried, 16),
///                      .objectives = carbo::cuda::device_values(objectives, 16),
///                      .costs = carbo::cuda::device_values(costs, 16)});
///     selector.fit();
///     selector.suggest({.count = 64, .alpha = alpha}, {carbo::cuda::device_index_room(picked, 64)});
///     evaluate<<<64, 128, 0, stream>>>(library, picked, objectives, costs);  // no wait in between
// clang-format on

#include <carbo/language.hpp>

#include <memory>
#include <optional>
#include <utility>

#include <cuda_runtime_api.h>

#include <carbo/selector.hpp>

namespace carbo::cuda {

/// Device memory from the application, in the order of the stream.
class Allocator {
 public:
  virtual ~Allocator() = default;
  /// Aligned to 256 bytes; null where there is none left.
  virtual void* allocate(std::size_t bytes, cudaStream_t stream) = 0;
  virtual void release(void* memory, std::size_t bytes, cudaStream_t stream) noexcept = 0;
};

struct Resources {
  int device = -1;  ///< −1: the stream's where one is given, or else the calling thread's current one
  /// Of that device; absent: one of our own. 0 is the legacy default stream, in applications that were compiled for
  /// default streams of their own for each thread, too: these give cudaStreamPerThread, and call from one thread.
  std::optional<cudaStream_t> stream{};
  std::shared_ptr<Allocator> allocator{};  ///< null: a pool of our own
};

namespace internal {

class ErasedAllocator final : public DeviceAllocator {
 public:
  explicit ErasedAllocator(std::shared_ptr<Allocator> allocator) : allocator_(std::move(allocator)) {}
  void* allocate(std::size_t bytes, void* stream) override {
    return allocator_->allocate(bytes, static_cast<cudaStream_t>(stream));
  }
  void release(void* memory, std::size_t bytes, void* stream) noexcept override {
    allocator_->release(memory, bytes, static_cast<cudaStream_t>(stream));
  }

 private:
  std::shared_ptr<Allocator> allocator_;
};

}  // namespace internal

/// A selector on a CUDA device, never on the CPU. Throws BackendUnavailable where there is none, with the reason.
inline Selector make_selector(SelectorOptions options, const Resources& resources = {}) {
  options.backend.kind = BackendKind::cuda;
  options.backend.device = resources.device;
  DeviceResources erased;
  if (resources.stream) erased.stream = static_cast<void*>(*resources.stream);
  if (resources.allocator) erased.allocator = std::make_shared<internal::ErasedAllocator>(resources.allocator);
  return Selector(std::move(options), erased);
}

/// Arrays in device memory; see array.hpp for the same in host memory.
template <class T>
MatrixRef device_rows(const T* data, std::size_t rows, std::size_t columns, std::size_t leading_dimension = 0) {
  return {data, scalar_of<T>(), Memory::device, Order::row_major, rows, columns, leading_dimension};
}
template <class T>
MatrixRef device_columns(const T* data, std::size_t rows, std::size_t columns, std::size_t leading_dimension = 0) {
  return {data, scalar_of<T>(), Memory::device, Order::column_major, rows, columns, leading_dimension};
}
template <class T>
VectorRef device_values(const T* data, std::size_t size) {
  return {data, scalar_of<T>(), Memory::device, size};
}
template <class T>
requires(!std::is_const_v<T>) MutableVectorRef device_room(T* data, std::size_t size) {
  return {data, scalar_of<T>(), Memory::device, size};
}
inline IndexRef device_indices(const std::int64_t* data, std::size_t size) { return {data, Memory::device, size}; }
inline MutableIndexRef device_index_room(std::int64_t* data, std::size_t size) {
  return {data, Memory::device, size};
}

}  // namespace carbo::cuda
