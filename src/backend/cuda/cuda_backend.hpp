#pragma once

#include <memory>

#include "backend/backend.hpp"
#include "backend/cuda/context.hpp"

namespace carbo::internal {

/// A backend on one device. Objects that it makes belong to it; they and it are used by one thread at a time, several
/// backends by as many threads as there are.
class CudaBackendFace : public Backend, public DeviceAccess {
 public:
  DeviceAccess* device_access() override { return this; }
  virtual const Context& context() const = 0;
};

/// Throws OutOfMemory, DeviceError.
std::unique_ptr<CudaBackendFace> make_cuda_backend(const CudaOptions& options);

}  // namespace carbo::internal
