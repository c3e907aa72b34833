#pragma once

#include <cstddef>
#include <string>

namespace carbo::internal {

/// Bytes that this process may still take without swapping: what the system has available, less where a limit leaves
/// less. Limits are those of its control groups (versions 1 and 2) and of all above them, of which what is used
/// already is taken off, but for cached files that would give way; and that of its address space. A guess of 4 GiB
/// where nothing is said. `root` stands before /proc and /sys.
std::size_t free_memory(const std::string& root = "");

}  // namespace carbo::internal
