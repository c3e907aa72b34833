#include "backend/cuda/context.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include <carbo/error.hpp>

#include "backend/cuda/preload.hpp"
#include "backend/cuda_sizes.hpp"

namespace carbo::internal {
namespace {

constexpr std::size_t staging_bytes = std::size_t{1} << 20;
constexpr std::size_t half_bytes = staging_bytes / 2;

int current_device() {
  int device = 0;
  throw_if_failed(cudaGetDevice(&device), "asking for the current device");
  return device;
}

std::size_t half_of_free_memory() {
  std::size_t free = 0, total = 0;
  throw_if_failed(cudaMemGetInfo(&free, &total), "asking for free device memory");
  return free / 2;
}

/// What cuBLAS asks for from Hopper on; small budgets must hold it, too, and are left with what it takes below.
std::size_t workspace_bytes_of(int device, std::size_t budget) {
  constexpr std::size_t recommended = std::size_t{32} << 20, ample = std::size_t{8} << 30;
  int major = 0;
  throw_if_failed(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device),
                  "asking for the compute capability");
  return major >= 9 && budget >= ample ? recommended : blas_workspace_bytes;
}

/// Neither TF32 nor emulated float64, whatever the environment asks for. Only pedantic arithmetic keeps emulation out
/// where it is asked for; elsewhere it is not taken, because it may keep out the tensor cores of float64, too.
cublasMath_t math_mode() {
  const bool emulation = std::getenv("CUBLAS_EMULATE_DOUBLE_PRECISION") != nullptr ||
                         std::getenv("CUBLAS_EMULATION_STRATEGY") != nullptr;
  return emulation ? CUBLAS_PEDANTIC_MATH : CUBLAS_DEFAULT_MATH;
}

/// Throws InvalidOptions where the stream is capturing a graph.
cudaError_t ask_for_capture(cudaStream_t stream) {
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  const cudaError_t error = cudaStreamIsCapturing(stream, &capture);
  if (error == cudaSuccess && capture != cudaStreamCaptureStatusNone)
    throw InvalidOptions(
        "the stream is capturing a graph; the CUDA backend reads results back and cannot be captured: end the "
        "capture first");
  return error;
}

/// Runs `release` at the end unless it is dismissed.
template <class Release>
class Rollback {
 public:
  explicit Rollback(Release release) : release_(std::move(release)) {}
  ~Rollback() {
    if (armed_) release_();
  }
  void dismiss() { armed_ = false; }

 private:
  Release release_;
  bool armed_ = true;
};

}  // namespace

Context::Context(const CudaOptions& options)
    : device_(options.device < 0 ? current_device() : options.device), slots_a_launch_(options.slots_a_launch) {
  const RelaxedCapture capture;
  const int before = current_device();
  throw_if_failed(cudaSetDevice(device_), "choosing device " + std::to_string(device_));
  Rollback undo([&] {
    release_handles();
    ignore_failure(cudaSetDevice(before));
  });
  throw_if_failed(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, device_),
                  "asking for multiprocessors");
  throw_if_failed(cudaDeviceGetAttribute(&float32_per_float64_, cudaDevAttrSingleToDoublePrecisionPerfRatio, device_),
                  "asking for the rate of float64");
  own_stream_ = !options.stream.has_value();
  if (own_stream_) {
    throw_if_failed(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream");
  } else {
    stream_ = *options.stream;
    throw_if_failed(ask_for_capture(stream_), "asking whether the stream is capturing");
  }
  has_stream_ = true;
  const std::size_t budget = options.memory_bytes > 0 ? options.memory_bytes : half_of_free_memory();
  memory_ = std::make_shared<DeviceMemory>(device_, stream_, options.allocator, budget);
  staging_ = PinnedBuffer<std::byte>(staging_bytes);
  for (cudaEvent_t& event : half_copied_)
    throw_if_failed(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "making an event");
  landing_ = PinnedBuffer<std::byte>(staging_bytes);
  rows_ = std::make_unique<RowUploader>(memory_);
  preload_kernels();
  make_handles();
  throw_if_failed(cudaSetDevice(before), "choosing the caller's device again");
  undo.dismiss();
}

Context::~Context() {
  const RelaxedCapture capture;
  int before = device_;
  ignore_failure(cudaGetDevice(&before));
  ignore_failure(cudaSetDevice(device_));
  release_handles();
  ignore_failure(cudaSetDevice(before));
}

void Context::make_handles() {
  throw_if_failed(cublasCreate(&blas_), "making a cuBLAS handle");
  throw_if_failed(cublasSetStream(blas_, stream_), "cublasSetStream");
  // A change of stream takes the workspace away again, so this comes after it.
  blas_workspace_ = buffer<std::byte>(workspace_bytes_of(device_, memory_->budget()));
  throw_if_failed(cublasSetWorkspace(blas_, blas_workspace_.data(), blas_workspace_.size()), "cublasSetWorkspace");
  throw_if_failed(cublasSetMathMode(blas_, math_mode()), "cublasSetMathMode");
  throw_if_failed(cublasSetAtomicsMode(blas_, CUBLAS_ATOMICS_NOT_ALLOWED), "cublasSetAtomicsMode");
  solver_ = make_solver(stream_);
  throw_if_failed(cusolverDnCreateParams(&solver_parameters_), "cusolverDnCreateParams");
}

