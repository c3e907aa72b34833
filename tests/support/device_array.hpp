#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include <cuda_runtime_api.h>

namespace carbo::test {

/// What a test of two devices asks first: a machine with one card skips it.
inline int device_count() {
  int count = 0;
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  return count;
}

/// Makes another device current while it lives.
class CurrentDevice {
 public:
  explicit CurrentDevice(int device) { EXPECT_EQ(cudaSetDevice(device), cudaSuccess); }
  ~CurrentDevice() { cudaSetDevice(0); }
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;
};

/// Device memory and streams of a test's own, as an application has them.
class DeviceStream {
 public:
  DeviceStream() { EXPECT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess); }
  ~DeviceStream() { cudaStreamDestroy(stream_); }
  DeviceStream(const DeviceStream&) = delete;
  DeviceStream& operator=(const DeviceStream&) = delete;
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// On the device that is current when it is made.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t size) : size_(size) {
    EXPECT_EQ(cudaMalloc(reinterpret_cast<void**>(&data_), size * sizeof(T)), cudaSuccess);
  }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
    EXPECT_EQ(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice), cudaSuccess);
  }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  /// After all work of the device.
  std::vector<T> read() const {
    std::vector<T> values(size_);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(values.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost), cudaSuccess);
    return values;
  }

 private:
  T* data_ = nullptr;
  std::size_t size_;
};

/// Pinned host memory.
template <class T>
class PinnedArray {
 public:
  explicit PinnedArray(const std::vector<T>& values) : size_(values.size()) {
    EXPECT_EQ(cudaHostAlloc(reinterpret_cast<void**>(&data_), size_ * sizeof(T), cudaHostAllocDefault), cudaSuccess);
    std::copy(values.begin(), values.end(), data_);
  }
  ~PinnedArray() { cudaFreeHost(data_); }
  PinnedArray(const PinnedArray&) = delete;
  PinnedArray& operator=(const PinnedArray&) = delete;

  T* data() const { return data_; }
  std::size_t bytes() const { return size_ * sizeof(T); }
  std::vector<T> values() const { return {data_, data_ + size_}; }

 private:
  T* data_ = nullptr;
  std::size_t size_;
};

}  // namespace carbo::test
