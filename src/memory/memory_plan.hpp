#pragma once

#include <carbo/memory_plan.hpp>

#include "backend/footprint.hpp"

namespace carbo::internal {

/// As the public functions of the same names, by what a backend says that it needs.
std::size_t least_memory(const Footprint& footprint, const MemoryRequest& request);
MemoryPlan plan_memory(const Footprint& footprint, const MemoryRequest& request);

}  // namespace carbo::internal
