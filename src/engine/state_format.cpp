#include "engine/state_format.hpp"

#include <chrono>

#if defined(__GLIBC__)
#include <gnu/libc-version.h>
#endif

#include <carbo/version.h>

#include "support/text.hpp"

namespace carbo::internal {

std::string build_text() {
#if defined(__clang__)
  const std::string compiler = text("Clang ", __clang_version__);
#elif defined(__GNUC__)
  const std::string compiler = text("GCC ", __VERSION__);
#else
  const std::string compiler = "another compiler";
#endif
#if defined(__GLIBC__)
  const std::string library = text(", glibc ", gnu_get_libc_version());
#else
  const std::string library;
#endif
  return text("carbo ", CARBO_VERSION_STRING, ", ", compiler, library);
}

double calendar_seconds() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

}  // namespace carbo::internal
