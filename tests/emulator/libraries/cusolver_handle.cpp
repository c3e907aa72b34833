// The cuSOLVER dense context: creation, settings, parameters, workspace checks.
#include "cusolver_handle.hpp"

#include <cstring>
#include <utility>

#include "registry.hpp"

namespace standin {

namespace {

Registry<cusolverDnContext>& contexts() {
  static auto* registry =
      new Registry<cusolverDnContext>("cuSOLVER handles");  // never destroyed: handles may outlive static objects
  return *registry;
}

Registry<cusolverDnParams>& parameter_sets() {
  static auto* registry = new Registry<cusolverDnParams>("cuSOLVER params");
  return *registry;
}

template <class T>
cusolverStatus_t set(const char* call, cusolverDnHandle_t handle, T cusolverDnContext::*field, T value, bool valid) {
  if (const cusolverStatus_t status = enter(call, handle)) return status;
  if (!valid) return CUSOLVER_STATUS_INVALID_VALUE;
  handle->*field = value;
  return CUSOLVER_STATUS_SUCCESS;
}

template <class T>
cusolverStatus_t get(const char* call, cusolverDnHandle_t handle, T cusolverDnContext::*field, T* value) {
  if (const cusolverStatus_t status = enter(call, handle)) return status;
  if (value == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  *value = handle->*field;
  return CUSOLVER_STATUS_SUCCESS;
}

}  // namespace

cusolverStatus_t enter(const char* call, cusolverDnHandle_t handle) {
  if (emulator::fails(call)) return CUSOLVER_STATUS_EXECUTION_FAILED;
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (!contexts().contains(handle)) emulator::defect("%s: %p is not a live cuSOLVER handle", call, (void*)handle);
  if (handle->device != emulator::current_device()) {
    emulator::defect("%s: the cuSOLVER handle belongs to device %d, the current device is %d", call, handle->device,
                     emulator::current_device());
  }
  return CUSOLVER_STATUS_SUCCESS;
}

bool valid_params(const char* call, cusolverDnParams_t params) {
  if (params == nullptr) return false;
  if (!parameter_sets().contains(params)) emulator::defect("%s: %p is not a live params object", call, (void*)params);
  return true;
}

cusolverStatus_t submit(cusolverDnHandle_t handle, const char* call, const Work& work, std::function<void()> body) {
  if (emulator::is_capturing(handle->stream)) return CUSOLVER_STATUS_EXECUTION_FAILED;
  count_work(work);
  if (handle->math_mode != CUSOLVER_DEFAULT_MATH) emulator::count("calls in emulated math");
  emulator::enqueue(handle->stream, call, std::move(body));
  return CUSOLVER_STATUS_SUCCESS;
}

void check_device_workspace(const char* call, const void* workspace, std::size_t given, std::size_t required) {
  if (given < required) {
    emulator::defect("%s: workspace of %zu bytes, but bufferSize asks for %zu", call, given, required);
  }
  if (required > 0 && !emulator::is_device(workspace)) {
    emulator::defect("%s: the workspace is not device memory: %p", call, workspace);
  }
}

void check_host_workspace(const char* call, void* workspace, std::size_t given, std::size_t required) {
  if (given < required) {
    emulator::defect("%s: host workspace of %zu bytes, but bufferSize asks for %zu", call, given, required);
  }
  if (required == 0) return;
  if (workspace == nullptr || emulator::is_device(workspace)) {
    emulator::defect("%s: the host workspace is not host memory: %p", call, workspace);
  }
  // Written in full, so that a buffer smaller than its stated size is found by the tools that watch host memory.
  std::memset(workspace, 0xff, required);
}

}  // namespace standin

using namespace standin;

extern "C" {

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* handle) {
  if (emulator::fails("cusolverDnCreate")) return CUSOLVER_STATUS_ALLOC_FAILED;
  if (handle == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  *handle = contexts().create();
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle) {
  const cusolverStatus_t status = enter("cusolverDnDestroy", handle);
  if (contexts().contains(handle)) contexts().destroy(handle);
  return status;
}

cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream) {
  return set("cusolverDnSetStream", handle, &cusolverDnContext::stream, stream, true);
}

cusolverStatus_t cusolverDnGetStream(cusolverDnHandle_t handle, cudaStream_t* stream) {
  return get("cusolverDnGetStream", handle, &cusolverDnContext::stream, stream);
}

cusolverStatus_t cusolverDnSetDeterministicMode(cusolverDnHandle_t handle, cusolverDeterministicMode_t mode) {
  const bool valid = mode == CUSOLVER_DETERMINISTIC_RESULTS || mode == CUSOLVER_ALLOW_NON_DETERMINISTIC_RESULTS;
  return set("cusolverDnSetDeterministicMode", handle, &cusolverDnContext::deterministic_mode, mode, valid);
}

cusolverStatus_t cusolverDnGetDeterministicMode(cusolverDnHandle_t handle, cusolverDeterministicMode_t* mode) {
  return get("cusolverDnGetDeterministicMode", handle, &cusolverDnContext::deterministic_mode, mode);
}

cusolverStatus_t cusolverDnSetMathMode(cusolverDnHandle_t handle, cusolverMathMode_t mode) {
  const bool valid = mode == CUSOLVER_DEFAULT_MATH || mode == CUSOLVER_FP32_EMULATED_BF16X9_MATH;
  return set("cusolverDnSetMathMode", handle, &cusolverDnContext::math_mode, mode, valid);
}

cusolverStatus_t cusolverDnGetMathMode(cusolverDnHandle_t handle, cusolverMathMode_t* mode) {
  return get("cusolverDnGetMathMode", handle, &cusolverDnContext::math_mode, mode);
}

cusolverStatus_t cusolverDnSetEmulationStrategy(cusolverDnHandle_t handle, cudaEmulationStrategy_t strategy) {
  const bool valid = strategy >= CUDA_EMULATION_STRATEGY_DEFAULT && strategy <= CUDA_EMULATION_STRATEGY_EAGER;
  return set("cusolverDnSetEmulationStrategy", handle, &cusolverDnContext::emulation_strategy, strategy, valid);
}

cusolverStatus_t cusolverDnGetEmulationStrategy(cusolverDnHandle_t handle, cudaEmulationStrategy_t* strategy) {
  return get("cusolverDnGetEmulationStrategy", handle, &cusolverDnContext::emulation_strategy, strategy);
}

cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t* params) {
  if (emulator::fails("cusolverDnCreateParams")) return CUSOLVER_STATUS_ALLOC_FAILED;
  if (params == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  *params = parameter_sets().create();
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t params) {
  const char* call = "cusolverDnDestroyParams";
  const bool failed = emulator::fails(call);
  if (!valid_params(call, params)) return CUSOLVER_STATUS_INVALID_VALUE;
  parameter_sets().destroy(params);
  return failed ? CUSOLVER_STATUS_EXECUTION_FAILED : CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnSetAdvOptions(cusolverDnParams_t params, cusolverDnFunction_t function,
                                         cusolverAlgMode_t algorithm) {
  const char* call = "cusolverDnSetAdvOptions";
  if (emulator::fails(call)) return CUSOLVER_STATUS_EXECUTION_FAILED;
  if (!valid_params(call, params)) return CUSOLVER_STATUS_INVALID_VALUE;
  if (function < CUSOLVERDN_GETRF || function > CUSOLVERDN_SYEVBATCHED) return CUSOLVER_STATUS_INVALID_VALUE;
  if (algorithm < CUSOLVER_ALG_0 || algorithm > CUSOLVER_ALG_2) return CUSOLVER_STATUS_INVALID_VALUE;
  params->algorithm[function] = algorithm;
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverGetVersion(int* version) {
  if (emulator::fails("cusolverGetVersion")) return CUSOLVER_STATUS_EXECUTION_FAILED;
  if (version == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  *version = CUSOLVER_VERSION;
  return CUSOLVER_STATUS_SUCCESS;
}

}  // extern "C"
