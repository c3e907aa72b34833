// Allocation, host memory and pointer attributes of the runtime API.
#include <cstdlib>
#include <cstring>

#include "api.hpp"
#include "counters.hpp"
#include "memory.hpp"
#include "report.hpp"
#include "settings.hpp"
#include "streams.hpp"
#include "waits.hpp"

namespace emulator {
namespace {

constexpr std::size_t host_alignment = 4096;

cudaError_t allocate(void** result, std::size_t bytes, const char* call) {
  if (!result) return cudaErrorInvalidValue;
  *result = nullptr;
  if (bytes == 0) return cudaSuccess;
  if (const cudaError_t error = spoil_captures()) return error;
  *result = allocate_device({bytes, current_device(), call});
  return *result ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t allocate_host(void** result, std::size_t bytes, HostKind kind, unsigned flags) {
  if (!result) return cudaErrorInvalidValue;
  *result = nullptr;
  if (bytes == 0) return cudaSuccess;
  void* p = std::aligned_alloc(host_alignment, (bytes + host_alignment - 1) / host_alignment * host_alignment);
  if (!p) return cudaErrorMemoryAllocation;
  std::memset(p, 0xff, bytes);
  add_host_range({static_cast<std::uint8_t*>(p), bytes, kind, flags});
  count("host allocations");
  track("pinned allocations", 1);
  *result = p;
  return cudaSuccess;
}

cudaError_t free_host(void* p, HostKind kind) {
  if (!p) return cudaSuccess;
  const HostRange* range = containing_host_range(p);
  if (!range || range->start != p || range->kind != kind) return cudaErrorInvalidValue;
  // Queued copies may still use it.
  count_wait(kind == HostKind::managed ? "cudaFree" : "cudaFreeHost");
  track("pinned allocations", -1);
  for (int device = 0; device < settings().device_count; ++device) finish_device(device);
  remove_host_range(p);
  std::free(p);
  return cudaSuccess;
}

}  // namespace
}  // namespace emulator

using namespace emulator;

cudaError_t cudaMalloc(void** result, size_t bytes) {
  return api_call("cudaMalloc", [&] { return allocate(result, bytes, "cudaMalloc"); });
}

cudaError_t cudaMallocPitch(void** result, size_t* pitch, size_t width, size_t height) {
  return api_call("cudaMallocPitch", [&] {
    if (!pitch) return cudaErrorInvalidValue;
    *pitch = (width + 511) / 512 * 512;
    return allocate(result, *pitch * height, "cudaMallocPitch");
  });
}

cudaError_t cudaFree(void* p) {
  return api_call("cudaFree", [&] {
    if (!p) return cudaSuccess;
    const HostRange* managed = containing_host_range(p);
    if (managed && managed->kind == HostKind::managed) return free_host(p, HostKind::managed);
    // cudaFree waits for the device: what is queued may still use the memory.
    count_wait("cudaFree");
    for (int device = 0; device < settings().device_count; ++device) finish_device(device);
    if (!find_allocation(p)) {
      note("cudaFree of %p: %s", p, describe_address(reinterpret_cast<std::uint64_t>(p)).c_str());
      return cudaErrorInvalidValue;
    }
    free_device(p);
    return cudaSuccess;
  });
}

cudaError_t cudaMallocManaged(void** result, size_t bytes, unsigned flags) {
  return api_call("cudaMallocManaged", [&] { return allocate_host(result, bytes, HostKind::managed, flags); });
}

cudaError_t cudaMallocHost(void** result, size_t bytes) {
  return api_call("cudaMallocHost", [&] { return allocate_host(result, bytes, HostKind::pinned, 0); });
}

cudaError_t cudaHostAlloc(void** result, size_t bytes, unsigned flags) {
  return api_call("cudaHostAlloc", [&] { return allocate_host(result, bytes, HostKind::pinned, flags); });
}

cudaError_t cudaFreeHost(void* p) {
  return api_call("cudaFreeHost", [&] { return free_host(p, HostKind::pinned); });
}

cudaError_t cudaHostRegister(void* p, size_t bytes, unsigned flags) {
  return api_call("cudaHostRegister", [&] {
    if (!p || bytes == 0 || in_device_arena(p)) return cudaErrorInvalidValue;
    if (containing_host_range(p)) return cudaErrorHostMemoryAlreadyRegistered;
    add_host_range({static_cast<std::uint8_t*>(p), bytes, HostKind::registered, flags});
    return cudaSuccess;
  });
}

cudaError_t cudaHostUnregister(void* p) {
  return api_call("cudaHostUnregister", [&] {
    const HostRange* range = containing_host_range(p);
    if (!range || range->start != p || range->kind != HostKind::registered) return cudaErrorHostMemoryNotRegistered;
    remove_host_range(p);
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetDevicePointer(void** device_pointer, void* p, unsigned) {
  return api_call("cudaHostGetDevicePointer", [&] {
    if (!containing_host_range(p)) return cudaErrorInvalidValue;
    *device_pointer = p;
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* p) {
  return api_call("cudaHostGetFlags", [&] {
    const HostRange* range = containing_host_range(p);
    if (!range) return cudaErrorInvalidValue;
    *flags = range->flags;
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* p) {
  return api_call("cudaPointerGetAttributes", [&] {
    *attributes = {};
    attributes->device = -2;
    if (const Allocation* allocation = containing_allocation(p)) {
      attributes->type = cudaMemoryTypeDevice;
      attributes->device = allocation->device;
      attributes->devicePointer = const_cast<void*>(p);
    } else if (const HostRange* range = containing_host_range(p)) {
      attributes->type = range->kind == HostKind::managed ? cudaMemoryTypeManaged : cudaMemoryTypeHost;
      attributes->device = current_device();
      attributes->devicePointer = attributes->hostPointer = const_cast<void*>(p);
    } else if (!in_device_arena(p)) {
      attributes->type = cudaMemoryTypeUnregistered;
      attributes->hostPointer = const_cast<void*>(p);
    } else {
      return cudaErrorInvalidValue;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  return api_call("cudaMemGetInfo", [&] {
    *total = settings().device_bytes;
    *free = *total - device_bytes_used(current_device());
    return cudaSuccess;
  });
}
