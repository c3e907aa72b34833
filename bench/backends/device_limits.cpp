#include "bench/backends/device_limits.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <carbo/error.hpp>

#include "backend/backend.hpp"
#include "backend/cuda/cuda_error.hpp"
#include "bench/support/scene.hpp"
#include "support/text.hpp"

namespace carbo::bench {

namespace {

using internal::throw_if_failed;

/// Memory of the current device.
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t bytes) : bytes_(bytes) {
    const cudaError_t error = cudaMalloc(&data_, bytes);
    if (error == cudaErrorMemoryAllocation) {
      internal::ignore_failure(error);
      throw OutOfMemory(internal::text("measuring a limit of the device: ", bytes,
                                       " bytes of its memory are not free; give a smaller --limit-size"));
    }
    throw_if_failed(error, "allocating memory for a limit of the device");
  }
  ~DeviceArray() { internal::ignore_failure(cudaFree(data_)); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  double* data() const { return static_cast<double*>(data_); }
  std::size_t bytes() const { return bytes_; }

  /// Random numbers in [−1, 1), a block of them over and over: a card runs faster over zeros, with less power.
  void fill() {
    constexpr std::size_t most_values = std::size_t{1} << 16;
    std::vector<double> block(std::min(most_values, bytes_ / sizeof(double)));
    std::mt19937_64 bits(1);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::generate(block.begin(), block.end(), [&] { return uniform(bits); });
    std::size_t filled = block.size() * sizeof(double);
    throw_if_failed(cudaMemcpy(data_, block.data(), filled, cudaMemcpyHostToDevice), "filling a device's array");
    for (std::size_t next; filled < bytes_; filled += next) {
      next = std::min(filled, bytes_ - filled);
      throw_if_failed(cudaMemcpy(static_cast<char*>(data_) + filled, data_, next, cudaMemcpyDeviceToDevice),
                      "filling a device's array");
    }
    // Copies inside the device's memory need not be over when the call returns.
    throw_if_failed(cudaDeviceSynchronize(), "filling a device's array");
  }

 private:
  void* data_ = nullptr;
  std::size_t bytes_;
};

/// A stream of the current device's.
class Stream {
 public:
  Stream() { throw_if_failed(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream"); }
  ~Stream() { internal::ignore_failure(cudaStreamDestroy(stream_)); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  cudaStream_t get() const { return stream_; }
  void wait() const { throw_if_failed(cudaStreamSynchronize(stream_), "measuring a limit of the device"); }

 private:
  cudaStream_t stream_ = nullptr;
};

/// A handle of cuBLAS's in its default arithmetic, as the backend has it, in the order of a stream.
class BlasHandle {
 public:
  explicit BlasHandle(const Stream& stream) {
    throw_if_failed(cublasCreate(&handle_), "making a cuBLAS handle");
    try {
      throw_if_failed(cublasSetStream(handle_, stream.get()), "setting cuBLAS's stream");
    } catch (...) {
      cublasDestroy(handle_);
      throw;
    }
  }
  ~BlasHandle() { cublasDestroy(handle_); }
  BlasHandle(const BlasHandle&) = delete;
  BlasHandle& operator=(const BlasHandle&) = delete;

  cublasHandle_t get() const { return handle_; }

 private:
  cublasHandle_t handle_ = nullptr;
};

/// One square product.
class DeviceGemm final : public LimitProbe {
 public:
  explicit DeviceGemm(std::size_t order)
      : order_(order), blas_(stream_), a_(bytes_of(order)), b_(bytes_of(order)), c_(bytes_of(order)) {
    a_.fill();
    b_.fill();
  }
  void run() override {
    const double one = 1, zero = 0;
    const int n = static_cast<int>(order_);
    throw_if_failed(cublasDgemm(blas_.get(), CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a_.data(), n, b_.data(), n,
                                &zero, c_.data(), n),
                    "multiplying matrices for a limit of the device");
    stream_.wait();
  }
  double work() const override {
    const auto n = static_cast<double>(order_);
    return 2 * n * n * n;
  }

 private:
  static std::size_t bytes_of(std::size_t order) { return order * order * sizeof(double); }

  std::size_t order_;
  Stream stream_;
  BlasHandle blas_;
  DeviceArray a_, b_, c_;
};

/// Copies inside the device's memory, one after the other. Counts the bytes read and those written.
class DeviceCopy final : public LimitProbe {
 public:
  explicit DeviceCopy(std::size_t bytes) : from_(bytes), to_(bytes) { from_.fill(); }
  void run() override {
    for (int i = 0; i < rounds; ++i)
      throw_if_failed(
          cudaMemcpyAsync(to_.data(), from_.data(), from_.bytes(), cudaMemcpyDeviceToDevice, stream_.get()),
          "copying for a limit of the device");
    stream_.wait();
  }
  double work() const override { return 2.0 * rounds * static_cast<double>(from_.bytes()); }

 private:
  static constexpr int rounds = 8;  // so that the wait at their end does not count
  Stream stream_;
  DeviceArray from_, to_;
};

/// The backend's posterior mean of one GP over all candidates, one of which is read at the end to wait for it.
class DeviceSweep final : public LimitProbe {
 public:
  DeviceSweep(const JobSizes& sizes, const BackendOptions& backend)
      : problem_(DataSet::late, std::max<std::size_t>(sizes.n, 1), std::min(sizes.m, most_candidates), sizes.d),
        scene_(problem_, {.backend = backend}) {}
  void run() override {
    const auto field = scene_.backend().sweep(scene_.objective_factor(), scene_.candidates(), false);
    static_cast<void>(field->mean(problem_.candidates() - 1));
  }
  double work() const override {
    return static_cast<double>(problem_.rows()) * static_cast<double>(problem_.candidates());
  }

 private:
  /// A rate needs no more, and the job beside it needs the memory.
  static constexpr std::size_t most_candidates = std::size_t{1} << 20;
  Problem problem_;
  Scene scene_;
};

int device_of(const BackendOptions& options) {
  const auto backend = internal::make_backend(options);
  internal::DeviceAccess* const access = backend->device_access();
  if (access == nullptr)
    throw BackendUnavailable("limits of a device: the backend " + backend->name() + " does not run on one");
  return access->device();
}

}  // namespace

ProbeMaker device_probes(const BackendOptions& backend, std::size_t order) {
  throw_if_failed(cudaSetDevice(device_of(backend)), "choosing the device whose limits are measured");
  return [backend, order](Limit limit, const JobSizes& sizes) -> std::unique_ptr<LimitProbe> {
    switch (limit) {
      case Limit::gemm:
        return std::make_unique<DeviceGemm>(order);
      case Limit::memory:
        return std::make_unique<DeviceCopy>(2 * sizeof(double) * order * order);
      case Limit::matern:
        return std::make_unique<DeviceSweep>(sizes, backend);
      default:
        return nullptr;
    }
  };
}

}  // namespace carbo::bench
