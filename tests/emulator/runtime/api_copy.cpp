// Copies and fills of the runtime API, in one and two dimensions.
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "api.hpp"
#include "counters.hpp"
#include "memory.hpp"
#include "modules.hpp"
#include "streams.hpp"
#include "waits.hpp"

namespace emulator {
namespace {

struct CopyRequest {
  const char* call;
  void* to;
  std::size_t to_pitch;
  const void* from;
  std::size_t from_pitch, width, height;
  cudaMemcpyKind kind;
  bool asynchronous;
};

enum class Side { device, pinned, pageable };

Side side_of(const void* p) {
  if (in_device_arena(p)) return Side::device;
  return containing_host_range(p) ? Side::pinned : Side::pageable;
}

bool direction_fits(cudaMemcpyKind kind, Side to, Side from) {
  // Pinned and managed memory is at home on both sides.
  const bool to_device = to != Side::pageable, from_device = from != Side::pageable;
  const bool to_host = to != Side::device, from_host = from != Side::device;
  switch (kind) {
    case cudaMemcpyHostToHost:
      return to_host && from_host;
    case cudaMemcpyHostToDevice:
      return to_device && from_host;
    case cudaMemcpyDeviceToHost:
      return to_host && from_device;
    case cudaMemcpyDeviceToDevice:
      return to_device && from_device;
    default:
      return true;
  }
}

void count_bytes(Side to, Side from, std::size_t bytes) {
  if (to == Side::device)
    count(from == Side::device ? "bytes on device" : "bytes to device", bytes);
  else if (from == Side::device)
    count("bytes to host", bytes);
}

void copy_rows(const CopyRequest& r, Side to, Side from, const std::uint8_t* snapshot) {
  const std::size_t to_extent = (r.height - 1) * r.to_pitch + r.width;
  const std::size_t from_extent = (r.height - 1) * r.from_pitch + r.width;
  auto* target = static_cast<std::uint8_t*>(to == Side::device ? device(r.to, to_extent, r.call) : r.to);
  const auto* source = snapshot;
  if (!source)
    source = static_cast<const std::uint8_t*>(from == Side::device ? device(r.from, from_extent, r.call) : r.from);
  const std::size_t source_pitch = snapshot ? r.width : r.from_pitch;
  for (std::size_t row = 0; row < r.height; ++row)
    std::memmove(target + row * r.to_pitch, source + row * source_pitch, r.width);
}

cudaError_t copy(const CopyRequest& r, cudaStream_t handle) {
  Stream* stream = nullptr;
  if (const cudaError_t error = stream_for_work(handle, stream)) return error;
  if (r.width == 0 || r.height == 0) return cudaSuccess;
  if (!r.to || !r.from) return cudaErrorInvalidValue;
  if (r.height > 1 && (r.to_pitch < r.width || r.from_pitch < r.width)) return cudaErrorInvalidPitchValue;
  const Side to = side_of(r.to), from = side_of(r.from);
  if (!direction_fits(r.kind, to, from)) return cudaErrorInvalidValue;
  count_bytes(to, from, r.width * r.height);

  // A pageable source is read at the call: afterwards the program may change it.
  std::shared_ptr<std::vector<std::uint8_t>> snapshot;
  if (from == Side::pageable && to == Side::device) {
    snapshot = std::make_shared<std::vector<std::uint8_t>>(r.width * r.height);
    for (std::size_t row = 0; row < r.height; ++row)
      std::memcpy(snapshot->data() + row * r.width, static_cast<const std::uint8_t*>(r.from) + row * r.from_pitch,
                  r.width);
  }
  const OperationPtr operation = submit(
      *stream, r.call, [r, to, from, snapshot] { copy_rows(r, to, from, snapshot ? snapshot->data() : nullptr); });
  // A pageable target is complete when the call returns; so is every copy that is not asynchronous, save on the
  // device.
  const bool blocks = r.asynchronous ? to == Side::pageable : !(to == Side::device && from == Side::device);
  // An asynchronous copy from pageable memory may wait for the stream before it is staged.
  if (blocks || from == Side::pageable) count_wait(r.call);
  if (blocks) finish(operation);
  return cudaSuccess;
}

cudaError_t fill(const char* call, void* p, std::size_t pitch, int value, std::size_t width, std::size_t height,
                 cudaStream_t handle) {
  Stream* stream = nullptr;
  if (const cudaError_t error = stream_for_work(handle, stream)) return error;
  if (width == 0 || height == 0) return cudaSuccess;
  if (side_of(p) == Side::pageable) return cudaErrorInvalidValue;
  submit(*stream, call, [=] {
    auto* target = static_cast<std::uint8_t*>(device(p, (height - 1) * pitch + width, call));
    for (std::size_t row = 0; row < height; ++row) std::memset(target + row * pitch, value, width);
  });
  return cudaSuccess;
}

cudaError_t copy_symbol(const char* call, const void* symbol, std::size_t offset, void* host, std::size_t bytes,
                        bool to_symbol, cudaMemcpyKind kind, bool asynchronous, cudaStream_t stream) {
  const VariablePlace place = find_variable(symbol, current_device());
  if (!place.address) return cudaErrorInvalidSymbol;
  if (offset + bytes > place.bytes) return cudaErrorInvalidValue;
  void* const address = static_cast<char*>(place.address) + offset;
  if (to_symbol) return copy({call, address, bytes, host, bytes, bytes, 1, kind, asynchronous}, stream);
  return copy({call, host, bytes, address, bytes, bytes, 1, kind, asynchronous}, stream);
}

}  // namespace
}  // namespace emulator

