#include "launch/bounds.cuh"

#include "device/block_order.cuh"
#include "device/bound_device.cuh"
#include "device/contender_device.cuh"
#include "device/covariance_tile.cuh"
#include "device/grid_stride.cuh"
#include "device/launch_under.cuh"

namespace carbo::kernels {
namespace {

template <class Score>
__global__ void __launch_bounds__(bound_block, 1)
    bound_all(BoundView view, std::size_t size, BoundOutput output, BestTarget target) {
  __shared__ BoundStage stage;
  const std::size_t blocks = (size + bound_block - 1) / bound_block;
  for (std::size_t block = blockIdx.x; block < blocks; block += gridDim.x) {
    bound_block_of<Score>(view, block * bound_block + threadIdx.x, size, block, output, stage);
    __syncthreads();
  }
  if (is_last_block(target.arrived)) reduce_parts(output.best, blocks, target, stage.exact);
}

template <class Score>
__global__ void __launch_bounds__(bound_block, 1)
    bound_list(BoundView view, CandidateList list, ContenderView contenders, double* ceilings, BlockProgress progress,
               ListBuffer kept) {
  constexpr int warp = 32, warps = bound_block / warp;
  __shared__ unsigned in_warp[warps];
  const unsigned turn = block_turn(progress);
  const ListShare share = list_share(list_size(list), turn);
  unsigned own = 0;
  for (std::size_t place = share.first + threadIdx.x; place < share.end; place += bound_block) {
    const std::size_t i = list_at(list, place);
    const double ceiling = is_exact(view, i) ? score_of<Score>(view.score, i) : ceiling_of<Score>(view, i);
    ceilings[i] = ceiling;
    if (reaches(contenders, ceiling)) ++own;
  }
  const int lane = threadIdx.x % warp, own_warp = threadIdx.x / warp;
  for (int step = warp / 2; step > 0; step /= 2) own += __shfl_down_sync(0xffffffffu, own, step);
  if (lane == 0) in_warp[own_warp] = own;
  __syncthreads();
  unsigned counted = 0;
  for (int w = 0; w < warps; ++w) counted += in_warp[w];
  std::uint64_t place_of = counted_before(progress, turn, counted);
  if (turn + 1 == gridDim.x && threadIdx.x == 0) *kept.count = place_of + counted;
  for (std::size_t start = share.first; start < share.end; start += bound_block) {
    const std::size_t place = start + threadIdx.x;
    const std::size_t i = place < share.end ? list_at(list, place) : 0;
    const bool keeps = place < share.end && reaches(contenders, ceilings[i]);
    const unsigned votes = __ballot_sync(0xffffffffu, keeps);
    __syncthreads();
    if (lane == 0) in_warp[own_warp] = __popc(votes);
    __syncthreads();
    unsigned before = __popc(votes & ((1u << lane) - 1u)), all = 0;
    for (int w = 0; w < warps; ++w) {
      if (w < own_warp) before += in_warp[w];
      all += in_warp[w];
    }
    if (keeps) kept.indices[place_of + before] = static_cast<std::uint32_t>(i);
    place_of += all;
  }
  end_turns(progress);
}

template <class Score>
__global__ void __launch_bounds__(bound_block, 1)
    ceilings_of_all(BoundView view, std::size_t size, double* ceilings) {
  for (std::size_t i = first_element(); i < size; i += element_step())
    ceilings[i] = may_be_picked(view.score, i) ? ceiling_of<Score>(view, i) : -HUGE_VAL;
}

template <class Score>
__global__ void __launch_bounds__(bound_block, 1)
    score_list(ScoreView view, CandidateList list, double* ceilings, BestTwo* best, BestTarget target) {
  __shared__ BestTwo room[bound_block];
  BestTwo own = no_best();
  const std::size_t size = list_size(list);
  for (std::size_t place = first_element(); place < size; place += element_step()) {
    const std::size_t i = list_at(list, place);
    // Whether the cost is below its limit may be known only now.
    if (may_be_picked(view, i)) offer(own, score_of<Score>(view, i), static_cast<std::uint32_t>(i));
    ceilings[i] = -HUGE_VAL;
  }
  own = block_best(own, room);
  if (threadIdx.x == 0) best[blockIdx.x] = own;
  if (is_last_block(target.arrived)) reduce_parts(best, gridDim.x, target, room);
}

}  // namespace

cudaError_t launch_bounds(cudaStream_t stream, const BoundView& view, std::size_t size, const BoundOutput& output,
                          const BestTarget& target) {
  if (size == 0) return cudaSuccess;
  return launch_under(view.score, [&](auto score) {
    bound_all<typename decltype(score)::type>
        <<<stride_blocks(size, most_stride_blocks, bound_block), bound_block, 0, stream>>>(view, size, output,
                                                                                           target);
  });
}

cudaError_t launch_list_bounds(cudaStream_t stream, const BoundView& view, const CandidateList& list,
                               const ContenderView& contenders, double* ceilings, const BlockProgress& progress,
                               int blocks, const ListBuffer& kept) {
  if (list.size == 0) return cudaSuccess;
  return launch_under(view.score, [&](auto score) {
    bound_list<typename decltype(score)::type>
        <<<blocks, bound_block, 0, stream>>>(view, list, contenders, ceilings, progress, kept);
  });
}

cudaError_t launch_ceilings(cudaStream_t stream, const BoundView& view, std::size_t size, double* ceilings) {
  if (size == 0) return cudaSuccess;
  return launch_under(view.score, [&](auto score) {
    ceilings_of_all<typename decltype(score)::type>
        <<<stride_blocks(size, most_stride_blocks, bound_block), bound_block, 0, stream>>>(view, size, ceilings);
  });
}

cudaError_t launch_list_scores(cudaStream_t stream, const ScoreView& view, const CandidateList& list, int resident,
                               double* ceilings, BestTwo* best, const BestTarget& target) {
  if (list.size == 0) return cudaSuccess;
  return launch_under(view, [&](auto score) {
    score_list<typename decltype(score)::type>
        <<<resident, bound_block, 0, stream>>>(view, list, ceilings, best, target);
  });
}

void add_bound_kernels(std::vector<const void*>& kernels) {
  for_each_score([&](auto score) {
    using Score = typename decltype(score)::type;
    kernels.push_back(reinterpret_cast<const void*>(bound_all<Score>));
    kernels.push_back(reinterpret_cast<const void*>(bound_list<Score>));
    kernels.push_back(reinterpret_cast<const void*>(ceilings_of_all<Score>));
    kernels.push_back(reinterpret_cast<const void*>(score_list<Score>));
  });
}

}  // namespace carbo::kernels
