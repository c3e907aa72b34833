#include <carbo/error.hpp>

#include "backend/cuda/cuda_backend.hpp"
#include "backend/cuda/device_choice.hpp"
#include "backend/cuda_library.hpp"

const char* carbo_cuda_stamp() noexcept { return CARBO_CUDA_STAMP; }

void carbo_cuda_make(const carbo::BackendOptions& options, const carbo::DeviceResources& resources,
                     carbo::internal::CudaOutcome& outcome) {
  using namespace carbo::internal;
  CudaOptions cuda;
  if (resources.stream) cuda.stream = static_cast<cudaStream_t>(*resources.stream);
  const DeviceChoice choice = choose_device(options.device, cuda.stream);
  outcome.reason = choice.text;
  if (choice.device < 0) return;
  cuda.device = choice.device;
  cuda.memory_bytes = options.memory_bytes;
  cuda.allocator = resources.allocator;
  std::unique_ptr<CudaBackendFace> backend = make_cuda_backend(cuda);
  outcome.memory_bytes = backend->context().memory()->budget();
  outcome.backend = std::move(backend);
}
