#include "launch/bounds.cuh"

#include "device/bound_device.cuh"
#include "device/covariance_tile.cuh"
#include "device/grid_stride.cuh"

namespace carbo::kernels {
namespace {

__global__ void __launch_bounds__(bound_block, 1) bound_all(BoundView view, std::size_t size, BoundOutput output) {
  __shared__ BoundStage stage;
  const std::size_t blocks = (size + bound_block - 1) / bound_block;
  for (std::size_t block = blockIdx.x; block < blocks; block += gridDim.x) {
    bound_block_of(view, block * bound_block + threadIdx.x, size, block, output, stage);
    __syncthreads();
  }
}

__global__ void __launch_bounds__(bound_block, 1) bound_list(BoundView view, CandidateList list, double* ceilings) {
  const std::size_t size = list_size(list);
  for (std::size_t place = first_element(); place < size; place += element_step()) {
    const std::size_t i = list_at(list, place);
    ceilings[i] = is_exact(view, i) ? score_of(view.score, i) : ceiling_of(view, i);
  }
}

__global__ void __launch_bounds__(bound_block, 1)
    ceilings_of_all(BoundView view, std::size_t size, double* ceilings) {
  for (std::size_t i = first_element(); i < size; i += element_step())
    ceilings[i] = may_be_picked(view.score, i) ? ceiling_of(view, i) : -HUGE_VAL;
}

__global__ void __launch_bounds__(bound_block, 1)
    score_list(ScoreView view, CandidateList list, double* ceilings, BestTwo* best) {
  __shared__ BestTwo room[bound_block];
  BestTwo own = no_best();
  const std::size_t size = list_size(list);
  for (std::size_t place = first_element(); place < size; place += element_step()) {
    const std::size_t i = list_at(list, place);
    offer(own, score_of(view, i), static_cast<std::uint32_t>(i));
    ceilings[i] = -HUGE_VAL;
  }
  own = block_best(own, room);
  if (threadIdx.x == 0) best[blockIdx.x] = own;
}

}  // namespace

cudaError_t launch_bounds(cudaStream_t stream, const BoundView& view, std::size_t size, const BoundOutput& output) {
  if (size == 0) return cudaSuccess;
  bound_all<<<stride_blocks(size, most_stride_blocks, bound_block), bound_block, 0, stream>>>(view, size, output);
  return cudaGetLastError();
}

cudaError_t launch_list_bounds(cudaStream_t stream, const BoundView& view, const CandidateList& list, int resident,
                               double* ceilings) {
  if (list.size == 0) return cudaSuccess;
  bound_list<<<resident, bound_block, 0, stream>>>(view, list, ceilings);
  return cudaGetLastError();
}

cudaError_t launch_ceilings(cudaStream_t stream, const BoundView& view, std::size_t size, double* ceilings) {
  if (size == 0) return cudaSuccess;
  ceilings_of_all<<<stride_blocks(size, most_stride_blocks, bound_block), bound_block, 0, stream>>>(view, size,
                                                                                                    ceilings);
  return cudaGetLastError();
}

cudaError_t launch_list_scores(cudaStream_t stream, const ScoreView& view, const CandidateList& list, int resident,
                               double* ceilings, BestTwo* best) {
  if (list.size == 0) return cudaSuccess;
  score_list<<<resident, bound_block, 0, stream>>>(view, list, ceilings, best);
  return cudaGetLastError();
}

void add_bound_kernels(std::vector<const void*>& kernels) {
  kernels.push_back(reinterpret_cast<const void*>(bound_all));
  kernels.push_back(reinterpret_cast<const void*>(bound_list));
  kernels.push_back(reinterpret_cast<const void*>(ceilings_of_all));
  kernels.push_back(reinterpret_cast<const void*>(score_list));
}

}  // namespace carbo::kernels
