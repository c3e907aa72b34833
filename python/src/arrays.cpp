#include "arrays.hpp"

#include <string>
#include <utility>

#include <carbo/dlpack.hpp>
#include <carbo/error.hpp>

#include "dlpack/layout.hpp"

namespace carbo::python {
namespace {

using internal::dlpack::DeviceKind;

/// As the producer is told: 1 is the legacy default stream, which is 0 in CUDA.
nb::object stream_argument(nb::handle array, std::optional<std::uintptr_t> stream) {
  const auto kind = static_cast<DeviceKind>(device_of(array).first);
  if (kind != DeviceKind::cuda && kind != DeviceKind::cuda_managed) return nb::none();
  const std::uintptr_t handle = stream.value_or(0);
  return nb::int_(handle == 0 ? std::uintptr_t{1} : handle);
}

nb::object capsule_of(nb::handle array, const nb::object& stream) {
  const nb::object ask = array.attr("__dlpack__");
  try {
    nb::dict arguments;
    arguments["stream"] = stream;
    arguments["max_version"] = nb::make_tuple(1, 0);
    return ask(**arguments);
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_TypeError)) throw;  // producers of before version 1.0 know no such argument
  }
  nb::dict arguments;
  arguments["stream"] = stream;
  return ask(**arguments);
}

[[noreturn]] void refuse(nb::handle array) {
  throw InvalidArray(InvalidArray::Reason::null_pointer,
                     std::string(nb::type_name(array.type()).c_str()) +
                         " gives no memory by DLPack; give an array of NumPy, PyTorch, CuPy or JAX");
}

}  // namespace

std::pair<int, int> device_of(nb::handle array) {
  if (!nb::hasattr(array, "__dlpack_device__")) refuse(array);
  const nb::object device = array.attr("__dlpack_device__")();
  return {nb::cast<int>(nb::int_(device[0])), nb::cast<int>(nb::int_(device[1]))};
}

Tensor::Tensor(nb::handle array, std::optional<std::uintptr_t> stream) {
  if (!nb::hasattr(array, "__dlpack__")) refuse(array);
  capsule_ = capsule_of(array, stream_argument(array, stream));
  if (PyCapsule_IsValid(capsule_.ptr(), "dltensor_versioned") != 0) {
    versioned_ =
        static_cast<const DLManagedTensorVersioned*>(PyCapsule_GetPointer(capsule_.ptr(), "dltensor_versioned"));
  } else if (PyCapsule_IsValid(capsule_.ptr(), "dltensor") != 0) {
    old_ = static_cast<const DLManagedTensor*>(PyCapsule_GetPointer(capsule_.ptr(), "dltensor"));
  } else {
    refuse(array);
  }
}

MatrixRef Tensor::matrix() const {
  return versioned_ != nullptr ? matrix_from_dlpack(versioned_) : matrix_from_dlpack(old_);
}
VectorRef Tensor::values() const {
  return versioned_ != nullptr ? values_from_dlpack(versioned_) : values_from_dlpack(old_);
}
MutableVectorRef Tensor::room() const {
  return versioned_ != nullptr ? room_from_dlpack(versioned_) : room_from_dlpack(old_);
}
IndexRef Tensor::indices() const {
  return versioned_ != nullptr ? indices_from_dlpack(versioned_) : indices_from_dlpack(old_);
}
MutableIndexRef Tensor::index_room() const {
  return versioned_ != nullptr ? index_room_from_dlpack(versioned_) : index_room_from_dlpack(old_);
}

}  // namespace carbo::python
