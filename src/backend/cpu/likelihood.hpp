#pragma once

#include <span>

#include "backend/backend.hpp"
#include "backend/cpu/scratch.hpp"
#include "support/thread_pool.hpp"

namespace carbo::internal {

/// Log marginal likelihoods with gradients. Whole requests go to the threads while there are enough of them; what
/// is left over is done one request at a time with all threads inside. Throws InvalidOptions on a malformed request.
void compute_likelihoods(ThreadPool& pool, ScratchPool& scratch, std::span<const LikelihoodRequest> requests,
                         std::span<LikelihoodValue> values);

}  // namespace carbo::internal
