#pragma once

#include <cstddef>

namespace carbo::bench {

/// Gives freed memory back to the system and starts the count of this process's peak anew.
void reset_peak_memory();
/// Highest resident memory of this process since then, in bytes; 0 where the system does not say.
std::size_t peak_memory();

}  // namespace carbo::bench
