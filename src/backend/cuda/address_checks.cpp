#include "backend/cuda/address_checks.hpp"

#include <cstdint>

#include <carbo/error.hpp>

#include "backend/cuda/cuda_error.hpp"
#include "support/text.hpp"

namespace carbo::internal {
namespace {

using Reason = InvalidArray::Reason;

cudaPointerAttributes attributes_of(const void* address, const ErrorCheck& check) {
  cudaPointerAttributes attributes{};
  const cudaError_t error = cudaPointerGetAttributes(&attributes, address);
  if (error == cudaErrorInvalidValue) {  // of an address that is in no allocation
    ignore_failure(error);
    attributes.type = cudaMemoryTypeUnregistered;
  } else {
    check(error, "asking where an array lies");
  }
  return attributes;
}

void check_place(int device, const void* address, const char* which, const std::string& name,
                 const ErrorCheck& check) {
  const cudaPointerAttributes attributes = attributes_of(address, check);
  if (attributes.type != cudaMemoryTypeDevice && attributes.type != cudaMemoryTypeManaged)
    throw InvalidArray(
        Reason::not_device_memory,
        text(name, ": its ", which, " element is not in device memory; give a pointer to memory of device ", device,
             " with room for all elements, or say that it lies in host memory"));
  if (attributes.type == cudaMemoryTypeDevice && attributes.device != device)
    throw InvalidArray(Reason::other_device, text(name, ": it lies on device ", attributes.device,
                                                  ", but work runs on device ", device, "; copy it there"));
}

}  // namespace

void check_device_range(int device, const void* data, std::size_t bytes, std::size_t alignment,
                        const std::string& name, const ErrorCheck& check) {
  if (data == nullptr) throw InvalidArray(Reason::null_pointer, name + ": the pointer is null");
  if (reinterpret_cast<std::uintptr_t>(data) % alignment != 0)
    throw InvalidArray(Reason::misaligned, text(name, ": its address must be a multiple of ", alignment, " bytes"));
  check_place(device, data, "first", name, check);
  check_place(device, static_cast<const std::byte*>(data) + bytes - 1, "last", name, check);
}

void check_host_address(const void* address, const std::string& name, const ErrorCheck& check) {
  if (attributes_of(address, check).type == cudaMemoryTypeDevice)
    throw InvalidArray(
        Reason::not_host_memory,
        name + ": it lies in device memory, but was given as host memory; say that it is the device's");
}

}  // namespace carbo::internal
