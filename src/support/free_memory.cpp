#include "support/free_memory.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace carbo::internal {

namespace {

/// The limit of the control group that this process runs in, where there is one.
std::size_t group_limit() {
  std::size_t bytes = 0;
  std::ifstream limit("/sys/fs/cgroup/memory.max");
  return limit >> bytes ? bytes : std::numeric_limits<std::size_t>::max();
}

}  // namespace

std::size_t free_memory() {
  std::ifstream info("/proc/meminfo");
  for (std::string name; info >> name;) {
    std::size_t kibibytes = 0;
    if (name == "MemAvailable:" && info >> kibibytes) return std::min(kibibytes * 1024, group_limit());
    info.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return std::min(std::size_t{4} << 30, group_limit());
}

}  // namespace carbo::internal
