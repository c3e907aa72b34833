#include "launch/race_sort.cuh"

#include <thrust/execution_policy.h>
#include <thrust/sort.h>
#include <thrust/system_error.h>

namespace carbo::kernels {
namespace {

/// What Thrust calls an allocator.
struct ThrustMemory {
  using value_type = char;

  TemporaryMemory* memory;

  char* allocate(std::ptrdiff_t bytes) {
    return static_cast<char*>(memory->allocate(static_cast<std::size_t>(bytes > 0 ? bytes : 1)));
  }
  void deallocate(char* block, std::size_t) { memory->release(block); }
};

/// Sorts ranks by their first criterion, ties by the other, then the highest first: stable sorts, the last first.
/// Goes no further where a launch fails, because ranks that were not written are no indices. Thrust throws
/// system_error.
cudaError_t sort_ranks(cudaStream_t stream, ThrustMemory& memory, const ExclusionOrders& orders, RaceCriterion first,
                       std::uint32_t* ranks) {
  const RaceCriterion second = first == RaceCriterion::cost ? RaceCriterion::distance : RaceCriterion::cost;
  if (const cudaError_t error = launch_reversed_ranks(stream, orders.count, ranks); error != cudaSuccess)
    return error;
  for (const RaceCriterion criterion : {second, first}) {
    if (const cudaError_t error = launch_race_keys(stream, orders, criterion, ranks); error != cudaSuccess)
      return error;
    thrust::stable_sort_by_key(thrust::cuda::par_nosync(memory).on(stream), orders.keys, orders.keys + orders.count,
                               ranks);
    if (const cudaError_t error = cudaGetLastError(); error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

}  // namespace

cudaError_t sort_exclusion_orders(cudaStream_t stream, TemporaryMemory& memory, const ExclusionOrders& orders) {
  if (orders.count == 0) return cudaSuccess;
  ThrustMemory thrust_memory{&memory};
  try {
    cudaError_t error = sort_ranks(stream, thrust_memory, orders, RaceCriterion::cost, orders.by_cost);
    if (error == cudaSuccess)
      error = sort_ranks(stream, thrust_memory, orders, RaceCriterion::distance, orders.by_distance);
    if (error != cudaSuccess) return error;
  } catch (const thrust::system_error& error) {
    return static_cast<cudaError_t>(error.code().value());
  }
  return launch_race_places(stream, orders);
}

}  // namespace carbo::kernels
