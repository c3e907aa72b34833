#include <carbo/error.hpp>

#include "backend/backend.hpp"
#include "backend/cpu/cpu_backend.hpp"

namespace carbo::internal {

std::unique_ptr<Backend> make_backend(const BackendOptions& options) {
  if (options.kind == BackendKind::cuda)
    throw BackendUnavailable(
        "backend: cuda was asked for, but this build has no CUDA backend; choose BackendKind::cpu or automatic");
  return make_cpu_backend(options);
}

}  // namespace carbo::internal
