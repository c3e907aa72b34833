#include "launch/bounds.cuh"

#include "device/bound_device.cuh"
#include "device/grid_stride.cuh"
#include "device/launch_under.cuh"
#include "device/ordered_list.cuh"
#include "device/select_seeds.cuh"

namespace carbo::kernels {
namespace {

template <class Score>
__global__ void __launch_bounds__(bound_block, 1)
    bound_all(BoundView view, std::size_t size, BoundOutput output, BestTarget target, SeedTarget seeds) {
  __shared__ BoundStage stage;
  const std::size_t blocks = (size + bound_block - 1) / bound_block;
  for (std::size_t block = blockIdx.x; block < blocks; block += gridDim.x) {
    bound_block_of<Score>(view, block * bound_block + threadIdx.x, size, block, output, stage);
    __syncthreads();
  }
  if (!is_last_block(target.arrived)) return;
  reduce_parts(output.best, blocks, target, stage.exact);
  select_seeds<bound_block>(output, blocks, seeds);
}

/// `range`: null, or where those that are left are counted by height.
template <class Score>
__global__ void __launch_bounds__(bound_block, 1)
    bound_list(BoundView view, CandidateList list, ContenderView contenders, double* ceilings, BlockProgress progress,
               ChunkRange* range, ListBuffer kept) {
  __shared__ unsigned bins[bin_count];
  for (int bin = threadIdx.x; bin < bin_count; bin += bound_block) bins[bin] = 0;
  const unsigned turn = block_turn(progress);
  const ListShare share = list_share(list_size(list), turn);
  for (std::size_t place = share.first + threadIdx.x; place < share.end; place += bound_block) {
    const std::size_t i = list_at(list, place);
    const double ceiling = is_exact(view, i) ? score_of<Score>(view.score, i) : ceiling_of<Score>(view, i);
    ceilings[i] = ceiling;
    if (range != nullptr && reaches(contenders, ceiling)) atomicAdd(&bins[bin_of(contenders, *range, ceiling)], 1u);
  }
  __syncthreads();
  for (int bin = threadIdx.x; range != nullptr && bin < bin_count; bin += bound_block)
    if (bins[bin] > 0) atomicAdd(&range->bins[bin], bins[bin]);
  keep_in_order<bound_block>(list, share, turn, progress, kept,
                             [&](std::size_t i) { return reaches(contenders, ceilings[i]); });
}

template <class Score>
__global__ void __launch_bounds__(bound_block, 1)
    ceilings_of_all(BoundView view, std::size_t size, double* ceilings) {
  for (std::size_t i = first_element(); i < size; i += element_step())
    ceilings[i] = may_be_picked(view.score, i) ? ceiling_of<Score>(view, i) : -HUGE_VAL;
}

/// By the last block of threads, after the state is made.
__device__ inline void keep_pick(const PickState& state, const PickTarget& pick) {
  const std::uint32_t picked = state.best.index[0];
  const std::size_t row = picked == no_candidate ? 0 : picked;
  const int columns = pick.point == nullptr ? 0 : pick.candidates.columns;
  for (int c = static_cast<int>(threadIdx.x); c < columns; c += bound_block)
    pick.point[c] = coordinate(pick.candidates, row, c);
  if (threadIdx.x != 0) return;
  pick.record->state = state;
  if (pick.mask != nullptr && picked != no_candidate) pick.mask[picked] = 0;
  const RoundLength& round = pick.round;
  if (round.log_cost == nullptr) return;
  const double before = round.begins ? round.before : *round.log_cost;
  const bool lengthens = round.log_costs != nullptr && picked != no_candidate && before < round.log_costs[picked];
  *round.log_cost = lengthens ? round.log_costs[picked] : before;
}

template <class Score>
__global__ void __launch_bounds__(bound_block, 1) score_list(ScoreView view, CandidateList list, double* ceilings,
                                                             BestTwo* best, BestTarget target, PickTarget pick) {
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
  if (!is_last_block(target.arrived)) return;
  reduce_parts(best, gridDim.x, target, room);
  __syncthreads();
  if (pick.record != nullptr) keep_pick(*target.state, pick);
}

}  // namespace

cudaError_t launch_bounds(cudaStream_t stream, const BoundView& view, std::size_t size, const BoundOutput& output,
                          const BestTarget& target, const SeedTarget& seeds) {
  if (size == 0) return cudaSuccess;
  return launch_under(view.score, [&](auto score) {
    bound_all<typename decltype(score)::type>
        <<<stride_blocks(size, most_stride_blocks, bound_block), bound_block, 0, stream>>>(view, size, output, target,
                                                                                           seeds);
  });
}

cudaError_t launch_list_bounds(cudaStream_t stream, const BoundView& view, const CandidateList& list,
                               const ContenderView& contenders, double* ceilings, const BlockProgress& progress,
                               int blocks, ChunkRange* range, const ListBuffer& kept) {
  if (list.size == 0) return cudaSuccess;
  return launch_under(view.score, [&](auto score) {
    bound_list<typename decltype(score)::type>
        <<<blocks, bound_block, 0, stream>>>(view, list, contenders, ceilings, progress, range, kept);
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
                               double* ceilings, BestTwo* best, const BestTarget& target, const PickTarget& pick) {
  if (list.size == 0) return cudaSuccess;
  return launch_under(view, [&](auto score) {
    score_list<typename decltype(score)::type>
        <<<resident, bound_block, 0, stream>>>(view, list, ceilings, best, target, pick);
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
