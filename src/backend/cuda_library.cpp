#include "backend/cuda_library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <vector>

#include "support/code_folder.hpp"
#include "support/text.hpp"

namespace carbo::internal {
namespace {

struct Library {
  void* handle = nullptr;
  std::string path;
};

template <typename Function>
Function* find_function(const Library& library, const char* name) {
  return reinterpret_cast<Function*>(dlsym(library.handle, name));
}

/// Empty where the library can be used by this one.
std::string fault_of(const Library& library) {
  const auto stamp = find_function<decltype(carbo_cuda_stamp)>(library, "carbo_cuda_stamp");
  if (stamp == nullptr) return text(library.path, " is not Carbo's CUDA library");
  if (std::string_view(stamp()) != CARBO_CUDA_STAMP) {
    return text(library.path, " was built from other sources (", stamp(), ") than this library (", CARBO_CUDA_STAMP,
                "); build and install both together");
  }
  if (find_function<decltype(carbo_cuda_make)>(library, "carbo_cuda_make") == nullptr)
    return text(library.path, " has no carbo_cuda_make");
  return {};
}

/// The file that was loaded, which the dynamic linker may have chosen.
std::string file_of(void* handle, const std::string& asked_for) {
  const link_map* object = nullptr;
  return dlinfo(handle, RTLD_DI_LINKMAP, &object) == 0 && *object->l_name != '\0' ? object->l_name : asked_for;
}

/// Without a handle where the file cannot be loaded or used; `faults` then has the reason, and names the file.
Library open(const std::string& path, std::vector<std::string>& faults) {
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const error = dlerror();
    const std::string reason = error != nullptr ? error : "cannot be loaded";
    // Where what is missing is a library that this one needs, dlerror names that alone.
    faults.push_back(reason.starts_with(path) ? reason : text(path, ": ", reason));
    return {};
  }
  Library library{handle, file_of(handle, path)};
  const std::string fault = fault_of(library);
  if (fault.empty()) return library;
  faults.push_back(fault);
  dlclose(handle);
  return {};
}

/// Files to try where nobody has named one.
std::vector<std::string> usual_places() {
  std::vector<std::string> places;
  const auto add = [&places](const std::string& place) {
    if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
  };
  // One that the program was linked with is there already: a second one beside it would not share its device state.
  if (void* const loaded = dlopen(CARBO_CUDA_SONAME, RTLD_LAZY | RTLD_NOLOAD)) {
    dlclose(loaded);
    add(CARBO_CUDA_SONAME);
  }
  const std::filesystem::path folder = code_folder();
  if (!folder.empty()) add(folder / CARBO_CUDA_SONAME);
  add(CARBO_CUDA_SONAME);
  add(CARBO_LIBRARY_FOLDER "/" CARBO_CUDA_SONAME);
  return places;
}

/// `reason` says why there is no handle.
Library find_library(std::string& reason) {
  const char* const named = std::getenv("CARBO_CUDA_LIBRARY");
  if (named != nullptr && *named == '\0') {
    reason = "the environment variable CARBO_CUDA_LIBRARY is empty, which turns CUDA off";
    return {};
  }
  std::vector<std::string> faults;
  for (const std::string& place : named != nullptr ? std::vector<std::string>{named} : usual_places()) {
    if (Library library = open(place, faults); library.handle != nullptr) return library;
  }
  for (const std::string& fault : faults) reason += (reason.empty() ? "" : "; ") + fault;
  reason = text("the CUDA library could not be loaded (", reason, ")");
  return {};
}

}  // namespace

CudaOutcome make_from_cuda_library(const BackendOptions& options, const DeviceResources& resources) {
  CudaOutcome outcome;
  const Library library = find_library(outcome.reason);
  if (library.handle == nullptr) return outcome;
  find_function<decltype(carbo_cuda_make)>(library, "carbo_cuda_make")(options, resources, outcome);
  return outcome;
}

}  // namespace carbo::internal
