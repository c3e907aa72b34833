#pragma once

#include <cstddef>
#include <string_view>

namespace carbo::internal {

/// Letters changed, added, left out, or swapped with their neighbour, that lead from one to the other.
std::size_t edits_between(std::string_view a, std::string_view b);

}  // namespace carbo::internal
