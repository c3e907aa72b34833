// The cuBLAS context: creation, settings, status names.
#include <cstdlib>

#include "cublas_handle.hpp"

#include <utility>

#include "registry.hpp"

namespace standin {

namespace {

Registry<cublasContext>& contexts() {
  static auto* registry =
      new Registry<cublasContext>("cuBLAS handles");  // never destroyed: handles may outlive static objects
  return *registry;
}

template <class T>
cublasStatus_t set(const char* call, cublasHandle_t handle, T cublasContext::*field, T value, bool valid = true) {
  if (const cublasStatus_t status = enter(call, handle)) return status;
  if (!valid) return CUBLAS_STATUS_INVALID_VALUE;
  handle->*field = value;
  return CUBLAS_STATUS_SUCCESS;
}

template <class T>
cublasStatus_t get(const char* call, cublasHandle_t handle, T cublasContext::*field, T* value) {
  if (const cublasStatus_t status = enter(call, handle)) return status;
  if (value == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *value = handle->*field;
  return CUBLAS_STATUS_SUCCESS;
}

// The low bits choose one mode; 16 is a flag that goes with any of them.
bool valid_math_mode(cublasMath_t mode) {
  switch (mode & ~CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION) {
    case CUBLAS_DEFAULT_MATH:
    case CUBLAS_TENSOR_OP_MATH:
    case CUBLAS_PEDANTIC_MATH:
    case CUBLAS_TF32_TENSOR_OP_MATH:
    case CUBLAS_FP32_EMULATED_BF16X9_MATH:
    case CUBLAS_FP64_EMULATED_FIXEDPOINT_MATH:
      return true;
    default:
      return false;
  }
}

}  // namespace

cublasStatus_t enter(const char* call, cublasHandle_t handle) {
  if (emulator::fails(call)) return CUBLAS_STATUS_EXECUTION_FAILED;
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!contexts().contains(handle)) emulator::defect("%s: %p is not a live cuBLAS handle", call, (void*)handle);
  // A context is bound to the device that was current when it was made.
  if (handle->device != emulator::current_device()) {
    emulator::defect("%s: the cuBLAS handle belongs to device %d, the current device is %d", call, handle->device,
                     emulator::current_device());
  }
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t submit(cublasHandle_t handle, const char* call, const Work& work, std::function<void()> body) {
  if (emulator::is_capturing(handle->stream)) return CUBLAS_STATUS_EXECUTION_FAILED;
  count_work(work);
  if (handle->workspace == nullptr) emulator::count("default workspace calls");
  if (handle->math_mode != CUBLAS_PEDANTIC_MATH && std::getenv("CUBLAS_EMULATE_DOUBLE_PRECISION") != nullptr)
    emulator::count("calls open to emulated math");
  const auto* workspace = static_cast<const char*>(handle->workspace);
  const auto bytes = static_cast<Index>(handle->workspace_bytes);
  emulator::enqueue(handle->stream, call, [=, body = std::move(body)] {
    // A workspace that the program gave has to live as long as work that may use it.
    device_array(workspace, bytes, call, "workspace of the handle");
    body();
  });
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace standin

using namespace standin;

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  if (emulator::fails("cublasCreate")) return CUBLAS_STATUS_ALLOC_FAILED;
  if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *handle = contexts().create();
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  const cublasStatus_t status = enter("cublasDestroy", handle);
  if (!contexts().contains(handle)) return status;
  emulator::wait_for_device("cublasDestroy");  // documented: releasing the context's memory waits for the device
  contexts().destroy(handle);
  return status;
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  const cublasStatus_t status = set("cublasSetStream", handle, &cublasContext::stream, stream);
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  // Documented: a new stream puts the context back on its own workspace, unconditionally.
  handle->workspace = nullptr;
  handle->workspace_bytes = 0;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t* stream) {
  return get("cublasGetStream", handle, &cublasContext::stream, stream);
}

cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode) {
  const bool valid = mode == CUBLAS_POINTER_MODE_HOST || mode == CUBLAS_POINTER_MODE_DEVICE;
  return set("cublasSetPointerMode", handle, &cublasContext::pointer_mode, mode, valid);
}

cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t* mode) {
  return get("cublasGetPointerMode", handle, &cublasContext::pointer_mode, mode);
}

cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode) {
  const bool valid = mode == CUBLAS_ATOMICS_NOT_ALLOWED || mode == CUBLAS_ATOMICS_ALLOWED;
  return set("cublasSetAtomicsMode", handle, &cublasContext::atomics_mode, mode, valid);
}

cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t* mode) {
  return get("cublasGetAtomicsMode", handle, &cublasContext::atomics_mode, mode);
}

cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
  return set("cublasSetMathMode", handle, &cublasContext::math_mode, mode, valid_math_mode(mode));
}

cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode) {
  return get("cublasGetMathMode", handle, &cublasContext::math_mode, mode);
}

cublasStatus_t cublasSetSmCountTarget(cublasHandle_t handle, int count) {
  return set("cublasSetSmCountTarget", handle, &cublasContext::sm_count_target, count, count >= 0);
}

cublasStatus_t cublasGetSmCountTarget(cublasHandle_t handle, int* count) {
  return get("cublasGetSmCountTarget", handle, &cublasContext::sm_count_target, count);
}

cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void* workspace, size_t bytes) {
  const char* call = "cublasSetWorkspace";
  if (const cublasStatus_t status = enter(call, handle)) return status;
  if (reinterpret_cast<std::uintptr_t>(workspace) % 256 != 0) return CUBLAS_STATUS_INVALID_VALUE;
  if (bytes > 0 && !emulator::is_device(workspace)) emulator::defect("%s: not device memory: %p", call, workspace);
  handle->workspace = workspace;
  handle->workspace_bytes = bytes;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int* version) {
  // The real call takes a null handle too, for the version does not depend on one.
  if (emulator::fails("cublasGetVersion")) return CUBLAS_STATUS_EXECUTION_FAILED;
  (void)handle;
  if (version == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *version = CUBLAS_VERSION;
  return CUBLAS_STATUS_SUCCESS;
}

}  // extern "C"

// Settings of the emulated floating-point modes: kept and given back, without effect on results.
#define STANDIN_SETTING(NAME, TYPE, FIELD, VALID)                                 \
  extern "C" cublasStatus_t cublasSet##NAME(cublasHandle_t handle, TYPE value) {  \
    return set("cublasSet" #NAME, handle, &cublasContext::FIELD, value, VALID);   \
  }                                                                               \
  extern "C" cublasStatus_t cublasGet##NAME(cublasHandle_t handle, TYPE* value) { \
    return get("cublasGet" #NAME, handle, &cublasContext::FIELD, value);          \
  }

STANDIN_SETTING(EmulationStrategy, cublasEmulationStrategy_t, emulation_strategy,
                value >= CUBLAS_EMULATION_STRATEGY_DEFAULT && value <= CUBLAS_EMULATION_STRATEGY_EAGER)
STANDIN_SETTING(EmulationSpecialValuesSupport, cudaEmulationSpecialValuesSupport, special_values, true)
STANDIN_SETTING(FixedPointEmulationMantissaControl, cudaEmulationMantissaControl, mantissa_control,
                value == CUDA_EMULATION_MANTISSA_CONTROL_DYNAMIC || value == CUDA_EMULATION_MANTISSA_CONTROL_FIXED)
STANDIN_SETTING(FixedPointEmulationMaxMantissaBitCount, int, max_mantissa_bits, value >= 0)
STANDIN_SETTING(FixedPointEmulationMantissaBitOffset, int, mantissa_bit_offset, true)
STANDIN_SETTING(FixedPointEmulationMantissaBitCountPointer, int*, mantissa_bit_count, true)
