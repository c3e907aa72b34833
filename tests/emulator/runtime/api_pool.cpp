// Stream-ordered allocation and memory pools. A pool keeps no memory back: it is a name for the allocations made in
// it.
#include <map>

#include "api.hpp"
#include "counters.hpp"
#include "memory.hpp"
#include "report.hpp"
#include "streams.hpp"

using namespace emulator;

namespace {

struct Pool {
  int device = 0;
  std::uint64_t release_threshold = 0;
  std::size_t most_bytes = 0;  // the highest number of live bytes so far
};

struct Pools {
  std::map<cudaMemPool_t, Pool> live;
  cudaMemPool_t defaults[most_devices], current[most_devices];

  Pools() {
    for (int device = 0; device < most_devices; ++device) defaults[device] = current[device] = add(device);
  }

  // Handles are numbers, never used again: a pool that was destroyed stays recognisable.
  cudaMemPool_t add(int device) {
    const auto handle = reinterpret_cast<cudaMemPool_t>(++made_ * 64);
    live[handle] = {device};
    return handle;
  }

  Pool* find(cudaMemPool_t handle) {
    const auto found = live.find(handle);
    return found == live.end() ? nullptr : &found->second;
  }

 private:
  std::uintptr_t made_ = 0;
};

Pools& pools() {
  static Pools* const the_pools = new Pools;
  return *the_pools;
}

template <class Body>
cudaError_t pool_call(const char* name, Body body) {
  return api_call(name, [&] { return settings().pools_supported ? body() : cudaErrorNotSupported; });
}

template <class Body>
cudaError_t with_pool(const char* name, cudaMemPool_t handle, Body body) {
  return pool_call(name, [&] {
    Pool* const pool = pools().find(handle);
    return pool ? body(*pool) : cudaErrorInvalidValue;
  });
}

cudaError_t allocate(const char* call, void** result, std::size_t bytes, cudaMemPool_t handle, cudaStream_t where) {
  Stream* stream = nullptr;
  if (!result) return cudaErrorInvalidValue;
  *result = nullptr;
  if (const cudaError_t error = stream_for_work(where, stream)) return error;
  if (!handle) handle = pools().current[stream->device];
  Pool* const pool = pools().find(handle);
  if (!pool) return cudaErrorInvalidValue;
  if (bytes == 0) return cudaSuccess;
  void* const p = allocate_device({bytes, pool->device, call, false, handle});
  if (!p) return cudaErrorMemoryAllocation;
  pool->most_bytes = std::max(pool->most_bytes, pool_bytes(handle));
  submit(*stream, call, [p] { open_allocation(p); });
  *result = p;
  return cudaSuccess;
}

cudaError_t release(void* p, cudaStream_t where) {
  Stream* stream = nullptr;
  if (const cudaError_t error = stream_for_work(where, stream)) return error;
  if (!p) return cudaSuccess;
  if (!find_allocation(p)) return cudaErrorInvalidValue;
  submit(*stream, "cudaFreeAsync", [p] {
    if (!find_allocation(p)) defect("the memory at %p was freed already", p);
    free_device(p);
  });
  return cudaSuccess;
}

}  // namespace

cudaError_t cudaMallocAsync(void** result, size_t bytes, cudaStream_t stream) {
  return pool_call("cudaMallocAsync", [&] { return allocate("cudaMallocAsync", result, bytes, nullptr, stream); });
}

cudaError_t cudaMallocFromPoolAsync(void** result, size_t bytes, cudaMemPool_t handle, cudaStream_t stream) {
  return with_pool("cudaMallocFromPoolAsync", handle,
                   [&](Pool&) { return allocate("cudaMallocFromPoolAsync", result, bytes, handle, stream); });
}

cudaError_t cudaFreeAsync(void* p, cudaStream_t stream) {
  return pool_call("cudaFreeAsync", [&] { return release(p, stream); });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* result, const cudaMemPoolProps* properties) {
  return pool_call("cudaMemPoolCreate", [&] {
    const bool on_device = properties && properties->location.type == cudaMemLocationTypeDevice;
    if (!result || !on_device || properties->allocType != cudaMemAllocationTypePinned) return cudaErrorInvalidValue;
    if (properties->location.id < 0 || properties->location.id >= settings().device_count)
      return cudaErrorInvalidValue;
    *result = pools().add(properties->location.id);
    track("pools", 1);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t handle) {
  return with_pool("cudaMemPoolDestroy", handle, [&](Pool& pool) {
    if (handle == pools().defaults[pool.device]) return cudaErrorInvalidValue;
    // What is still allocated stays until it is freed.
    if (pools().current[pool.device] == handle) pools().current[pool.device] = pools().defaults[pool.device];
    pools().live.erase(handle);
    track("pools", -1);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return pool_call("cudaDeviceGetDefaultMemPool", [&] {
    if (device < 0 || device >= settings().device_count) return cudaErrorInvalidDevice;
    *pool = pools().defaults[device];
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return pool_call("cudaDeviceGetMemPool", [&] {
    if (device < 0 || device >= settings().device_count) return cudaErrorInvalidDevice;
    *pool = pools().current[device];
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t handle) {
  return with_pool("cudaDeviceSetMemPool", handle, [&](Pool& pool) {
    if (device < 0 || device >= settings().device_count || pool.device != device) return cudaErrorInvalidValue;
    pools().current[device] = handle;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void* value) {
  return with_pool("cudaMemPoolSetAttribute", handle, [&](Pool& pool) {
    if (!value) return cudaErrorInvalidValue;
    if (attribute == cudaMemPoolAttrReleaseThreshold) pool.release_threshold = *static_cast<std::uint64_t*>(value);
    // The high-water marks can only be reset.
    if (attribute == cudaMemPoolAttrReservedMemHigh || attribute == cudaMemPoolAttrUsedMemHigh) {
      if (*static_cast<std::uint64_t*>(value) != 0) return cudaErrorInvalidValue;
      pool.most_bytes = pool_bytes(handle);
    }
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void* value) {
  return with_pool("cudaMemPoolGetAttribute", handle, [&](Pool& pool) {
    if (!value) return cudaErrorInvalidValue;
    auto& number = *static_cast<std::uint64_t*>(value);
    switch (attribute) {
      case cudaMemPoolAttrReservedMemCurrent:
      case cudaMemPoolAttrUsedMemCurrent:
        number = pool_bytes(handle);
        return cudaSuccess;
      case cudaMemPoolAttrReservedMemHigh:
      case cudaMemPoolAttrUsedMemHigh:
        number = pool.most_bytes;
        return cudaSuccess;
      case cudaMemPoolAttrReleaseThreshold:
        number = pool.release_threshold;
        return cudaSuccess;
      case cudaMemPoolReuseFollowEventDependencies:
      case cudaMemPoolReuseAllowOpportunistic:
      case cudaMemPoolReuseAllowInternalDependencies:
        *static_cast<int*>(value) = 1;
        return cudaSuccess;
      default:
        return cudaErrorInvalidValue;
    }
  });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t handle, size_t) {
  return with_pool("cudaMemPoolTrimTo", handle, [](Pool&) { return cudaSuccess; });
}
