#pragma once

#include <cstddef>

#include "backend/cuda/candidates.hpp"
#include "backend/cuda/field.hpp"

namespace carbo::internal {

/// See Backend::race: the candidate that is left, the one that the cpu backend's race leaves for the same numbers.
/// Takes up to about 45 bytes of device memory and 8 of host memory an entrant. Waits for the device.
std::size_t run_cuda_race(const CudaCandidates& candidates, const CudaField& log_cost, double log_cost_limit);

}  // namespace carbo::internal
