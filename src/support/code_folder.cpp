#include "support/code_folder.hpp"

#include <dlfcn.h>
#include <link.h>

#include <system_error>

namespace carbo::internal {

std::filesystem::path code_folder() {
  static const char part_of_this_code = 0;
  Dl_info info;
  void* map = nullptr;
  if (dladdr1(&part_of_this_code, &info, &map, RTLD_DL_LINKMAP) == 0) return {};
  // The executable has no name here, and dli_fname would be what it was called by: perhaps a word to look up in PATH.
  const char* const name = static_cast<const link_map*>(map)->l_name;
  const char* const file = *name == '\0' ? "/proc/self/exe" : name;
  std::error_code failure;
  return std::filesystem::canonical(file, failure).parent_path();
}

}  // namespace carbo::internal
