#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "backend/cpu/race_plan.hpp"

namespace carbo::internal {

/// Takes the plan's turns along the two orders. Returns, by rank, which of the tracked are out: 1, or 0; with them
/// all those left to a criterion are out. Nothing where the plan proves wrong or cannot be proved right.
std::optional<std::vector<std::uint8_t>> take_turns(const RacePlan& plan, std::array<PlannedOrder, 2> orders);

}  // namespace carbo::internal
