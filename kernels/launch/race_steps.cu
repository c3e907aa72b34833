#include "launch/race_steps.cuh"

#include "device/grid_stride.cuh"
#include "formulas/sort_keys.hpp"

namespace carbo::kernels {
namespace {

__global__ void __launch_bounds__(stride_threads)
    entrants_kernel(const std::uint8_t* mask, const double* log_costs, double limit, std::size_t count,
                    std::uint8_t* flags) {
  for (std::size_t i = first_element(); i < count; i += element_step())
    flags[i] = mask[i] != 0 && log_costs[i] <= limit ? 1 : 0;
}

/// Ranks among the entrants, highest first.
__global__ void __launch_bounds__(stride_threads) reversed_ranks_kernel(std::size_t count, std::uint32_t* ranks) {
  for (std::size_t i = first_element(); i < count; i += element_step())
    ranks[i] = static_cast<std::uint32_t>(count - 1 - i);
}

__global__ void __launch_bounds__(stride_threads)
    keys_kernel(ExclusionOrders orders, RaceCriterion criterion, const std::uint32_t* ranks) {
  for (std::size_t i = first_element(); i < orders.count; i += element_step()) {
    const std::uint32_t candidate = orders.entrants[ranks[i]];
    orders.keys[i] = criterion == RaceCriterion::cost ? descending_key(orders.log_costs[candidate])
                                                      : ascending_key(orders.squared_distances[candidate]);
  }
}

__global__ void __launch_bounds__(stride_threads)
    inverse_kernel(const std::uint32_t* ranks, std::size_t count, std::uint32_t* inverse) {
  for (std::size_t i = first_element(); i < count; i += element_step())
    inverse[ranks[i]] = static_cast<std::uint32_t>(i);
}

/// Place of each rank by the inverse of the other order; then ranks become candidates.
__global__ void __launch_bounds__(stride_threads)
    places_kernel(const std::uint32_t* entrants, std::size_t count, const std::uint32_t* inverse,
                  std::uint32_t* ranks, std::uint32_t* places) {
  for (std::size_t i = first_element(); i < count; i += element_step()) {
    const std::uint32_t rank = ranks[i];
    places[i] = inverse[rank];
    ranks[i] = entrants[rank];
  }
}

}  // namespace

cudaError_t launch_entrants(cudaStream_t stream, const std::uint8_t* mask, const double* log_costs, double limit,
                            std::size_t count, std::uint8_t* flags) {
  if (count == 0) return cudaSuccess;
  entrants_kernel<<<stride_blocks(count), stride_threads, 0, stream>>>(mask, log_costs, limit, count, flags);
  return cudaGetLastError();
}

cudaError_t launch_reversed_ranks(cudaStream_t stream, std::size_t count, std::uint32_t* ranks) {
  if (count == 0) return cudaSuccess;
  reversed_ranks_kernel<<<stride_blocks(count), stride_threads, 0, stream>>>(count, ranks);
  return cudaGetLastError();
}

cudaError_t launch_race_keys(cudaStream_t stream, const ExclusionOrders& orders, RaceCriterion criterion,
                             const std::uint32_t* ranks) {
  if (orders.count == 0) return cudaSuccess;
  keys_kernel<<<stride_blocks(orders.count), stride_threads, 0, stream>>>(orders, criterion, ranks);
  return cudaGetLastError();
}

cudaError_t launch_race_places(cudaStream_t stream, const ExclusionOrders& orders) {
  if (orders.count == 0) return cudaSuccess;
  // The keys are used up; both inverses fit into their room.
  auto* const inverse_by_cost = reinterpret_cast<std::uint32_t*>(orders.keys);
  std::uint32_t* const inverse_by_distance = inverse_by_cost + orders.count;
  const unsigned blocks = stride_blocks(orders.count);
  inverse_kernel<<<blocks, stride_threads, 0, stream>>>(orders.by_cost, orders.count, inverse_by_cost);
  inverse_kernel<<<blocks, stride_threads, 0, stream>>>(orders.by_distance, orders.count, inverse_by_distance);
  places_kernel<<<blocks, stride_threads, 0, stream>>>(orders.entrants, orders.count, inverse_by_distance,
                                                       orders.by_cost, orders.places);
  places_kernel<<<blocks, stride_threads, 0, stream>>>(orders.entrants, orders.count, inverse_by_cost,
                                                       orders.by_distance, orders.places + orders.count);
  return cudaGetLastError();
}

void add_race_kernels(std::vector<const void*>& kernels) {
  for (const void* kernel :
       {reinterpret_cast<const void*>(entrants_kernel), reinterpret_cast<const void*>(reversed_ranks_kernel),
        reinterpret_cast<const void*>(keys_kernel), reinterpret_cast<const void*>(inverse_kernel),
        reinterpret_cast<const void*>(places_kernel)})
    kernels.push_back(kernel);
}

}  // namespace carbo::kernels
