#include "launch/search_lists.cuh"

#include <algorithm>

#include "device/best_two.cuh"
#include "device/grid_stride.cuh"
#include "device/ordered_list.cuh"
#include "device/score_device.cuh"
#include "formulas/sort_keys.hpp"

namespace carbo::kernels {
namespace {

constexpr int warp = 32;
constexpr int list_warps = list_threads / warp;
constexpr unsigned whole_warp = 0xffffffffu;
static_assert(list_warps == age_classes && list_threads >= bin_count);
static_assert(bin_count == sizeof(ChunkRange::bins) / sizeof(unsigned));

__global__ void __launch_bounds__(bound_block)
    reduce_best(const BestTwo* parts, std::size_t count, BestTarget target) {
  __shared__ BestTwo room[bound_block];
  reduce_parts(parts, count, target, room);
}

__global__ void __launch_bounds__(list_threads)
    chunk_histogram(CandidateList list, ContenderView contenders, ChunkRange* range) {
  __shared__ unsigned bins[bin_count];
  if (threadIdx.x < bin_count) bins[threadIdx.x] = 0;
  __syncthreads();
  const std::size_t size = list_size(list);
  for (std::size_t place = first_element(); place < size; place += element_step()) {
    const double ceiling = contenders.ceilings[list_at(list, place)];
    if (reaches(contenders, ceiling)) atomicAdd(&bins[bin_of(contenders, *range, ceiling)], 1u);
  }
  __syncthreads();
  if (threadIdx.x < bin_count && bins[threadIdx.x] > 0) atomicAdd(&range->bins[threadIdx.x], bins[threadIdx.x]);
}

__global__ void __launch_bounds__(list_threads)
    count_contenders(CandidateList list, ContenderView contenders, ChunkRange* range, unsigned most,
                     ContenderCounts counts) {
  __shared__ BinStage stage;
  __shared__ unsigned own[age_classes];
  if (threadIdx.x < age_classes) own[threadIdx.x] = 0;
  if (range != nullptr) {
    if (threadIdx.x < bin_count) stage.bins[threadIdx.x] = range->bins[threadIdx.x];
    find_bin(stage, most);
    if (blockIdx.x == 0 && threadIdx.x == 0) range->last_bin = stage.found;
  }
  __syncthreads();
  const ListShare share = list_share(list_size(list), blockIdx.x);
  for (std::size_t place = share.first + threadIdx.x; place < share.end; place += list_threads) {
    const std::size_t i = list_at(list, place);
    const double ceiling = contenders.ceilings[i];
    if (!reaches(contenders, ceiling)) continue;
    if (range == nullptr || bin_of(contenders, *range, ceiling) <= stage.found)
      atomicAdd(&own[age_class(contenders, i)], 1u);
  }
  store_counts(own, counts);
}

/// Where each class of this block of threads begins, the oldest class first; the length of the list in `total`.
__device__ inline void class_places(const ContenderCounts& counts, std::uint64_t (&places)[age_classes],
                                    std::uint64_t (&totals)[age_classes]) {
  const int lane = threadIdx.x % warp;
  const int own_class = threadIdx.x / warp;
  unsigned before = 0, all = 0;
  for (int block = lane; block < counts.blocks; block += warp) {
    const unsigned counted = counts.counts[own_class * counts.blocks + block];
    all += counted;
    if (block < static_cast<int>(blockIdx.x)) before += counted;
  }
  for (int step = warp / 2; step > 0; step /= 2) {
    all += __shfl_down_sync(whole_warp, all, step);
    before += __shfl_down_sync(whole_warp, before, step);
  }
  if (lane == 0) {
    totals[own_class] = all;
    places[own_class] = before;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    std::uint64_t older = 0;
    for (int c = age_classes - 1; c >= 0; --c) {
      places[c] += older;
      older += totals[c];
    }
    totals[0] = older;
  }
  __syncthreads();
}

__global__ void __launch_bounds__(list_threads)
    compact(CandidateList list, ContenderView contenders, const ChunkRange* range, ContenderCounts counts,
            ListBuffer kept) {
  __shared__ std::uint64_t places[age_classes];
  __shared__ std::uint64_t totals[age_classes];
  __shared__ unsigned in_warp[age_classes][list_warps];
  class_places(counts, places, totals);
  if (blockIdx.x == 0 && threadIdx.x == 0) *kept.count = totals[0];
  const int lane = threadIdx.x % warp;
  const int own_warp = threadIdx.x / warp;
  const ListShare share = list_share(list_size(list), blockIdx.x);
  for (std::size_t start = share.first; start < share.end; start += list_threads) {
    const std::size_t place = start + threadIdx.x;
    const std::size_t candidate = place < share.end ? list_at(list, place) : 0;
    const bool keeps = place < share.end && is_kept(contenders, range, contenders.ceilings[candidate]);
    const int own = keeps ? age_class(contenders, candidate) : -1;
    unsigned before = 0;
    for (int c = 0; c < age_classes; ++c) {
      const unsigned votes = __ballot_sync(whole_warp, own == c);
      if (own == c) before = __popc(votes & ((1u << lane) - 1u));
      if (lane == 0) in_warp[c][own_warp] = __popc(votes);
    }
    __syncthreads();
    if (keeps) {
      for (int w = 0; w < own_warp; ++w) before += in_warp[own][w];
      kept.indices[places[own] + before] = static_cast<std::uint32_t>(candidate);
    }
    __syncthreads();
    if (threadIdx.x < age_classes)
      for (int w = 0; w < list_warps; ++w) places[threadIdx.x] += in_warp[threadIdx.x][w];
    __syncthreads();
  }
}

__global__ void __launch_bounds__(list_threads)
    compact_highest(CandidateList list, ContenderView contenders, const ChunkRange* range, unsigned most,
                    BlockProgress progress, ListBuffer kept) {
  __shared__ BinStage stage;
  if (threadIdx.x < bin_count) stage.bins[threadIdx.x] = range->bins[threadIdx.x];
  find_bin(stage, most);
  const int last = stage.found;
  const unsigned turn = block_turn(progress);
  keep_in_order<list_threads>(list, list_share(list_size(list), turn), turn, progress, kept, [&](std::size_t i) {
    const double ceiling = contenders.ceilings[i];
    return reaches(contenders, ceiling) && bin_of(contenders, *range, ceiling) <= last;
  });
}

__global__ void __launch_bounds__(list_threads)
    rank_keys(ScoreView view, const double* scores, std::size_t size, std::uint64_t* keys, std::uint32_t* indices) {
  for (std::size_t i = first_element(); i < size; i += element_step()) {
    const bool has_score = may_be_picked(view, i) && !isnan(scores[i]);
    keys[i] = has_score ? descending_key(scores[i]) : no_rank_key;
    indices[i] = static_cast<std::uint32_t>(i);
  }
}

}  // namespace

cudaError_t launch_reduce_best(cudaStream_t stream, const BestTwo* parts, std::size_t count,
                               const BestTarget& target) {
  reduce_best<<<1, bound_block, 0, stream>>>(parts, count, target);
  return cudaGetLastError();
}

cudaError_t launch_chunk_histogram(cudaStream_t stream, const CandidateList& list, const ContenderView& contenders,
                                   ChunkRange* range, int blocks) {
  chunk_histogram<<<blocks, list_threads, 0, stream>>>(list, contenders, range);
  return cudaGetLastError();
}

cudaError_t launch_count_contenders(cudaStream_t stream, const CandidateList& list, const ContenderView& contenders,
                                    ChunkRange* range, unsigned most, const ContenderCounts& counts) {
  count_contenders<<<counts.blocks, list_threads, 0, stream>>>(list, contenders, range, most, counts);
  return cudaGetLastError();
}

cudaError_t launch_compact(cudaStream_t stream, const CandidateList& list, const ContenderView& contenders,
                           const ChunkRange* range, const ContenderCounts& counts, const ListBuffer& kept) {
  compact<<<counts.blocks, list_threads, 0, stream>>>(list, contenders, range, counts, kept);
  return cudaGetLastError();
}

cudaError_t launch_compact_highest(cudaStream_t stream, const CandidateList& list, const ContenderView& contenders,
                                   const ChunkRange* range, unsigned most, const BlockProgress& progress, int blocks,
                                   const ListBuffer& kept) {
  compact_highest<<<blocks, list_threads, 0, stream>>>(list, contenders, range, most, progress, kept);
  return cudaGetLastError();
}

cudaError_t launch_rank_keys(cudaStream_t stream, const ScoreView& view, const double* scores, std::size_t size,
                             std::uint64_t* keys, std::uint32_t* indices) {
  if (size == 0) return cudaSuccess;
  rank_keys<<<stride_blocks(size, most_stride_blocks, list_threads), list_threads, 0, stream>>>(view, scores, size,
                                                                                                keys, indices);
  return cudaGetLastError();
}

void add_search_list_kernels(std::vector<const void*>& kernels) {
  for (const void* kernel :
       {reinterpret_cast<const void*>(reduce_best), reinterpret_cast<const void*>(chunk_histogram),
        reinterpret_cast<const void*>(count_contenders), reinterpret_cast<const void*>(compact),
        reinterpret_cast<const void*>(compact_highest), reinterpret_cast<const void*>(rank_keys)})
    kernels.push_back(kernel);
}

}  // namespace carbo::kernels
