#include "launch/bounds.cuh"

#include "device/bound_device.cuh"
#include "device/contender_device.cuh"
#include "device/covariance_tile.cuh"
#include "device/grid_stride.cuh"
#include "device/launch_under.cuh"

namespace carbo::kernels {
namespace {

template <class Score>
__global__ void __launch_bounds__(bound_block, 1) bound_all(BoundView view, std::size_t size, BoundOutput output) {
  __shared__ BoundStage stage;
  const std::size_t blocks = (size + bound_block - 1) / bound_block;
  for (std::size_t block = blockIdx.x; block < blocks; block += gridDim.x) {
    bound_block_of<Score>(view, block * bound_block + threadIdx.x, size, block, output, stage);
    __syncthreads();
  }
}

template <class Score>
__global__ void __launch_bounds__(bound_block, 1)
    bound_list(BoundView view, CandidateList list, ContenderView contenders, double* ceilings,
               ContenderCounts counts) {
  __shared__ unsigned own[age_classes];
  if (threadIdx.x < age_classes) own[threadIdx.x] = 0;
  __syncthreads();
  const ListShare share = list_share(list_size(list));
  for (std::size_t place = share.first + threadIdx.x; place < share.end; place += bound_block) {
    const std::size_t i = list_at(list, place);
    const double ceiling = is_exact(view, i) ? score_of<Score>(view.score, i) : ceiling_of<Score>(view, i);
    ceilings[i] = ceiling;
    if (reaches(contenders, ceiling)) atomicAdd(&own[age_class(contenders, i)], 1u);
  }
  store_counts(own, counts);
}

template <class Score>
__global__ void __launch_bounds__(bound_block, 1)
    ceilings_of_all(BoundView view, std::size_t size, double* ceilings) {
  for (std::size_t i = first_element(); i < size; i += element_step())
    ceilings[i] = may_be_picked(view.score, i) ? ceiling_of<Score>(view, i) : -HUGE_VAL;
}

template <class Score>
__global__ void __launch_bounds__(bound_block, 1)
    score_list(ScoreView view, CandidateList list, double* ceilings, BestTwo* best) {
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
}

}  // namespace

cudaError_t launch_bounds(cudaStream_t stream, const BoundView& view, std::size_t size, const BoundOutput& output) {
  if (size == 0) return cudaSuccess;
  return launch_under(view.score, [&](auto score) {
    bound_all<typename decltype(score)::type>
        <<<stride_blocks(size, most_stride_blocks, bound_block), bound_block, 0, stream>>>(view, size, output);
  });
}

cudaError_t launch_list_bounds(cudaStream_t stream, const BoundView& view, const CandidateList& list,
                               const ContenderView& contenders, double* ceilings, const ContenderCounts& counts) {
  if (list.size == 0) return cudaSuccess;
  return launch_under(view.score, [&](auto score) {
    bound_list<typename decltype(score)::type>
        <<<counts.blocks, bound_block, 0, stream>>>(view, list, contenders, ceilings, counts);
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
                               double* ceilings, BestTwo* best) {
  if (list.size == 0) return cudaSuccess;
  return launch_under(view, [&](auto score) {
    score_list<typename decltype(score)::type><<<resident, bound_block, 0, stream>>>(view, list, ceilings, best);
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
