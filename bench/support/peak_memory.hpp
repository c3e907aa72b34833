#pragma once

#include <cstddef>

namespace carbo::bench {

/// Gives freed memory back to the system and starts the count of this process's peak anew. False where the system
/// does not allow that: the peak is then of all that ran before too.
bool reset_peak_memory(const char* switch_file = "/proc/self/clear_refs");
/// Highest resident memory of this process since then, in bytes; 0 where the system does not say.
std::size_t peak_memory();

}  // namespace carbo::bench
