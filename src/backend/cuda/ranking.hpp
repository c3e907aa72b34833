#pragma once

#include <cstddef>
#include <vector>

#include "backend/cuda/context.hpp"
#include "backend/scored.hpp"
#include "device/score_view.hpp"

namespace carbo::internal {

/// The `count` best of `size` candidates by exact score, best first, by scoring and sorting all of them; fewer where
/// fewer may be picked. Ties go to the lowest index, NaN is passed over. Waits for the device.
std::vector<Scored> rank_candidates(const Context& context, const kernels::ScoreView& view, std::size_t size,
                                    std::size_t count);

}  // namespace carbo::internal
