#pragma once

#include <cstddef>
#include <cstdint>
#include <source_location>
#include <stdexcept>
#include <string>
#include <utility>

#include <cuda_runtime_api.h>

#include "trace.hpp"

/// CUDA's objects with owners, and its errors as exceptions.

inline void check(cudaError_t status, const std::source_location& where = std::source_location::current()) {
  if (status == cudaSuccess) return;
  throw std::runtime_error(std::string(where.file_name()) + ":" + std::to_string(where.line()) + ": " +
                           cudaGetErrorName(status) + ", " + cudaGetErrorString(status));
}

/// After a kernel's <<<...>>>: whether it could be launched. What goes wrong while it runs shows at the next wait.
inline void check_launch(const std::source_location& where = std::source_location::current()) {
  check(cudaGetLastError(), where);
}

class Stream {
 public:
  Stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  operator cudaStream_t() const { return stream_; }
  /// `what` is waited for, by the trace.
  void wait(const char* what) const {
    waits(what, [&] { check(cudaStreamSynchronize(stream_)); });
  }

 private:
  cudaStream_t stream_ = nullptr;
};

/// What is given back to CUDA's pool stays in it, or the next wait would hand it on to the system.
inline void keep_freed_memory() {
  int device = 0;
  cudaMemPool_t pool = nullptr;
  std::uint64_t everything = UINT64_MAX;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetDefaultMemPool(&pool, device));
  check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &everything));
}

/// Device memory that is taken and given back in the order of a stream, so that neither waits.
template <class T>
class DeviceArray {
 public:
  DeviceArray(std::size_t size, cudaStream_t stream) : size_(size), stream_(stream) {
    check(cudaMallocAsync(reinterpret_cast<void**>(&data_), size * sizeof(T), stream));
  }
  ~DeviceArray() { cudaFreeAsync(data_, stream_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  std::size_t size_;
  cudaStream_t stream_;
  T* data_ = nullptr;
};

/// Pinned host memory: copies to it do not wait. Giving it back does.
template <class T>
class PinnedArray {
 public:
  explicit PinnedArray(std::size_t size) {
    check(cudaMallocHost(reinterpret_cast<void**>(&data_), size * sizeof(T)));
  }
  ~PinnedArray() {
    waits("application: pinned memory is given back", [&] { cudaFreeHost(data_); });
  }
  PinnedArray(const PinnedArray&) = delete;
  PinnedArray& operator=(const PinnedArray&) = delete;

  /// The first `count` values; they are there once the stream was waited for.
  void copy_from(const DeviceArray<T>& source, std::size_t count, cudaStream_t stream) {
    check(cudaMemcpyAsync(data_, source.data(), count * sizeof(T), cudaMemcpyDeviceToHost, stream));
  }
  const T& operator[](std::size_t i) const { return data_[i]; }

 private:
  T* data_ = nullptr;
};
