#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <cuda_runtime_api.h>

#include "device/contender_view.hpp"
#include "device/device_views.hpp"
#include "device/score_view.hpp"

namespace carbo::kernels {

/// The best of `count` partial results, by one block of threads.
cudaError_t launch_reduce_best(cudaStream_t stream, const BestTwo* parts, std::size_t count,
                               const BestTarget& target);

/// Adds those of a list that reach the threshold to the histogram, whose `highest` is set.
cudaError_t launch_chunk_histogram(cudaStream_t stream, const CandidateList& list, const ContenderView& contenders,
                                   ChunkRange* range, int blocks);

/// Counts contenders of a list: those that reach the threshold or, where `range` is not null, the fewest bins of
/// highest ceilings that hold `most` of them.
cudaError_t launch_count_contenders(cudaStream_t stream, const CandidateList& list, const ContenderView& contenders,
                                    ChunkRange* range, unsigned most, const ContenderCounts& counts);

/// Those of a list that were counted, the oldest first and otherwise in their order. `range` as they were counted
/// with.
cudaError_t launch_compact(cudaStream_t stream, const CandidateList& list, const ContenderView& contenders,
                           const ChunkRange* range, const ContenderCounts& counts, const ListBuffer& kept);

/// The fewest bins of highest ceilings of a list that hold `most`, in its order; the histogram is of this list.
cudaError_t launch_compact_highest(cudaStream_t stream, const CandidateList& list, const ContenderView& contenders,
                                   const ChunkRange* range, unsigned most, const BlockProgress& progress, int blocks,
                                   const ListBuffer& kept);

/// Key of a candidate that has no score; it comes after all others.
inline constexpr std::uint64_t no_rank_key = ~std::uint64_t{0};
/// Keys that sort by descending score, with the candidates' indices; no_rank_key for NaN and for who may not be
/// picked.
cudaError_t launch_rank_keys(cudaStream_t stream, const ScoreView& view, const double* scores, std::size_t size,
                             std::uint64_t* keys, std::uint32_t* indices);

void add_search_list_kernels(std::vector<const void*>& kernels);

}  // namespace carbo::kernels
