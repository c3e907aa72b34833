// Functions that programs and CCCL refer to and that the emulator answers with "not supported" or with nothing to do.
#include <cuda_profiler_api.h>

#include "api.hpp"
#include "modules.hpp"
#include "streams.hpp"

using namespace emulator;

// Hints about managed memory, which the host and the kernels share anyway.
cudaError_t cudaMemPrefetchAsync(const void*, size_t, cudaMemLocation, unsigned, cudaStream_t handle) {
  return api_call("cudaMemPrefetchAsync",
                  [&] { return find_stream(handle) ? cudaSuccess : cudaErrorInvalidResourceHandle; });
}

cudaError_t cudaMemAdvise(const void*, size_t, cudaMemoryAdvise, cudaMemLocation) {
  return api_call("cudaMemAdvise", [] { return cudaSuccess; });
}

cudaError_t cudaFuncGetName(const char** name, const void* function) {
  return api_call("cudaFuncGetName", [&] {
    const Kernel* kernel = find_kernel(function);
    if (!kernel) return cudaErrorInvalidDeviceFunction;
    *name = kernel->record->name;
    return cudaSuccess;
  });
}

cudaError_t cudaProfilerStart() { return cudaSuccess; }
cudaError_t cudaProfilerStop() { return cudaSuccess; }
