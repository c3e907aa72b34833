#include "support/free_memory.hpp"

#include <fstream>
#include <limits>
#include <string>

namespace carbo::internal {

std::size_t free_memory() {
  std::ifstream info("/proc/meminfo");
  for (std::string name; info >> name;) {
    std::size_t kibibytes = 0;
    if (name == "MemAvailable:" && info >> kibibytes) return kibibytes * 1024;
    info.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return std::size_t{4} << 30;
}

}  // namespace carbo::internal
