#include "waits.hpp"

#include <dlfcn.h>
#include <execinfo.h>

#include <string>

#include "emulator.hpp"
#include "report.hpp"
#include "settings.hpp"

namespace emulator {
namespace {

bool is_stand_in(const std::string& file) {
  for (const char* name : {"libcudart.", "libcublas.", "libcusolver."})
    if (file.rfind(name, 0) == 0) return true;
  return false;
}

// The file from which the stand-ins were called, without its folder.
std::string calling_module() {
  void* frames[64];
  const int count = backtrace(frames, 64);
  for (int i = 0; i < count; ++i) {
    Dl_info info;
    if (!dladdr(frames[i], &info) || !info.dli_fname) break;
    const std::string path = info.dli_fname;
    const std::string file = path.substr(path.rfind('/') + 1);
    if (!is_stand_in(file)) return file;
  }
  return "an unknown place";
}

}  // namespace

void count_wait(const char* call) {
  count("synchronisations");
  if (settings().print_waits) note("wait: %s, called from %s", call, calling_module().c_str());
}

}  // namespace emulator
