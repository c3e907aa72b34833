// Errors of the runtime API: the last one of each host thread, names and texts.
#include <cstring>

#include "api.hpp"

namespace emulator {
namespace {

thread_local cudaError_t last_error = cudaSuccess;

struct ErrorText {
  cudaError_t error;
  const char *name, *text;
};

#define ERROR_TEXT(name, text) \
  { name, #name, text }
const ErrorText error_texts[] = {
    ERROR_TEXT(cudaSuccess, "no error"),
    ERROR_TEXT(cudaErrorInvalidValue, "invalid argument"),
    ERROR_TEXT(cudaErrorMemoryAllocation, "out of memory"),
    ERROR_TEXT(cudaErrorInitializationError, "initialization error"),
    ERROR_TEXT(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    ERROR_TEXT(cudaErrorInvalidSymbol, "invalid device symbol"),
    ERROR_TEXT(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    ERROR_TEXT(cudaErrorInvalidPitchValue, "invalid pitch argument"),
    ERROR_TEXT(cudaErrorInvalidDeviceFunction, "invalid device function"),
    ERROR_TEXT(cudaErrorNoDevice, "no CUDA-capable device is detected"),
    ERROR_TEXT(cudaErrorInvalidDevice, "invalid device ordinal"),
    ERROR_TEXT(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    ERROR_TEXT(cudaErrorNotReady, "device not ready"),
    ERROR_TEXT(cudaErrorPeerAccessAlreadyEnabled, "peer access is already enabled"),
    ERROR_TEXT(cudaErrorPeerAccessNotEnabled, "peer access has not been enabled"),
    ERROR_TEXT(cudaErrorHostMemoryAlreadyRegistered, "part or all of the requested memory range is already mapped"),
    ERROR_TEXT(cudaErrorHostMemoryNotRegistered, "pointer does not correspond to a registered memory region"),
    ERROR_TEXT(cudaErrorLaunchOutOfResources, "too many resources requested for launch"),
    ERROR_TEXT(cudaErrorLaunchFailure, "unspecified launch failure"),
    ERROR_TEXT(cudaErrorNotSupported, "operation not supported"),
    ERROR_TEXT(cudaErrorInsufficientDriver, "CUDA driver version is insufficient for CUDA runtime version"),
    ERROR_TEXT(cudaErrorNoKernelImageForDevice, "no kernel image is available for execution on the device"),
    ERROR_TEXT(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
    ERROR_TEXT(cudaErrorMisalignedAddress, "misaligned address"),
    ERROR_TEXT(cudaErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing"),
    ERROR_TEXT(cudaErrorStreamCaptureInvalidated, "operation failed due to a previous error during capture"),
    ERROR_TEXT(cudaErrorStreamCaptureUnmatched, "capture was not initiated in this stream"),
    ERROR_TEXT(cudaErrorStreamCaptureImplicit, "operation would make the legacy stream depend on a capturing stream"),
    ERROR_TEXT(cudaErrorUnknown, "unknown error"),
};
#undef ERROR_TEXT

const ErrorText* find_text(cudaError_t error) {
  for (const ErrorText& entry : error_texts)
    if (entry.error == error) return &entry;
  return nullptr;
}

}  // namespace

cudaError_t remember(cudaError_t error) {
  // NVIDIA's programming guide: what a query says of work under way is not reported as an error.
  if (error != cudaSuccess && error != cudaErrorNotReady) last_error = error;
  return error;
}

bool releases(const char* call) { return std::strstr(call, "Free") || std::strstr(call, "Destroy"); }

cudaError_t planned_error(const char* call) {
  if (device_is_broken()) return cudaErrorIllegalAddress;
  const auto mentions = [&](const char* part) { return std::strstr(call, part) != nullptr; };
  if (mentions("Malloc") || mentions("HostAlloc") || mentions("Create") || mentions("HostRegister"))
    return cudaErrorMemoryAllocation;
  if (mentions("Launch")) return cudaErrorLaunchOutOfResources;
  if (mentions("Synchronize") || mentions("Query")) return cudaErrorLaunchFailure;
  if (mentions("GetDeviceCount")) return cudaErrorNoDevice;
  if (mentions("SetDevice") || mentions("GetDevice")) return cudaErrorInvalidDevice;
  return cudaErrorUnknown;
}

}  // namespace emulator

using namespace emulator;

cudaError_t cudaGetLastError() {
  const cudaError_t error = cudaPeekAtLastError();
  last_error = cudaSuccess;
  return error;
}

// A sticky error stays however often it is asked for.
cudaError_t cudaPeekAtLastError() { return device_is_broken() ? cudaErrorIllegalAddress : last_error; }

const char* cudaGetErrorString(cudaError_t error) {
  const ErrorText* entry = find_text(error);
  return entry ? entry->text : "unrecognized error code";
}

const char* cudaGetErrorName(cudaError_t error) {
  const ErrorText* entry = find_text(error);
  return entry ? entry->name : "unrecognized error code";
}
