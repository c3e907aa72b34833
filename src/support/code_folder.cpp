#include "support/code_folder.hpp"

#include <dlfcn.h>
#include <link.h>

#include <system_error>

namespace carbo::internal {

std::filesystem::path code_folder() {
  static const char part_of_this_code = 0;
  Dl_info info;
  link_map* object = nullptr;
  if (dladdr1(&part_of_this_code, &info, reinterpret_cast<void**>(&object), RTLD_DL_LINKMAP) == 0) return {};
  // The executable has no name here; dli_fname would be what it was called by, which may be a word to look up in
  // PATH.
  const char* const file = *object->l_name == '\0' ? "/proc/self/exe" : object->l_name;
  std::error_code failure;
  return std::filesystem::canonical(file, failure).parent_path();
}

}  // namespace carbo::internal
