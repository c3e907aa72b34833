#include "backend/cuda/memory.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include <carbo/error.hpp>

#include "backend/cuda/address_checks.hpp"
#include "backend/cuda/cuda_error.hpp"
#include "backend/cuda_sizes.hpp"

namespace carbo::internal {
namespace {

constexpr std::size_t alignment = 256;

/// See block_parts.
std::size_t block_bytes(std::size_t bytes) {
  const std::size_t step = std::max(alignment, std::bit_floor(bytes) / block_parts);
  return (bytes + step - 1) / step * step;
}

bool pools_supported(int device) {
  int supported = 0;
  throw_if_failed(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, device), "asking for pools");
  return supported != 0;
}

cudaMemPool_t make_pool(int device) {
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.handleTypes = cudaMemHandleTypeNone;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = device;
  cudaMemPool_t pool = nullptr;
  throw_if_failed(cudaMemPoolCreate(&pool, &properties), "making a memory pool");
  return pool;
}

}  // namespace

DeviceMemory::DeviceMemory(int device, cudaStream_t stream, std::shared_ptr<DeviceAllocator> allocator,
                           std::size_t budget)
    : device_(device), stream_(stream), allocator_(std::move(allocator)), budget_(budget) {
  if (allocator_ == nullptr && pools_supported(device)) pool_ = make_pool(device);
}

DeviceMemory::~DeviceMemory() {
  trim();
  if (pool_ != nullptr) ignore_failure(cudaMemPoolDestroy(pool_));
}

void* DeviceMemory::allocate(std::size_t bytes) {
  const std::size_t rounded = block_bytes(bytes);
  const auto fits = [&](const Block& block) { return block.kept && block.bytes == rounded; };
  if (const auto found = std::find_if(blocks_.begin(), blocks_.end(), fits); found != blocks_.end()) {
    found->kept = false;
    kept_ -= rounded;
    used_ += rounded;
    return found->memory;
  }
  if (used_ + kept_ + rounded > budget_) trim();
  if (used_ + rounded > budget_)
    throw OutOfMemory("device memory: " + std::to_string(rounded) + " bytes are needed and " + std::to_string(used_) +
                      " in use, but backend.memory_bytes is " + std::to_string(budget_) +
                      "; give more, or fewer candidates");
  blocks_.reserve(blocks_.size() + 1);
  void* const memory = take_new(rounded);
  blocks_.push_back({memory, rounded, false});
  used_ += rounded;
  peak_ = std::max(peak_, used_ + kept_);
  return memory;
}

void* DeviceMemory::take_new(std::size_t bytes) {
  for (bool trimmed = false;; trimmed = true) {
    void* memory = nullptr;
    cudaError_t error = cudaSuccess;
    if (allocator_ != nullptr) {
      memory = take_from_application(bytes);
      error = memory == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
    } else {
      error = pool_ != nullptr ? cudaMallocFromPoolAsync(&memory, bytes, pool_, stream_) : cudaMalloc(&memory, bytes);
    }
    if (error == cudaErrorMemoryAllocation && !trimmed && kept_ > 0) {
      cudaGetLastError();
      trim();
      continue;
    }
    if (error == cudaSuccess) return memory;
    throw_if_failed(error, "allocating " + std::to_string(bytes) + " bytes of device memory");
  }
}

void* DeviceMemory::take_from_application(std::size_t bytes) {
  void* const memory = allocator_->allocate(bytes, stream_);
  if (memory == nullptr) return nullptr;
  try {
    check_device_range(device_, memory, bytes, alignment, "memory of the application's allocator",
                       [](cudaError_t error, const char* what) { throw_if_failed(error, what); });
  } catch (...) {
    allocator_->release(memory, bytes, stream_);
    throw;
  }
  return memory;
}

void DeviceMemory::release(void* memory) noexcept {
  const auto block =
      std::find_if(blocks_.begin(), blocks_.end(), [&](const Block& one) { return one.memory == memory; });
  block->kept = true;
  used_ -= block->bytes;
  kept_ += block->bytes;
}

void DeviceMemory::trim() noexcept {
  for (const Block& block : blocks_)
    if (block.kept) give_back(block.memory, block.bytes);
  std::erase_if(blocks_, [](const Block& block) { return block.kept; });
  kept_ = 0;
}

void DeviceMemory::give_back(void* memory, std::size_t bytes) noexcept {
  if (allocator_ != nullptr) {
    allocator_->release(memory, bytes, stream_);
  } else if (pool_ != nullptr) {
    ignore_failure(cudaFreeAsync(memory, stream_));
  } else {
    ignore_failure(cudaFree(memory));
  }
}

void* allocate_pinned(std::size_t bytes) {
  void* memory = nullptr;
  const cudaError_t error = cudaHostAlloc(&memory, bytes, cudaHostAllocDefault);
  if (error != cudaSuccess)
    throw_if_failed(error, "allocating " + std::to_string(bytes) + " bytes of page-locked memory");
  return memory;
}

}  // namespace carbo::internal
