#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <cusolverDn.h>

#include "backend/cuda/address_checks.hpp"
#include "backend/cuda/capture_mode.hpp"
#include "backend/cuda/cuda_error.hpp"
#include "backend/cuda/launch_parts.hpp"
#include "backend/cuda/memory.hpp"
#include "backend/cuda/solver_lane.hpp"
#include "backend/cuda/upload.hpp"

namespace carbo::internal {

/// What a CUDA application may bring along.
struct CudaOptions {
  int device = -1;                             ///< −1: the calling thread's current device
  std::optional<cudaStream_t> stream;          ///< absent: one of our own
  std::shared_ptr<DeviceAllocator> allocator;  ///< null: a pool of our own
  std::size_t memory_bytes = 0;                ///< 0: half of what is free on the device
  double slots_a_launch = slots_of_a_launch;   ///< see candidates_of_a_launch
};

/// One device, one stream and what belongs to them; every object of a backend holds it. All work is in the order of
/// the stream. One thread at a time may use it.
class Context {
 public:
  explicit Context(const CudaOptions& options);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  int device() const { return device_; }
  int multiprocessors() const { return multiprocessors_; }
  /// Operations of float32 in the time of one of float64.
  int float32_per_float64() const { return float32_per_float64_; }
  /// Of one launch that takes so many slots a candidate, so that no watchdog ends it.
  std::size_t launch_part(double slots_a_candidate) const {
    return candidates_of_a_launch(multiprocessors_, slots_a_candidate, slots_a_launch_);
  }
  cudaStream_t stream() const { return stream_; }
  cublasHandle_t blas() const { return blas_; }
  cusolverDnHandle_t solver() const { return solver_; }
  cusolverDnParams_t solver_parameters() const { return solver_parameters_; }
  const std::shared_ptr<DeviceMemory>& memory() const { return memory_; }
  RowUploader& rows() const { return *rows_; }
  /// Made at their first use and kept. What runs in one is forked from the context's stream and joined to it.
  const SolverLane& lane(std::size_t index) const;

  template <class T>
  DeviceBuffer<T> buffer(std::size_t size) const {
    return DeviceBuffer<T>(memory_, size);
  }

  /// Throw as throw_if_failed, and remember an error after which the device cannot be used.
  void check(cudaError_t error, const char* what) const;
  void check(cublasStatus_t status, const char* what) const;
  void check(cusolverStatus_t status, const char* what) const;
  ErrorCheck checker() const {
    return [this](cudaError_t error, const char* what) { check(error, what); };
  }

  /// Copies to the device in stream order; `from` may change as soon as this returns.
  template <class T>
  void upload(T* to, std::span<const T> from) const {
    upload_bytes(to, from.data(), from.size_bytes());
  }
  /// Copies to the host and waits for all work so far.
  template <class T>
  void download(std::span<T> to, const T* from) const {
    download_bytes(to.data(), from, to.size_bytes());
  }
  template <class T>
  T download_one(const T* from) const {
    T value{};
    download(std::span<T>(&value, 1), from);
    return value;
  }
  template <class T>
  void copy_on_device(T* to, const T* from, std::size_t count) const {
    if (count > 0)
      check(cudaMemcpyAsync(to, from, count * sizeof(T), cudaMemcpyDeviceToDevice, stream_), "copying on the device");
  }
  /// Waits for all work so far.
  void synchronise() const;

 private:
  friend class DeviceScope;
  bool stream_is_anothers() const;
  void make_handles();
  void release_handles() noexcept;
  void mark_half(std::size_t half) const;
  void upload_bytes(void* to, const void* from, std::size_t bytes) const;
  void download_bytes(void* to, const void* from, std::size_t bytes) const;

  int device_ = 0;
  int multiprocessors_ = 1;
  int float32_per_float64_ = 1;
  double slots_a_launch_ = slots_of_a_launch;
  std::thread::id maker_ = std::this_thread::get_id();  ///< whose stream cudaStreamPerThread is
  bool own_stream_ = false;
  bool has_stream_ = false;
  cudaStream_t stream_ = nullptr;
  std::shared_ptr<DeviceMemory> memory_;
  cublasHandle_t blas_ = nullptr;
  cusolverDnHandle_t solver_ = nullptr;
  cusolverDnParams_t solver_parameters_ = nullptr;
  DeviceBuffer<std::byte> blas_workspace_;
  std::unique_ptr<RowUploader> rows_;
  mutable std::vector<std::unique_ptr<SolverLane>> lanes_;
  /// Uploads pass through the two halves of `staging_` in turn, so that filling one overlaps with copying the other.
  /// A half is filled again once the copies from it are done; what lies before `staged_` may still be read.
  mutable PinnedBuffer<std::byte> staging_;
  mutable std::size_t staged_ = 0;
  cudaEvent_t half_copied_[2]{};
  mutable bool half_under_way_[2]{};  ///< copied from, and not waited for since
  mutable PinnedBuffer<std::byte> landing_;
  mutable std::string broken_;  ///< the error after which the device cannot be used; empty while it can
};

/// Makes the context's device current while it lives, and the caller's again at its end. Every operation of the
/// backend begins with one. Throws DeviceError where an earlier error left the device unusable, InvalidOptions where
/// the stream is capturing a graph, or is the default stream of another thread.
class DeviceScope {
 public:
  explicit DeviceScope(const Context& context);
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  void restore() noexcept;

  RelaxedCapture capture_;
  int before_ = 0;
  bool changed_ = false;
};

}  // namespace carbo::internal