/// cudaStreamPerThread names another stream in every thread.
bool Context::stream_is_anothers() const {
  return stream_ == cudaStreamPerThread && maker_ != std::this_thread::get_id();
}

void Context::release_handles() noexcept {
  // Work that is still under way may use what goes now.
  if (has_stream_) ignore_failure(stream_is_anothers() ? cudaDeviceSynchronize() : cudaStreamSynchronize(stream_));
  lanes_.clear();
  if (solver_parameters_ != nullptr) cusolverDnDestroyParams(solver_parameters_);
  if (solver_ != nullptr) cusolverDnDestroy(solver_);
  if (blas_ != nullptr) cublasDestroy(blas_);
  for (const cudaEvent_t event : half_copied_)
    if (event != nullptr) ignore_failure(cudaEventDestroy(event));
  blas_workspace_ = {};
  rows_.reset();
  memory_.reset();
  staging_ = {};
  landing_ = {};
  if (has_stream_ && own_stream_) {
    ignore_failure(cudaStreamSynchronize(stream_));
    ignore_failure(cudaStreamDestroy(stream_));
  }
}

const SolverLane& Context::lane(std::size_t index) const {
  while (lanes_.size() <= index) lanes_.push_back(std::make_unique<SolverLane>());
  return *lanes_[index];
}

void Context::check(cudaError_t error, const char* what) const {
  if (is_sticky(error)) broken_ = std::string(what) + ": " + cudaGetErrorName(error);
  throw_if_failed(error, what);
}

void Context::check(cublasStatus_t status, const char* what) const {
  if (status == CUBLAS_STATUS_EXECUTION_FAILED) check(cudaPeekAtLastError(), what);
  throw_if_failed(status, what);
}

void Context::check(cusolverStatus_t status, const char* what) const {
  if (status == CUSOLVER_STATUS_EXECUTION_FAILED) check(cudaPeekAtLastError(), what);
  throw_if_failed(status, what);
}

void Context::synchronise() const {
  check(cudaStreamSynchronize(stream_), "waiting for the device");
  staged_ = 0;
  half_under_way_[0] = half_under_way_[1] = false;
}

void Context::mark_half(std::size_t half) const {
  half_under_way_[half] = true;
  const cudaError_t error = cudaEventRecord(half_copied_[half], stream_);
  // Without its mark nobody would wait for these copies.
  if (error != cudaSuccess) ignore_failure(cudaStreamSynchronize(stream_));
  check(error, "marking copies to the device");
}

void Context::upload_bytes(void* to, const void* from, std::size_t bytes) const {
  const auto* source = static_cast<const std::byte*>(from);
  auto* target = static_cast<std::byte*>(to);
  while (bytes > 0) {
    const std::size_t half = staged_ / half_bytes;
    if (half_under_way_[half]) {
      check(cudaEventSynchronize(half_copied_[half]), "waiting for copies to the device");
      half_under_way_[half] = false;
    }
    const std::size_t part = std::min(bytes, half_bytes - staged_ % half_bytes);
    std::byte* const room = staging_.data() + staged_;
    std::memcpy(room, source, part);
    check(cudaMemcpyAsync(target, room, part, cudaMemcpyHostToDevice, stream_), "copying to the device");
    staged_ = (staged_ + part + 15) / 16 * 16 % staging_bytes;
    if (staged_ % half_bytes == 0) mark_half(half);
    source += part;
    target += part;
    bytes -= part;
  }
}

void Context::download_bytes(void* to, const void* from, std::size_t bytes) const {
  auto* target = static_cast<std::byte*>(to);
  const auto* source = static_cast<const std::byte*>(from);
  for (std::size_t done = 0; done < bytes;) {
    const std::size_t part = std::min(bytes - done, landing_.size());
    check(cudaMemcpyAsync(landing_.data(), source + done, part, cudaMemcpyDeviceToHost, stream_),
          "copying to the host");
    synchronise();
    std::memcpy(target + done, landing_.data(), part);
    done += part;
  }
}

DeviceScope::DeviceScope(const Context& context) {
  if (!context.broken_.empty())
    throw DeviceError("the CUDA backend cannot be used any more after an earlier error (" + context.broken_ +
                      "); start a new process");
  if (context.stream_is_anothers())
    throw InvalidOptions(
        "the stream is cudaStreamPerThread, which is another stream in this thread than in the one that gave it: "
        "stay in that thread, or give a stream of your own");
  throw_if_failed(cudaGetDevice(&before_), "asking for the current device");
  if (before_ != context.device_) {
    throw_if_failed(cudaSetDevice(context.device_), "choosing the backend's device");
    changed_ = true;
  }
  Rollback undo([&] { restore(); });
  context.check(ask_for_capture(context.stream_), "asking whether the stream is capturing");
  undo.dismiss();
}

DeviceScope::~DeviceScope() { restore(); }

void DeviceScope::restore() noexcept {
  if (changed_) ignore_failure(cudaSetDevice(before_));
}

}  // namespace carbo::internal
