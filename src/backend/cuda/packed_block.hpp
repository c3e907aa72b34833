#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "backend/cuda/context.hpp"

namespace carbo::internal {

/// Arrays of several types that reach the device in one copy, each aligned to 8 bytes.
class PackedBlock {
 public:
  /// Gives the place of the array for `at`.
  template <class T>
  std::size_t add(std::span<const T> values) {
    static_assert(alignof(T) <= alignment && std::is_trivially_copyable_v<T>);
    const std::size_t offset = host_.size();
    host_.resize((offset + values.size_bytes() + alignment - 1) / alignment * alignment);
    if (!values.empty()) std::memcpy(host_.data() + offset, values.data(), values.size_bytes());
    return offset;
  }
  void upload(const Context& context) {
    device_ = context.buffer<std::byte>(host_.size());
    context.upload<std::byte>(device_.data(), host_);
  }
  /// On the device, after `upload`; lives as long as the block.
  template <class T>
  T* at(std::size_t offset) {
    return reinterpret_cast<T*>(device_.data() + offset);
  }

 private:
  static constexpr std::size_t alignment = 8;
  std::vector<std::byte> host_;
  DeviceBuffer<std::byte> device_;
};

}  // namespace carbo::internal
