#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>

#include "launch/race_steps.cuh"

namespace carbo::kernels {

/// Device memory for a while, in the order of the stream. `allocate` may throw; it never returns null.
class TemporaryMemory {
 public:
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* memory) noexcept = 0;

 protected:
  ~TemporaryMemory() = default;
};

/// Throws what `memory` throws. Does not wait for the device.
cudaError_t sort_exclusion_orders(cudaStream_t stream, TemporaryMemory& memory, const ExclusionOrders& orders);

}  // namespace carbo::kernels
