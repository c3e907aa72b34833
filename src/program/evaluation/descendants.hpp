#pragma once

#include <sys/types.h>

#include <vector>

namespace carbo::program {

/// Processes whose chain of parents leads to `ancestor`, as /proc shows them at this moment; those that have ended
/// and wait to be seen off (zombies) are left out.
std::vector<pid_t> descendants(pid_t ancestor);

}  // namespace carbo::program
