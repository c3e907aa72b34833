#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <carbo/dlpack.hpp>

#include "dlpack/layout.hpp"

namespace carbo::test {

/// A tensor as another library would hand it out, in both forms; counts how often it is given back.
struct DlpackTensor {
  template <class T>
  DlpackTensor(T* data, std::vector<std::int64_t> sizes, std::optional<std::vector<std::int64_t>> steps = {})
      : shape(std::move(sizes)), strides(steps.value_or(std::vector<std::int64_t>{})) {
    using namespace internal::dlpack;
    constexpr bool integer = std::is_integral_v<T>;
    tensor.data = const_cast<std::remove_const_t<T>*>(data);
    tensor.device = {DeviceKind::cpu, 0};
    tensor.dimensions = static_cast<std::int32_t>(shape.size());
    tensor.type = {integer ? TypeCode::signed_integer : TypeCode::floating_point,
                   static_cast<std::uint8_t>(8 * sizeof(T)), 1};
    tensor.shape = shape.data();
    tensor.strides = steps ? strides.data() : nullptr;
  }
  DlpackTensor(const DlpackTensor&) = delete;
  DlpackTensor& operator=(const DlpackTensor&) = delete;

  /// As `tensor` is at this moment.
  const DLManagedTensor* unversioned() {
    managed_ = {tensor, &given_back, [](auto* self) { ++*static_cast<int*>(self->context); }};
    return reinterpret_cast<const DLManagedTensor*>(&managed_);
  }
  const DLManagedTensorVersioned* versioned() {
    versioned_ = {version, &given_back, [](auto* self) { ++*static_cast<int*>(self->context); }, flags, tensor};
    return reinterpret_cast<const DLManagedTensorVersioned*>(&versioned_);
  }

  std::vector<std::int64_t> shape, strides;
  internal::dlpack::Tensor tensor{};
  internal::dlpack::Version version{1, 0};
  std::uint64_t flags = 0;
  int given_back = 0;

 private:
  internal::dlpack::ManagedTensor managed_{};
  internal::dlpack::ManagedTensorVersioned versioned_{};
};

/// What a receiver sees of a tensor that it was handed.
inline internal::dlpack::ManagedTensor& seen(DLManagedTensor* tensor) {
  return *reinterpret_cast<internal::dlpack::ManagedTensor*>(tensor);
}
inline internal::dlpack::ManagedTensorVersioned& seen(DLManagedTensorVersioned* tensor) {
  return *reinterpret_cast<internal::dlpack::ManagedTensorVersioned*>(tensor);
}

}  // namespace carbo::test
