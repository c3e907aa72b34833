#include "support/free_memory.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>

namespace carbo::internal {
namespace {

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

/// The number that a file begins with; absent where there is no file, or a word such as "max".
std::optional<std::size_t> number_in(const std::string& path) {
  std::ifstream file(path);
  std::size_t number = 0;
  return file >> number ? std::optional(number) : std::nullopt;
}

/// The number after `name` at the beginning of a line.
std::optional<std::size_t> number_after(const std::string& path, const std::string& name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(name, 0) != 0) continue;
    std::istringstream rest(line.substr(name.size()));
    std::size_t number = 0;
    return rest >> number ? std::optional(number) : std::nullopt;
  }
  return std::nullopt;
}

std::size_t left_of(std::size_t limit, std::size_t used) { return limit - std::min(limit, used); }

/// Names of a control group's files, which the two versions spell differently.
struct GroupFiles {
  const char* limit;
  const char* used;
  const char* cached;  ///< in memory.stat: of files, not in use
};
constexpr GroupFiles version_2{"memory.max", "memory.current", "inactive_file "};
constexpr GroupFiles version_1{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "};

std::size_t left_in_group(const std::string& folder, const GroupFiles& files) {
  const auto limit = number_in(folder + "/" + files.limit);
  if (!limit) return unlimited;
  const std::size_t used = number_in(folder + "/" + files.used).value_or(0);
  const std::size_t cached = number_after(folder + "/memory.stat", files.cached).value_or(0);
  return left_of(*limit, left_of(used, cached));
}

/// Of the group at `path` and all above it. Inside a container the path may be the host's: then only its root is
/// there to be read.
std::size_t left_up_from(const std::string& mount, std::string path, const GroupFiles& files) {
  std::size_t left = left_in_group(mount, files);
  for (; path.size() > 1; path.erase(path.rfind('/'))) left = std::min(left, left_in_group(mount + path, files));
  return left;
}

/// Lines of /proc/self/cgroup are number:controllers:path, with no controllers in version 2.
std::size_t left_in_groups(const std::string& root) {
  const std::string mount = root + "/sys/fs/cgroup";
  std::size_t left = left_in_group(mount, version_2);
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string path = line.substr(second + 1);
    if (path.empty() || path.front() != '/') continue;
    if (controllers == ",,") left = std::min(left, left_up_from(mount, path, version_2));
    if (controllers.find(",memory,") != std::string::npos)
      left = std::min(left, left_up_from(mount + "/memory", path, version_1));
  }
  return left;
}

std::size_t left_of_address_space(const std::string& root) {
  const auto limit = number_after(root + "/proc/self/limits", "Max address space");
  if (!limit) return unlimited;
  return left_of(*limit, 1024 * number_after(root + "/proc/self/status", "VmSize:").value_or(0));
}

}  // namespace

std::size_t free_memory(const std::string& root) {
  constexpr std::size_t guess = std::size_t{4} << 30;
  const auto kibibytes = number_after(root + "/proc/meminfo", "MemAvailable:");
  return std::min({kibibytes ? *kibibytes * 1024 : guess, left_in_groups(root), left_of_address_space(root)});
}

}  // namespace carbo::internal
