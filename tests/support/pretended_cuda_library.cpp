// Stands for libcarbo_cuda in tests of how it is loaded: `backend.device` says what comes of it. Compiled twice, with
// the stamp of this library and with another.

#include <carbo/error.hpp>

#include "backend/cpu_level.hpp"
#include "backend/cuda_library.hpp"

const char* carbo_cuda_stamp() noexcept { return CARBO_CUDA_STAMP; }

void carbo_cuda_make(const carbo::BackendOptions& options, const carbo::DeviceResources&,
                     carbo::internal::CudaOutcome& outcome) {
  if (options.device == 1) {
    outcome.reason = "the pretended device is switched off";
    return;
  }
  if (options.device == 4) {
    outcome.reason = "backend.device is 4, but there are 0 CUDA devices, counted from 0";
    return;
  }
  if (options.device == 2) throw carbo::OutOfMemory("the pretended device is full");
  if (options.device == 3) throw carbo::DeviceError("the pretended device fails");
  outcome.backend = carbo::internal::make_cpu_backend(options);
  outcome.reason = "a pretended device";
  outcome.memory_bytes = options.memory_bytes > 0 ? options.memory_bytes : 123456789;
}
