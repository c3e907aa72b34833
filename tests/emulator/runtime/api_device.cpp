// Devices of the runtime API: choice, properties, attributes, peers.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "api.hpp"
#include "counters.hpp"
#include "device_model.hpp"
#include "memory.hpp"
#include "modules.hpp"
#include "settings.hpp"
#include "streams.hpp"

using namespace emulator;

namespace {

bool is_device_number(int device) { return device >= 0 && device < settings().device_count; }

// At the end of the process, on request.
struct ExitReport {
  ~ExitReport() {
    if (settings().report_leaks) {
      Locked locked(runtime_lock());
      report_leaks();
    }
    if (settings().print_counters) print_counters();
  }
} exit_report;

int attribute(cudaDeviceAttr which, const DeviceModel& model) {
  switch (which) {
    case cudaDevAttrMaxThreadsPerBlock:
    case cudaDevAttrMaxBlockDimX:
    case cudaDevAttrMaxBlockDimY:
      return max_threads_per_block;
    case cudaDevAttrMaxBlockDimZ:
      return 64;
    case cudaDevAttrMaxGridDimX:
      return 2147483647;
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ:
      return 65535;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      return shared_without_opt_in;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return static_cast<int>(model.shared_opt_in);
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return static_cast<int>(model.shared_per_multiprocessor);
    case cudaDevAttrReservedSharedMemoryPerBlock:
      return static_cast<int>(model.reserved_shared);
    case cudaDevAttrTotalConstantMemory:
      return 65536;
    case cudaDevAttrWarpSize:
      return 32;
    case cudaDevAttrMaxRegistersPerBlock:
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      return registers_per_block;
    case cudaDevAttrMultiProcessorCount:
      return multiprocessors;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return model.threads_per_multiprocessor;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      return model.blocks_per_multiprocessor;
    case cudaDevAttrComputeCapabilityMajor:
      return model.major;
    case cudaDevAttrComputeCapabilityMinor:
      return model.minor;
    case cudaDevAttrSingleToDoublePrecisionPerfRatio:
      return settings().float32_per_float64 > 0 ? settings().float32_per_float64 : model.float32_per_float64;
    case cudaDevAttrClockRate:
      return 1000000;
    case cudaDevAttrMemoryClockRate:
      return 1000000;
    case cudaDevAttrGlobalMemoryBusWidth:
      return 256;
    case cudaDevAttrL2CacheSize:
      return 4 << 20;
    case cudaDevAttrTextureAlignment:
      return 512;
    case cudaDevAttrMaxPitch:
      return 2147483647;
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrStreamPrioritiesSupported:
    case cudaDevAttrHostRegisterSupported:
      return 1;
    case cudaDevAttrMemoryPoolsSupported:
      return settings().pools_supported;
    case cudaDevAttrAsyncEngineCount:
      return 2;
    default:
      return 0;
  }
}

}  // namespace

cudaError_t cudaGetDeviceCount(int* devices) {
  return api_call(
      "cudaGetDeviceCount",
      [&] {
        *devices = settings().device_count;
        return *devices ? cudaSuccess : cudaErrorNoDevice;
      },
      false);
}

cudaError_t cudaSetDevice(int device) {
  return api_call("cudaSetDevice", [&] {
    if (!is_device_number(device)) return cudaErrorInvalidDevice;
    set_current_device(device);
    return cudaSuccess;
  });
}

cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
  return api_call("cudaInitDevice", [&] { return is_device_number(device) ? cudaSuccess : cudaErrorInvalidDevice; });
}

