#pragma once

#include <memory>

#include "backend/backend.hpp"
#include "backend/cuda/context.hpp"

namespace carbo::internal {

/// Candidates in device memory that an application owns: element (row, column) at data[row · row_stride + column ·
/// column_stride], float32 or float64. They must stay as they are while the set lives.
struct DevicePool {
  const void* data = nullptr;
  bool single_precision = false;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t row_stride = 0;
  std::size_t column_stride = 0;
};

/// A backend on one device. Objects that it makes belong to it; they and it are used by one thread at a time, several
/// backends by as many threads as there are.
class CudaBackendFace : public Backend {
 public:
  /// Throws InvalidOptions where the memory is not the device's, is misaligned, too short or overlaps itself by its
  /// strides; NumericalError where a value is not finite.
  virtual std::unique_ptr<CandidateSet> borrow_candidates(const DevicePool& pool) = 0;
  virtual const Context& context() const = 0;
};

/// Throws OutOfMemory, DeviceError.
std::unique_ptr<CudaBackendFace> make_cuda_backend(const CudaOptions& options);

}  // namespace carbo::internal
