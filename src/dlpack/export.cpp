#include <utility>

#include <carbo/dlpack.hpp>
#include <carbo/error.hpp>

#include "dlpack/layout.hpp"
#include "support/calls.hpp"

namespace carbo {
namespace {

using namespace internal::dlpack;

/// What a receiver gets, and what it keeps alive.
template <class Managed>
struct Holder {
  Managed managed{};
  OwnedVector vector;
  std::int64_t size = 0;
  std::int64_t stride = 1;
};

template <class Managed>
void release(Managed* managed) {
  if (managed != nullptr) delete static_cast<Holder<Managed>*>(managed->context);
}

template <class Managed>
Managed* handed_over(OwnedVector vector) {
  if (!vector.data && vector.size > 0)
    throw InvalidArray(InvalidArray::Reason::null_pointer,
                       "the vector for DLPack has elements but no data; give one that Selector::scores returned");
  auto* const holder = internal::with_typed_exhaustion([] { return new Holder<Managed>; });
  holder->vector = std::move(vector);
  const OwnedVector& held = holder->vector;
  holder->size = static_cast<std::int64_t>(held.size);
  holder->managed.context = holder;
  holder->managed.deleter = release<Managed>;
  Tensor& tensor = holder->managed.tensor;
  tensor.data = held.data.get();
  tensor.device = held.memory == Memory::device ? Device{DeviceKind::cuda, held.device} : Device{DeviceKind::cpu, 0};
  tensor.dimensions = 1;
  tensor.type = {TypeCode::floating_point, static_cast<std::uint8_t>(held.scalar == Scalar::float32 ? 32 : 64), 1};
  tensor.shape = &holder->size;
  tensor.strides = &holder->stride;
  return &holder->managed;
}

}  // namespace

DLManagedTensor* to_dlpack(OwnedVector vector) {
  return reinterpret_cast<DLManagedTensor*>(handed_over<ManagedTensor>(std::move(vector)));
}

DLManagedTensorVersioned* to_dlpack_versioned(OwnedVector vector) {
  auto* const managed = handed_over<ManagedTensorVersioned>(std::move(vector));
  managed->version = {major_version, minor_version};
  return reinterpret_cast<DLManagedTensorVersioned*>(managed);
}

}  // namespace carbo
