#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include <nanobind/nanobind.h>

#include <carbo/array.hpp>

struct DLManagedTensor;
struct DLManagedTensorVersioned;

namespace carbo::python {

namespace nb = nanobind;

/// An array of Python's that speaks DLPack (NumPy, PyTorch, CuPy, JAX), seen without a copy for as long as this
/// lives.
class Tensor {
 public:
  /// `stream`: a cudaStream_t in whose order device memory is used; the producer is told.
  Tensor(nb::handle array, std::optional<std::uintptr_t> stream);

  // Throw InvalidArray; see carbo/dlpack.hpp.
  MatrixRef matrix() const;
  VectorRef values() const;
  MutableVectorRef room() const;
  IndexRef indices() const;
  MutableIndexRef index_room() const;

 private:
  nb::object capsule_;
  const DLManagedTensor* old_ = nullptr;
  const DLManagedTensorVersioned* versioned_ = nullptr;
};

/// Device and number by DLPack, such as (2, 0) for the first CUDA device.
std::pair<int, int> device_of(nb::handle array);

}  // namespace carbo::python
