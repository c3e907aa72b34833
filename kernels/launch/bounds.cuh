#pragma once

#include <cstddef>
#include <vector>

#include <cuda_runtime_api.h>

#include "device/bound_view.hpp"
#include "device/contender_view.hpp"
#include "device/device_views.hpp"

namespace carbo::kernels {

/// Ceilings of all candidates, or exact scores where everything about them is finished, with the best of each block,
/// the best of all, and the most promising.
cudaError_t launch_bounds(cudaStream_t stream, const BoundView& view, std::size_t size, const BoundOutput& output,
                          const BestTarget& target, const SeedTarget& seeds);

/// ceilings[i] of the listed candidates, their exact score where everything about them is finished; those that reach
/// the threshold are kept in their order and, where `range` is not null, added to its histogram.
cudaError_t launch_list_bounds(cudaStream_t stream, const BoundView& view, const CandidateList& list,
                               const ContenderView& contenders, double* ceilings, const BlockProgress& progress,
                               int blocks, ChunkRange* range, const ListBuffer& kept);

/// Ceilings of all candidates until the horizon, exact or not; −∞ where one may not be picked.
cudaError_t launch_ceilings(cudaStream_t stream, const BoundView& view, std::size_t size, double* ceilings);

/// Exact scores of the listed candidates, whose posterior is finished: the best two of each of `resident` blocks of
/// threads. ceilings[i] becomes −∞. The best of all is kept by `pick`.
cudaError_t launch_list_scores(cudaStream_t stream, const ScoreView& view, const CandidateList& list, int resident,
                               double* ceilings, BestTwo* best, const BestTarget& target, const PickTarget& pick);

void add_bound_kernels(std::vector<const void*>& kernels);

}  // namespace carbo::kernels
