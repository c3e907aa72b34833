#include <cstring>
#include <iterator>
#include <string>
#include <type_traits>

#include <carbo/dlpack.hpp>
#include <carbo/error.hpp>

#include "dlpack/layout.hpp"
#include "support/text.hpp"

namespace carbo {
namespace {

using internal::text;
using namespace internal::dlpack;
using Reason = InvalidArray::Reason;

[[noreturn]] void refuse(Reason reason, const std::string& message) {
  throw InvalidArray(reason, "DLPack tensor: " + message);
}

/// A tensor with what stands beside it.
struct Received {
  Tensor tensor;
  bool read_only = false;
};

/// Copied byte by byte: the caller's type of the same layout is another one to the compiler.
template <class Mirror>
Mirror copied(const void* source) {
  Mirror mirror;
  std::memcpy(&mirror, source, sizeof(Mirror));
  return mirror;
}

Received received(const DLManagedTensor* tensor) {
  if (tensor == nullptr) refuse(Reason::null_pointer, "the pointer is null; give a DLManagedTensor");
  return {copied<ManagedTensor>(tensor).tensor};
}

Received received(const DLManagedTensorVersioned* tensor) {
  if (tensor == nullptr) refuse(Reason::null_pointer, "the pointer is null; give a DLManagedTensorVersioned");
  const auto version = copied<Version>(tensor);
  if (version.major != major_version)
    refuse(Reason::shape, text("made by DLPack ", version.major, ".", version.minor, "; versions ", major_version,
                               ".x can be read: ask its producer for max_version=(", major_version, ", 0)"));
  const auto whole = copied<ManagedTensorVersioned>(tensor);
  return {whole.tensor, (whole.flags & read_only_flag) != 0};
}

std::string name_of(const DataType& type) {
  const char* const names[] = {"int", "uint", "float", "opaque handle of ", "bfloat", "complex", "bool"};
  const auto code = static_cast<std::size_t>(type.code);
  const std::string name = code < std::size(names) ? names[code] : text("type code ", code, " of ");
  return text(name, int{type.bits}, type.lanes == 1 ? "" : text(" in ", type.lanes, " lanes"));
}

Scalar scalar_of(const Tensor& tensor) {
  const DataType& type = tensor.type;
  const bool known = type.code == TypeCode::floating_point && type.lanes == 1 && (type.bits == 32 || type.bits == 64);
  if (!known) refuse(Reason::shape, text("its elements are ", name_of(type), "; give float32 or float64"));
  return type.bits == 32 ? Scalar::float32 : Scalar::float64;
}

void check_indices(const Tensor& tensor) {
  const DataType& type = tensor.type;
  if (type.code != TypeCode::signed_integer || type.lanes != 1 || type.bits != 64)
    refuse(Reason::shape, text("its elements are ", name_of(type), "; give int64"));
}

Memory memory_of(const Tensor& tensor) {
  switch (tensor.device.kind) {
    case DeviceKind::cpu:
    case DeviceKind::cuda_host:
      return Memory::host;
    case DeviceKind::cuda:
    case DeviceKind::cuda_managed:
      return Memory::device;
  }
  refuse(Reason::not_device_memory,
         text("it lies on a device of DLPack's kind ", static_cast<std::int32_t>(tensor.device.kind),
              "; give memory of the CPU (1 or 3) or of a CUDA device (2 or 13)"));
}

/// Sizes are there, none is negative, and data where there are elements.
void check_extent(const Tensor& tensor, std::int32_t dimensions) {
  if (tensor.dimensions != dimensions)
    refuse(Reason::shape, text("it has ", tensor.dimensions, " dimensions; give ", dimensions));
  if (tensor.shape == nullptr) refuse(Reason::null_pointer, "shape is null; give the size of every dimension");
  bool empty = false;
  for (std::int32_t i = 0; i < dimensions; ++i) {
    if (tensor.shape[i] < 0) refuse(Reason::shape, text("shape[", i, "] is ", tensor.shape[i], "; give 0 or above"));
    empty = empty || tensor.shape[i] == 0;
  }
  if (!empty && tensor.data == nullptr) refuse(Reason::null_pointer, "data is null, but it has elements");
}

char* first_element(const Tensor& tensor) {
  return tensor.data == nullptr ? nullptr : static_cast<char*>(tensor.data) + tensor.byte_offset;
}

/// `stride`: from one row or column (`line`) to the next, each of `length` elements.
std::size_t leading_dimension(std::int64_t stride, std::int64_t length, const char* line) {
  if (stride == 0)
    refuse(Reason::overlapping, text("its ", line, "s all lie in the same place (stride 0); give a copy of it"));
  if (stride < length)
    refuse(Reason::leading_dimension, text("its ", line, "s of ", length, " elements begin ", stride,
                                           " elements apart; give a stride of at least ", length));
  return static_cast<std::size_t>(stride);
}

/// Order and leading dimension of two dimensions that are not empty. Strides of a dimension of one element say
/// nothing and are not looked at.
void take_strides(const Tensor& tensor, MatrixRef& matrix) {
  if (tensor.strides == nullptr) return;
  const std::int64_t rows = tensor.shape[0], columns = tensor.shape[1];
  const std::int64_t down = tensor.strides[0], across = tensor.strides[1];
  if (columns == 1 || across == 1) {
    matrix.order = Order::row_major;
    matrix.leading_dimension = rows == 1 ? 0 : leading_dimension(down, columns, "row");
  } else if (rows == 1 || down == 1) {
    matrix.order = Order::column_major;
    matrix.leading_dimension = leading_dimension(across, rows, "column");
  } else {
    refuse(down == 0 || across == 0 ? Reason::overlapping : Reason::shape,
           text("its strides are (", down, ", ", across,
                "); give rows whose elements are neighbours (s, 1), columns whose elements are (1, s), or a copy"));
  }
}

MatrixRef matrix(const Received& given) {
  const Tensor& tensor = given.tensor;
  check_extent(tensor, 2);
  MatrixRef matrix;
  matrix.data = first_element(tensor);
  matrix.scalar = scalar_of(tensor);
  matrix.memory = memory_of(tensor);
  matrix.rows = static_cast<std::size_t>(tensor.shape[0]);
  matrix.columns = static_cast<std::size_t>(tensor.shape[1]);
  if (matrix.rows > 0 && matrix.columns > 0) take_strides(tensor, matrix);
  return matrix;
}

void check_contiguous(const Tensor& tensor) {
  check_extent(tensor, 1);
  if (tensor.strides == nullptr || tensor.shape[0] <= 1 || tensor.strides[0] == 1) return;
  refuse(tensor.strides[0] == 0 ? Reason::overlapping : Reason::shape,
         text("its elements are ", tensor.strides[0], " apart; give contiguous ones (stride 1), or a copy"));
}

void check_writable(const Received& given) {
  if (given.read_only) refuse(Reason::shape, "it is read-only; give one that can be written to");
}

/// Of any of the four views of one dimension.
template <class View>
View vector(const Received& given) {
  constexpr bool writes = std::is_same_v<View, MutableVectorRef> || std::is_same_v<View, MutableIndexRef>;
  if constexpr (writes) check_writable(given);
  const Tensor& tensor = given.tensor;
  check_contiguous(tensor);
  View view;
  if constexpr (requires { view.scalar; }) {
    view.scalar = scalar_of(tensor);
  } else {
    check_indices(tensor);
  }
  view.data = static_cast<decltype(view.data)>(static_cast<void*>(first_element(tensor)));
  view.memory = memory_of(tensor);
  view.size = static_cast<std::size_t>(tensor.shape[0]);
  return view;
}

}  // namespace

MatrixRef matrix_from_dlpack(const DLManagedTensor* tensor) { return matrix(received(tensor)); }
MatrixRef matrix_from_dlpack(const DLManagedTensorVersioned* tensor) { return matrix(received(tensor)); }

VectorRef values_from_dlpack(const DLManagedTensor* tensor) { return vector<VectorRef>(received(tensor)); }
VectorRef values_from_dlpack(const DLManagedTensorVersioned* tensor) { return vector<VectorRef>(received(tensor)); }

MutableVectorRef room_from_dlpack(const DLManagedTensor* tensor) {
  return vector<MutableVectorRef>(received(tensor));
}
MutableVectorRef room_from_dlpack(const DLManagedTensorVersioned* tensor) {
  return vector<MutableVectorRef>(received(tensor));
}

IndexRef indices_from_dlpack(const DLManagedTensor* tensor) { return vector<IndexRef>(received(tensor)); }
IndexRef indices_from_dlpack(const DLManagedTensorVersioned* tensor) { return vector<IndexRef>(received(tensor)); }

MutableIndexRef index_room_from_dlpack(const DLManagedTensor* tensor) {
  return vector<MutableIndexRef>(received(tensor));
}
MutableIndexRef index_room_from_dlpack(const DLManagedTensorVersioned* tensor) {
  return vector<MutableIndexRef>(received(tensor));
}

}  // namespace carbo
