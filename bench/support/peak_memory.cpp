#include "bench/support/peak_memory.hpp"

#include <malloc.h>

#include <fstream>
#include <string>

namespace carbo::bench {

bool reset_peak_memory(const char* switch_file) {
  malloc_trim(0);
  std::ofstream file(switch_file);
  file << 5;
  file.close();
  return !file.fail();
}

std::size_t peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind("VmHWM:", 0) == 0) return std::stoull(line.substr(6)) * 1024;  // the kernel counts KiB
  return 0;
}

}  // namespace carbo::bench