using namespace emulator;

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return api_call("cudaMemcpy", [&] {
    return copy({"cudaMemcpy", to, bytes, from, bytes, bytes, 1, kind, false}, nullptr);
  });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return api_call("cudaMemcpyAsync", [&] {
    return copy({"cudaMemcpyAsync", to, bytes, from, bytes, bytes, 1, kind, true}, stream);
  });
}

cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                         cudaMemcpyKind kind) {
  return api_call("cudaMemcpy2D", [&] {
    return copy({"cudaMemcpy2D", to, to_pitch, from, from_pitch, width, height, kind, false}, nullptr);
  });
}

cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return api_call("cudaMemcpy2DAsync", [&] {
    return copy({"cudaMemcpy2DAsync", to, to_pitch, from, from_pitch, width, height, kind, true}, stream);
  });
}

cudaError_t cudaMemcpyPeer(void* to, int, const void* from, int, size_t bytes) {
  return api_call("cudaMemcpyPeer", [&] {
    return copy({"cudaMemcpyPeer", to, bytes, from, bytes, bytes, 1, cudaMemcpyDeviceToDevice, false}, nullptr);
  });
}

cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, size_t bytes, cudaStream_t stream) {
  return api_call("cudaMemcpyPeerAsync", [&] {
    return copy({"cudaMemcpyPeerAsync", to, bytes, from, bytes, bytes, 1, cudaMemcpyDeviceToDevice, true}, stream);
  });
}

cudaError_t cudaMemset(void* p, int value, size_t bytes) {
  return api_call("cudaMemset", [&] { return fill("cudaMemset", p, bytes, value, bytes, 1, nullptr); });
}

cudaError_t cudaMemsetAsync(void* p, int value, size_t bytes, cudaStream_t stream) {
  return api_call("cudaMemsetAsync", [&] { return fill("cudaMemsetAsync", p, bytes, value, bytes, 1, stream); });
}

cudaError_t cudaMemset2D(void* p, size_t pitch, int value, size_t width, size_t height) {
  return api_call("cudaMemset2D", [&] { return fill("cudaMemset2D", p, pitch, value, width, height, nullptr); });
}

cudaError_t cudaMemset2DAsync(void* p, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream) {
  return api_call("cudaMemset2DAsync",
                  [&] { return fill("cudaMemset2DAsync", p, pitch, value, width, height, stream); });
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset,
                               cudaMemcpyKind kind) {
  return api_call("cudaMemcpyToSymbol", [&] {
    return copy_symbol("cudaMemcpyToSymbol", symbol, offset, const_cast<void*>(from), bytes, true, kind, false,
                       nullptr);
  });
}

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t stream) {
  return api_call("cudaMemcpyToSymbolAsync", [&] {
    return copy_symbol("cudaMemcpyToSymbolAsync", symbol, offset, const_cast<void*>(from), bytes, true, kind, true,
                       stream);
  });
}

cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind kind) {
  return api_call("cudaMemcpyFromSymbol", [&] {
    return copy_symbol("cudaMemcpyFromSymbol", symbol, offset, to, bytes, false, kind, false, nullptr);
  });
}

cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t stream) {
  return api_call("cudaMemcpyFromSymbolAsync", [&] {
    return copy_symbol("cudaMemcpyFromSymbolAsync", symbol, offset, to, bytes, false, kind, true, stream);
  });
}

cudaError_t cudaGetSymbolAddress(void** address, const void* symbol) {
  return api_call("cudaGetSymbolAddress", [&] {
    *address = find_variable(symbol, current_device()).address;
    return *address ? cudaSuccess : cudaErrorInvalidSymbol;
  });
}

cudaError_t cudaGetSymbolSize(size_t* bytes, const void* symbol) {
  return api_call("cudaGetSymbolSize", [&] {
    *bytes = find_variable(symbol, current_device()).bytes;
    return *bytes ? cudaSuccess : cudaErrorInvalidSymbol;
  });
}
