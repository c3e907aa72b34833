#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <cuda_runtime_api.h>

#include "device/device_views.hpp"
#include "launch/bounds.cuh"
#include "launch/substitution.cuh"

namespace carbo::kernels {

/// Where a pick stands, in device memory; all that returns to the host.
struct PickState {
  BestTwo best;
  double threshold;  ///< whoever is certainly below this cannot enter
  WorkCounters work;
};

/// Lists that only the device knows the length of.
struct ListBuffer {
  std::uint32_t* indices = nullptr;
  std::uint64_t* count = nullptr;
};

/// state.best and its threshold from `count` partial results and, where `keep`, what it held before. `wanted`: 1 or 2
/// candidates, `floor`: see SearchRequest.
cudaError_t launch_reduce_best(cudaStream_t stream, const BestTwo* parts, std::size_t count, bool keep, int wanted,
                               double floor, PickState* state);

/// The first of the sorted blocks' best candidates, at most `most` (≤ 1024).
cudaError_t launch_take_seeds(cudaStream_t stream, const std::uint32_t* sorted_indices, std::size_t blocks, int most,
                              const ListBuffer& seeds);

/// flags[i] = whether the ceiling of candidate i reaches the threshold; −∞ never does.
cudaError_t launch_flag_contenders(cudaStream_t stream, const double* ceilings, std::size_t size,
                                   const PickState* state, std::uint8_t* flags);

/// Those of a list whose ceiling reaches the threshold, in their order. One block of threads: lists are short, and
/// their length is not known to the host.
cudaError_t launch_compact(cudaStream_t stream, const CandidateList& list, const double* ceilings,
                           const PickState* state, const ListBuffer& kept);

/// Key of a candidate that has no score; it comes after all others.
inline constexpr std::uint64_t no_rank_key = ~std::uint64_t{0};
/// Keys that sort by descending score, with the candidates' indices; no_rank_key for NaN and for who may not be
/// picked.
cudaError_t launch_rank_keys(cudaStream_t stream, const ScoreView& view, const double* scores, std::size_t size,
                             std::uint64_t* keys, std::uint32_t* indices);

void add_search_list_kernels(std::vector<const void*>& kernels);

}  // namespace carbo::kernels
