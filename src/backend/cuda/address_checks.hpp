#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include <cuda_runtime_api.h>

namespace carbo::internal {

/// Throws for an error of the runtime's, having noted what its owner must know of it. See Context::check.
using ErrorCheck = std::function<void(cudaError_t error, const char* what)>;

/// Throws InvalidArray where the address is null, misaligned, or not of this device's memory at its first and last
/// byte: as much as the runtime tells of memory that it does not own. `name` is for the message.
void check_device_range(int device, const void* data, std::size_t bytes, std::size_t alignment,
                        const std::string& name, const ErrorCheck& check);

/// Throws InvalidArray where the host cannot read from or write to the address.
void check_host_address(const void* address, const std::string& name, const ErrorCheck& check);

}  // namespace carbo::internal
