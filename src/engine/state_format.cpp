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

void check_state_version(const TreeReader& reader) {
  if (reader.get<std::string>("format") != state_format)
    reader.at("format").refuse(text("expected \"", state_format, "\""));
  const auto version = reader.get<std::uint64_t>("version");
  if (version == 0 || version > state_version)
    reader.at("version").refuse(text("the state is of version ", version, "; this library reads version 1 to ",
                                     state_version, ": use a newer one"));
}

double calendar_seconds() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

}  // namespace carbo::internal
