#pragma once

#include <cstddef>
#include <vector>

#include "backend/gp_factor.hpp"

namespace carbo::internal {

/// All rows in blocks of neighbours, each of at most `most` (at least 1) and of equal sizes to one row: halved again
/// and again across the coordinate that is widest. Rows ascend inside a block.
std::vector<std::vector<std::size_t>> neighbour_blocks(MatrixView points, std::size_t most);

}  // namespace carbo::internal
