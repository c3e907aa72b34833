#pragma once

#include <vector>

namespace carbo::internal {

/// Of two columns, each with a lengthscale of its own.
inline const std::vector<int> groups{0, 1};

}  // namespace carbo::internal
