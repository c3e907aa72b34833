#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>

#include <carbo/array.hpp>

#include "backend/cuda/cuda_error.hpp"

namespace carbo::internal {

/// Device memory of one backend, all of it used in the order of one stream. Blocks that are given back are kept and
/// given out again, so that work which repeats does not allocate. Counts against a budget of bytes.
class DeviceMemory {
 public:
  /// `allocator`: null for a pool of our own, or plain cudaMalloc where the device has no pools. The device is
  /// current.
  DeviceMemory(int device, cudaStream_t stream, std::shared_ptr<DeviceAllocator> allocator, std::size_t budget);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  /// Throws OutOfMemory where the budget or the device has no room, InvalidArray where an application's allocator
  /// gives what is no memory of the device or not aligned.
  void* allocate(std::size_t bytes);
  void release(void* memory) noexcept;
  /// Gives kept blocks back to where they came from.
  void trim() noexcept;

  std::size_t budget() const { return budget_; }
  /// Bytes in use, without kept blocks.
  std::size_t used() const { return used_; }
  std::size_t peak() const { return peak_; }

 private:
  struct Block {
    void* memory = nullptr;
    std::size_t bytes = 0;
    bool kept = false;  ///< given back
  };

  void* take_new(std::size_t bytes);
  void* take_from_application(std::size_t bytes);
  void give_back(void* memory, std::size_t bytes) noexcept;

  int device_;
  cudaStream_t stream_;
  std::shared_ptr<DeviceAllocator> allocator_;
  cudaMemPool_t pool_ = nullptr;
  std::size_t budget_;
  std::size_t used_ = 0;
  std::size_t kept_ = 0;
  std::size_t peak_ = 0;
  std::vector<Block> blocks_;  ///< a few hundred at most
};

/// `size` elements of device memory, or none.
template <class T>
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  DeviceBuffer(std::shared_ptr<DeviceMemory> memory, std::size_t size)
      : memory_(std::move(memory)), size_(size), data_(size == 0 ? nullptr : allocate(size)) {}
  DeviceBuffer(DeviceBuffer&& other) noexcept { swap(other); }
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    DeviceBuffer(std::move(other)).swap(*this);
    return *this;
  }
  ~DeviceBuffer() {
    if (data_ != nullptr) memory_->release(data_);
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  void swap(DeviceBuffer& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(size_, other.size_);
    std::swap(data_, other.data_);
  }

 private:
  T* allocate(std::size_t size) { return static_cast<T*>(memory_->allocate(size * sizeof(T))); }

  std::shared_ptr<DeviceMemory> memory_;
  std::size_t size_ = 0;
  T* data_ = nullptr;
};

/// Page-locked host memory.
template <class T>
class PinnedBuffer {
 public:
  PinnedBuffer() = default;
  explicit PinnedBuffer(std::size_t size);
  PinnedBuffer(PinnedBuffer&& other) noexcept { swap(other); }
  PinnedBuffer& operator=(PinnedBuffer&& other) noexcept {
    PinnedBuffer(std::move(other)).swap(*this);
    return *this;
  }
  ~PinnedBuffer() {
    if (data_ != nullptr) ignore_failure(cudaFreeHost(data_));
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  void swap(PinnedBuffer& other) noexcept {
    std::swap(size_, other.size_);
    std::swap(data_, other.data_);
  }

 private:
  std::size_t size_ = 0;
  T* data_ = nullptr;
};

/// Throws OutOfMemory.
void* allocate_pinned(std::size_t bytes);

template <class T>
PinnedBuffer<T>::PinnedBuffer(std::size_t size)
    : size_(size), data_(size == 0 ? nullptr : static_cast<T*>(allocate_pinned(size * sizeof(T)))) {}

}  // namespace carbo::internal
