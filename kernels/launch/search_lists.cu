#include "launch/search_lists.cuh"

#include <algorithm>

#include "device/best_two.cuh"
#include "device/covariance_tile.cuh"
#include "device/grid_stride.cuh"
#include "device/score_device.cuh"
#include "formulas/sort_keys.hpp"

namespace carbo::kernels {
namespace {

constexpr int warp = 32;
constexpr int list_threads = 512;
constexpr int most_seeds = 1024;

__global__ void __launch_bounds__(bound_block)
    reduce_best(const BestTwo* parts, std::size_t count, bool keep, int wanted, double floor, PickState* state) {
  __shared__ BestTwo room[bound_block];
  BestTwo own = no_best();
  if (keep && threadIdx.x == 0) own = state->best;
  for (std::size_t i = threadIdx.x; i < count; i += bound_block) offer(own, parts[i]);
  own = block_best(own, room);
  if (threadIdx.x != 0) return;
  state->best = own;
  const std::uint32_t last = wanted == 1 ? own.index[0] : own.index[1];
  const double least = last == no_candidate ? -HUGE_VAL : (wanted == 1 ? own.score[0] : own.score[1]);
  state->threshold = least > floor ? least : floor;
}

__global__ void __launch_bounds__(most_seeds)
    take_seeds(const std::uint32_t* sorted, std::size_t blocks, int most, ListBuffer seeds) {
  const int place = static_cast<int>(threadIdx.x);
  const bool valid = place < most && static_cast<std::size_t>(place) < blocks && sorted[place] != no_candidate;
  if (valid) seeds.indices[place] = sorted[place];
  const int count = __syncthreads_count(valid);
  if (place == 0) *seeds.count = static_cast<std::uint64_t>(count);
}

__device__ inline bool reaches(double ceiling, const PickState* state) {
  return ceiling > -HUGE_VAL && !(ceiling < state->threshold);
}

__global__ void __launch_bounds__(list_threads)
    flag_contenders(const double* ceilings, std::size_t size, const PickState* state, std::uint8_t* flags) {
  for (std::size_t i = first_element(); i < size; i += element_step()) flags[i] = reaches(ceilings[i], state) ? 1 : 0;
}

__global__ void __launch_bounds__(list_threads)
    compact(CandidateList list, const double* ceilings, const PickState* state, ListBuffer kept) {
  constexpr int warps = list_threads / warp;
  __shared__ int in_warp[warps];
  const std::size_t size = list_size(list);
  const int lane = threadIdx.x % warp;
  const int own_warp = threadIdx.x / warp;
  std::uint64_t written = 0;
  for (std::size_t start = 0; start < size; start += list_threads) {
    const std::size_t place = start + threadIdx.x;
    const std::size_t candidate = place < size ? list_at(list, place) : 0;
    const bool keeps = place < size && reaches(ceilings[candidate], state);
    const unsigned votes = __ballot_sync(0xffffffffu, keeps);
    if (lane == 0) in_warp[own_warp] = __popc(votes);
    __syncthreads();
    int before = __popc(votes & ((1u << lane) - 1u));
    int total = 0;
    for (int w = 0; w < warps; ++w) {
      if (w < own_warp) before += in_warp[w];
      total += in_warp[w];
    }
    if (keeps) kept.indices[written + before] = static_cast<std::uint32_t>(candidate);
    written += total;
    __syncthreads();
  }
  if (threadIdx.x == 0) *kept.count = written;
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

cudaError_t launch_reduce_best(cudaStream_t stream, const BestTwo* parts, std::size_t count, bool keep, int wanted,
                               double floor, PickState* state) {
  reduce_best<<<1, bound_block, 0, stream>>>(parts, count, keep, wanted, floor, state);
  return cudaGetLastError();
}

cudaError_t launch_take_seeds(cudaStream_t stream, const std::uint32_t* sorted_indices, std::size_t blocks, int most,
                              const ListBuffer& seeds) {
  const int threads = std::min(most_seeds, (most + warp - 1) / warp * warp);
  take_seeds<<<1, threads, 0, stream>>>(sorted_indices, blocks, std::min(most, threads), seeds);
  return cudaGetLastError();
}

cudaError_t launch_flag_contenders(cudaStream_t stream, const double* ceilings, std::size_t size,
                                   const PickState* state, std::uint8_t* flags) {
  if (size == 0) return cudaSuccess;
  flag_contenders<<<stride_blocks(size, most_stride_blocks, list_threads), list_threads, 0, stream>>>(ceilings, size,
                                                                                                      state, flags);
  return cudaGetLastError();
}

cudaError_t launch_compact(cudaStream_t stream, const CandidateList& list, const double* ceilings,
                           const PickState* state, const ListBuffer& kept) {
  compact<<<1, list_threads, 0, stream>>>(list, ceilings, state, kept);
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
  kernels.push_back(reinterpret_cast<const void*>(reduce_best));
  kernels.push_back(reinterpret_cast<const void*>(take_seeds));
  kernels.push_back(reinterpret_cast<const void*>(flag_contenders));
  kernels.push_back(reinterpret_cast<const void*>(compact));
  kernels.push_back(reinterpret_cast<const void*>(rank_keys));
}

}  // namespace carbo::kernels
