#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <cuda_runtime_api.h>

namespace carbo::kernels {

/// flags[i] becomes 1 where the mask and the limit let candidate i take part (NaN does not), else 0.
cudaError_t launch_entrants(cudaStream_t stream, const std::uint8_t* mask, const double* log_costs, double limit,
                            std::size_t count, std::uint8_t* flags);

/// The two orders in which Algorithm 1 excludes, over `count` entrants; all pointers are device memory.
struct ExclusionOrders {
  const std::uint32_t* entrants = nullptr;  ///< candidates, ascending
  std::size_t count = 0;                    ///< below 2^32
  const double* log_costs = nullptr;        ///< by candidate
  const double* squared_distances = nullptr;
  std::uint64_t* keys = nullptr;  ///< room for `count`
  /// Candidates, first excluded first. By cost: dearest first, of these the closest, then the highest index. By
  /// distance: closest first, of these the dearest, then the highest index.
  std::uint32_t* by_cost = nullptr;
  std::uint32_t* by_distance = nullptr;
  /// Place in the order by distance of each in the order by cost; then, from `count` on, the reverse.
  std::uint32_t* places = nullptr;
};

enum class RaceCriterion { cost, distance };

/// Ranks among the entrants, highest first.
cudaError_t launch_reversed_ranks(cudaStream_t stream, std::size_t count, std::uint32_t* ranks);

/// orders.keys[i]: what rank ranks[i] is sorted by.
cudaError_t launch_race_keys(cudaStream_t stream, const ExclusionOrders& orders, RaceCriterion criterion,
                             const std::uint32_t* ranks);

/// orders.places from both orders, which are ranks before and candidates afterwards. Uses the room of the keys.
cudaError_t launch_race_places(cudaStream_t stream, const ExclusionOrders& orders);

void add_race_kernels(std::vector<const void*>& kernels);

}  // namespace carbo::kernels
