#include "backend/cuda_library.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <string_view>
#include <vector>

#include "support/text.hpp"

namespace carbo::internal {
namespace {

struct Library {
  void* handle = nullptr;
  std::string path;
  std::string fault;  ///< why there is no handle
};

Library open_first(const std::vector<std::string>& paths) {
  Library library;
  for (const std::string& path : paths) {
    library.path = path;
    library.handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library.handle != nullptr) return library;
    const char* const error = dlerror();
    library.fault += (library.fault.empty() ? "" : "; ") + std::string(error != nullptr ? error : path);
  }
  library.fault = text("the CUDA library could not be loaded (", library.fault, ")");
  return library;
}

Library open_library() {
  const char* const named = std::getenv("CARBO_CUDA_LIBRARY");
  if (named == nullptr) return open_first({CARBO_CUDA_SONAME, CARBO_LIBRARY_FOLDER "/" CARBO_CUDA_SONAME});
  if (*named == '\0')
    return {nullptr, "", "the environment variable CARBO_CUDA_LIBRARY is empty, which turns CUDA off"};
  return open_first({named});
}

template <typename Function>
Function* find_function(const Library& library, const char* name) {
  return reinterpret_cast<Function*>(dlsym(library.handle, name));
}

/// Empty where the library fits this one.
std::string stamp_fault(const Library& library) {
  const auto stamp = find_function<decltype(carbo_cuda_stamp)>(library, "carbo_cuda_stamp");
  if (stamp == nullptr) return text(library.path, " is not Carbo's CUDA library");
  if (std::string_view(stamp()) == CARBO_CUDA_STAMP) return {};
  return text(library.path, " was built from other sources (", stamp(), ") than this library (", CARBO_CUDA_STAMP,
              "); build and install both together");
}

}  // namespace

CudaOutcome make_from_cuda_library(const BackendOptions& options, const DeviceResources& resources) {
  CudaOutcome outcome;
  const Library library = open_library();
  outcome.reason = library.fault;
  if (library.handle == nullptr) return outcome;
  outcome.reason = stamp_fault(library);
  if (!outcome.reason.empty()) {
    dlclose(library.handle);
    return outcome;
  }
  const auto make = find_function<decltype(carbo_cuda_make)>(library, "carbo_cuda_make");
  if (make == nullptr) {
    outcome.reason = text(library.path, " has no carbo_cuda_make");
    return outcome;
  }
  make(options, resources, outcome);
  return outcome;
}

}  // namespace carbo::internal
