// The cuBLAS context, and the steps that every cuBLAS routine goes through.
#pragma once
#include <cublas_v2.h>

#include <functional>
#include <memory>

#include "checks.hpp"
#include "device_memory.hpp"
#include "emulator.hpp"
#include "work.hpp"

struct cublasContext {
  int device = emulator::current_device();
  cudaStream_t stream = nullptr;
  cublasPointerMode_t pointer_mode = CUBLAS_POINTER_MODE_HOST;
  cublasAtomicsMode_t atomics_mode = CUBLAS_ATOMICS_NOT_ALLOWED;
  cublasMath_t math_mode = CUBLAS_DEFAULT_MATH;
  cublasEmulationStrategy_t emulation_strategy = CUBLAS_EMULATION_STRATEGY_DEFAULT;
  cudaEmulationSpecialValuesSupport special_values = CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_DEFAULT;
  cudaEmulationMantissaControl mantissa_control = CUDA_EMULATION_MANTISSA_CONTROL_DYNAMIC;
  int max_mantissa_bits = 0;
  int mantissa_bit_offset = 0;
  int* mantissa_bit_count = nullptr;
  int sm_count_target = 0;
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
};

namespace standin {

// The first step of every call: the fault plan, then the handle.
cublasStatus_t enter(const char* call, cublasHandle_t handle);

// The last step: counts the call and its work, and puts its body into the handle's stream. A call on the default
// workspace, or in a math mode that leaves room for reduced or emulated precision, is counted apart.
cublasStatus_t submit(cublasHandle_t handle, const char* call, const Work& work, std::function<void()> body);

// A scalar argument. In host pointer mode its value is taken at the call, for the caller may change it right after;
// in device pointer mode it is read when the work runs.
template <class T>
class Scalar {
 public:
  Scalar(cublasHandle_t handle, const T* source, const char* call, const char* argument)
      : source_(source), call_(call), argument_(argument) {
    on_device_ = handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE;
    if (on_device_) return;
    if (emulator::is_device(source)) {
      emulator::defect("%s: %s is a device pointer, but the handle is in host pointer mode", call, argument);
    }
    copied_ = *source;
  }

  T value() const { return on_device_ ? *device_array(source_, 1, call_, argument_) : copied_; }

 private:
  const T* source_;
  const char* call_;
  const char* argument_;
  bool on_device_;
  T copied_{};
};

// Hands a scalar result over: through the stream to device memory, or to host memory after waiting for the stream.
template <class T>
cublasStatus_t deliver(cublasHandle_t handle, const char* call, const Work& work, T* result,
                       std::function<T()> compute) {
  if (handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE) {
    return submit(handle, call, work, [=] { *device_array(result, 1, call, "result") = compute(); });
  }
  if (emulator::is_device(result)) {
    emulator::defect("%s: result is a device pointer, but the handle is in host pointer mode", call);
  }
  const auto value = std::make_shared<T>();
  const cublasStatus_t status = submit(handle, call, work, [=] { *value = compute(); });
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  emulator::wait_for_stream(handle->stream, call);
  *result = *value;
  return status;
}

}  // namespace standin

// Definitions of one routine for float and double with 32-bit and 64-bit sizes. WRAPPER(symbol, name, T, Int) defines
// one function. The headers map the documented name of most routines to a symbol with the suffix _v2; the fault plan
// and messages use the documented name.
#define STANDIN_EXPORT_V2(WRAPPER, routine)                                        \
  WRAPPER(cublasS##routine##_v2, "cublasS" #routine, float, int)                   \
  WRAPPER(cublasD##routine##_v2, "cublasD" #routine, double, int)                  \
  WRAPPER(cublasS##routine##_v2_64, "cublasS" #routine "_64", float, std::int64_t) \
  WRAPPER(cublasD##routine##_v2_64, "cublasD" #routine "_64", double, std::int64_t)

// The same for the routines that never had a first version.
#define STANDIN_EXPORT(WRAPPER, routine)                                        \
  WRAPPER(cublasS##routine, "cublasS" #routine, float, int)                     \
  WRAPPER(cublasD##routine, "cublasD" #routine, double, int)                    \
  WRAPPER(cublasS##routine##_64, "cublasS" #routine "_64", float, std::int64_t) \
  WRAPPER(cublasD##routine##_64, "cublasD" #routine "_64", double, std::int64_t)