cudaError_t cudaGetDevice(int* device) {
  return api_call("cudaGetDevice", [&] {
    *device = current_device();
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceReset() {
  return api_call("cudaDeviceReset", [] {
    finish_device(current_device());
    return cudaSuccess;
  });
}

cudaError_t cudaSetDeviceFlags(unsigned) {
  return api_call("cudaSetDeviceFlags", [] { return cudaSuccess; });
}

cudaError_t cudaDeviceSetLimit(cudaLimit, size_t) {
  return api_call("cudaDeviceSetLimit", [] { return cudaSuccess; });
}

cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit) {
  return api_call("cudaDeviceGetLimit", [&] {
    *value = settings().stack_bytes;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) {
  return api_call("cudaDeviceSetCacheConfig", [] { return cudaSuccess; });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int device) {
  return api_call("cudaDeviceGetAttribute", [&] {
    if (!is_device_number(device)) return cudaErrorInvalidDevice;
    *value = attribute(which, device_model(compute_capability()));
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int device) {
  return api_call("cudaGetDeviceProperties", [&] {
    if (!is_device_number(device)) return cudaErrorInvalidDevice;
    const DeviceModel model = device_model(compute_capability());
    std::memset(p, 0, sizeof *p);
    std::snprintf(p->name, sizeof p->name, "emulated device %d", device);
    p->major = model.major;
    p->minor = model.minor;
    p->totalGlobalMem = settings().device_bytes;
    p->totalConstMem = 65536;
    p->sharedMemPerBlock = shared_without_opt_in;
    p->sharedMemPerBlockOptin = model.shared_opt_in;
    p->sharedMemPerMultiprocessor = model.shared_per_multiprocessor;
    p->reservedSharedMemPerBlock = model.reserved_shared;
    p->regsPerBlock = p->regsPerMultiprocessor = registers_per_block;
    p->warpSize = 32;
    p->maxThreadsPerBlock = max_threads_per_block;
    p->maxThreadsPerMultiProcessor = model.threads_per_multiprocessor;
    p->maxBlocksPerMultiProcessor = model.blocks_per_multiprocessor;
    p->multiProcessorCount = multiprocessors;
    p->maxThreadsDim[0] = p->maxThreadsDim[1] = max_threads_per_block;
    p->maxThreadsDim[2] = 64;
    p->maxGridSize[0] = 2147483647;
    p->maxGridSize[1] = p->maxGridSize[2] = 65535;
    p->memPitch = 2147483647;
    p->textureAlignment = 512;
    p->l2CacheSize = 4 << 20;
    p->memoryBusWidth = 256;
    p->asyncEngineCount = 2;
    p->concurrentKernels = p->unifiedAddressing = p->managedMemory = p->canMapHostMemory = 1;
    p->streamPrioritiesSupported = p->hostRegisterSupported = 1;
    p->memoryPoolsSupported = settings().pools_supported;
    p->pciBusID = device + 1;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  return api_call("cudaDeviceGetPCIBusId", [&] {
    if (!is_device_number(device)) return cudaErrorInvalidDevice;
    std::snprintf(text, static_cast<std::size_t>(length), "0000:%02x:00.0", device + 1);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return api_call("cudaDeviceCanAccessPeer", [&] {
    if (!is_device_number(device) || !is_device_number(peer)) return cudaErrorInvalidDevice;
    *can = device != peer;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned) {
  return api_call("cudaDeviceEnablePeerAccess", [&] {
    if (!is_device_number(peer) || peer == current_device()) return cudaErrorInvalidDevice;
    if (peer_allowed(current_device(), peer)) return cudaErrorPeerAccessAlreadyEnabled;
    allow_peer(current_device(), peer, true);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return api_call("cudaDeviceDisablePeerAccess", [&] {
    if (!peer_allowed(current_device(), peer)) return cudaErrorPeerAccessNotEnabled;
    allow_peer(current_device(), peer, false);
    return cudaSuccess;
  });
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  return api_call(
      "cudaRuntimeGetVersion",
      [&] {
        *version = CUDART_VERSION;
        return cudaSuccess;
      },
      false);
}

cudaError_t cudaDriverGetVersion(int* version) {
  return api_call(
      "cudaDriverGetVersion",
      [&] {
        *version = CUDART_VERSION;
        return cudaSuccess;
      },
      false);
}

// There is no driver behind the stand-in.
cudaError_t cudaGetDriverEntryPointByVersion(const char*, void** entry, unsigned, unsigned long long,
                                             cudaDriverEntryPointQueryResult* result) {
  *entry = nullptr;
  if (result) *result = cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}
