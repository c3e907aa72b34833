#pragma once

/// \file
/// Tensors of other libraries (NumPy, PyTorch, CuPy) by DLPack, without a copy: versions 1.x, whose layout is that of
/// 1.0 (DLManagedTensorVersioned), and 0.x (DLManagedTensor), which many libraries still hand out. Goes together with
/// any <dlpack/dlpack.h>, and needs none.
///
/// In: a view of what the tensor points to. Nothing is consumed: its deleter is the caller's to call, once the memory
/// need no longer stay as it is (see the table of Selector). Pinned memory (kDLCUDAHost) is host memory, managed
/// memory (kDLCUDAManaged) is device memory, whose producer must have been told the selector's stream, or have done
/// its work. Which device, alignment and values are checked where the view is used.
///
/// Throws InvalidArray, by its reason:
/// - null_pointer: no tensor, or no data, shape or sizes where there should be;
/// - shape: another number of dimensions, element type or major version, a negative size, strides that are neither
///   row-major nor column-major, a read-only tensor to write to;
/// - leading_dimension: strides that make rows (or columns) run into the next;
/// - overlapping: a stride of 0, as in a broadcast tensor;
/// - not_device_memory: memory of neither the CPU nor a CUDA device.

#include <carbo/array.hpp>

struct DLManagedTensor;
struct DLManagedTensorVersioned;

namespace carbo {

/// Two dimensions of float32 or float64; row-major or column-major, gaps allowed.
MatrixRef matrix_from_dlpack(const DLManagedTensor* tensor);
MatrixRef matrix_from_dlpack(const DLManagedTensorVersioned* tensor);

/// One dimension of float32 or float64, contiguous.
VectorRef values_from_dlpack(const DLManagedTensor* tensor);
VectorRef values_from_dlpack(const DLManagedTensorVersioned* tensor);
MutableVectorRef room_from_dlpack(const DLManagedTensor* tensor);
MutableVectorRef room_from_dlpack(const DLManagedTensorVersioned* tensor);

/// One dimension of int64, contiguous.
IndexRef indices_from_dlpack(const DLManagedTensor* tensor);
IndexRef indices_from_dlpack(const DLManagedTensorVersioned* tensor);
MutableIndexRef index_room_from_dlpack(const DLManagedTensor* tensor);
MutableIndexRef index_room_from_dlpack(const DLManagedTensorVersioned* tensor);

/// Out: a tensor of one dimension that holds the vector until its deleter is called, which the receiver does once,
/// from any thread; the selector may be gone by then. Device memory (Selector::scores) is written in the order of the
/// selector's stream: the receiver works in that stream, or waits for it (an event, cudaStreamSynchronize) before it
/// reads. Its own work must be done when it calls the deleter. Throws InvalidArray (null_pointer).
DLManagedTensor* to_dlpack(OwnedVector vector);
DLManagedTensorVersioned* to_dlpack_versioned(OwnedVector vector);

}  // namespace carbo
