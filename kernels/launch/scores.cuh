#pragma once

#include <cstddef>
#include <vector>

#include <cuda_runtime_api.h>

#include "device/score_view.hpp"
#include "launch/bounds.cuh"
#include "launch/search_lists.cuh"

namespace carbo::kernels {

/// Scores of candidates [first, first + count); −∞ where one may not be picked.
cudaError_t launch_scores(cudaStream_t stream, const ScoreView& view, std::size_t first, std::size_t count,
                          double* scores);
cudaError_t launch_scores(cudaStream_t stream, const ScoreView& view, std::size_t first, std::size_t count,
                          float* scores);

/// Room that launch_best needs.
inline constexpr std::size_t best_partials = 1024;
/// state->best: the best two of the candidates below `size` > 0 that may be picked. Does not depend on the grid.
/// `partials` and `state` are device memory.
cudaError_t launch_best(cudaStream_t stream, const ScoreView& view, std::size_t size, BestTwo* partials,
                        PickState* state);

void add_score_kernels(std::vector<const void*>& kernels);

}  // namespace carbo::kernels
