#pragma once

#include <span>

#include "backend/cpu/scratch.hpp"
#include "backend/gp_factor.hpp"
#include "support/thread_pool.hpp"

namespace carbo::internal {

/// Log marginal likelihoods with gradients. Whole requests go to the threads while there are enough of them; what
/// is left over is done one request at a time with all threads inside. Throws InvalidOptions on a malformed request.
/// Matrices of several requests are held at once up to `most_bytes`, those of one in any case.
void compute_likelihoods(ThreadPool& pool, ScratchPool& scratch, std::span<const LikelihoodRequest> requests,
                         std::span<LikelihoodValue> values, std::size_t most_bytes);

}  // namespace carbo::internal
