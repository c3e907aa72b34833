#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "backend/backend.hpp"

namespace carbo::internal {

/// What the CUDA library made of BackendOptions.
struct CudaOutcome {
  std::unique_ptr<Backend> backend;  ///< null where no device can be used
  std::string reason;                ///< name of the device, or why there is none
  std::size_t memory_bytes = 0;      ///< of the device, that the backend may take
};

/// Loads libcarbo_cuda, which stays loaded, and makes its backend: the file that the environment variable
/// CARBO_CUDA_LIBRARY names (none where it is empty) or, where it is not set, the first that fits of: the one that
/// the program was linked with, the one beside the file that holds this code (see code_folder), the one that the
/// dynamic linker finds, and the one in the folder that this library was configured to be installed into. Never
/// throws because of a missing library, driver or device; the reason then names every file that was tried. What the
/// backend itself throws passes through.
CudaOutcome make_from_cuda_library(const BackendOptions& options, const DeviceResources& resources);

}  // namespace carbo::internal

/// What libcarbo_cuda exports. Its stamp is compared before anything else is called: it names the version and the
/// headers that both sides must share, so that nothing of another layout is ever passed.
extern "C" {
const char* carbo_cuda_stamp() noexcept;
void carbo_cuda_make(const carbo::BackendOptions& options, const carbo::DeviceResources& resources,
                     carbo::internal::CudaOutcome& outcome);
}
