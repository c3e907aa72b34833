#include "report.hpp"

#include <cxxabi.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "../kernel/thread.hpp"

namespace emulator {

thread_local ExecutionPlace execution_place;

std::string readable_name(const char* mangled) {
  int status = 0;
  char* text = abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
  std::string name = status == 0 && text ? text : mangled;
  std::free(text);
  return name;
}

void note(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::fputs("EMULATOR: ", stderr);
  std::vfprintf(stderr, format, arguments);
  std::fputc('\n', stderr);
  va_end(arguments);
}

void defect(const char* format, ...) {
  std::fflush(stdout);
  std::fputs("EMULATOR DEFECT: ", stderr);
  va_list arguments;
  va_start(arguments, format);
  std::vfprintf(stderr, format, arguments);
  va_end(arguments);
  std::fputc('\n', stderr);
  if (execution_place.work) std::fprintf(stderr, "  in %s\n", readable_name(execution_place.work).c_str());
  if (const Thread* t = execution_place.thread) {
    const std::uint32_t* b = t->block->index;
    std::fprintf(stderr, "  at block (%u, %u, %u), thread (%u, %u, %u)\n", b[0], b[1], b[2], t->index[0], t->index[1],
                 t->index[2]);
  }
  std::fflush(stderr);
  std::abort();
}

}  // namespace emulator
