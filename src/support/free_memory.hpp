#pragma once

#include <cstddef>

namespace carbo::internal {

/// Bytes that programs may still take without swapping; a guess of 4 GiB where the system does not say.
std::size_t free_memory();

}  // namespace carbo::internal
