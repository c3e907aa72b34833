#include <cmath>

#include "device/best_two.cuh"
#include "device/grid_stride.cuh"
#include "device/launch_under.cuh"
#include "device/score_device.cuh"
#include "launch/scores.cuh"

namespace carbo::kernels {
namespace {

template <class Score, class Real>
__global__ void __launch_bounds__(bound_block, 1)
    scores_kernel(ScoreView view, std::size_t first, std::size_t count, Real* scores) {
  for (std::size_t i = first_element(); i < count; i += element_step())
    scores[i] = static_cast<Real>(may_be_picked(view, first + i) ? score_of<Score>(view, first + i) : -HUGE_VAL);
}

template <class Real>
cudaError_t start_scores(cudaStream_t stream, const ScoreView& view, std::size_t first, std::size_t count,
                         Real* scores) {
  if (count == 0) return cudaSuccess;
  return launch_under(view, [&](auto score) {
    using Score = typename decltype(score)::type;
    scores_kernel<Score><<<stride_blocks(count, most_stride_blocks, bound_block), bound_block, 0, stream>>>(
        view, first, count, scores);
  });
}

template <class Score>
__global__ void __launch_bounds__(bound_block, 4) best_kernel(ScoreView view, std::size_t size, BestTwo* partials) {
  __shared__ BestTwo room[bound_block];
  BestTwo own = no_best();
  for (std::size_t i = first_element(); i < size; i += element_step())
    if (may_be_picked(view, i)) offer(own, score_of<Score>(view, i), static_cast<std::uint32_t>(i));
  own = block_best(own, room);
  if (threadIdx.x == 0) partials[blockIdx.x] = own;
}

}  // namespace

cudaError_t launch_scores(cudaStream_t stream, const ScoreView& view, std::size_t first, std::size_t count,
                          double* scores) {
  return start_scores(stream, view, first, count, scores);
}

cudaError_t launch_scores(cudaStream_t stream, const ScoreView& view, std::size_t first, std::size_t count,
                          float* scores) {
  return start_scores(stream, view, first, count, scores);
}

cudaError_t launch_best(cudaStream_t stream, const ScoreView& view, std::size_t size, BestTwo* partials,
                        PickState* state) {
  if (size == 0) return cudaSuccess;
  const unsigned blocks = stride_blocks(size, best_partials, bound_block);
  const cudaError_t error = launch_under(view, [&](auto score) {
    using Score = typename decltype(score)::type;
    best_kernel<Score><<<blocks, bound_block, 0, stream>>>(view, size, partials);
  });
  return error == cudaSuccess ? launch_reduce_best(stream, partials, blocks, {nullptr, false, 2, -HUGE_VAL, state})
                              : error;
}

void add_score_kernels(std::vector<const void*>& kernels) {
  for_each_score([&](auto score) {
    using Score = typename decltype(score)::type;
    kernels.push_back(reinterpret_cast<const void*>(scores_kernel<Score, double>));
    kernels.push_back(reinterpret_cast<const void*>(scores_kernel<Score, float>));
    kernels.push_back(reinterpret_cast<const void*>(best_kernel<Score>));
  });
}

}  // namespace carbo::kernels
