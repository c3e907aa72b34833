#include "backend/cuda/race.hpp"

#include <cstdint>
#include <span>
#include <vector>

#include "backend/checks.hpp"
#include "launch/race_sort.cuh"
#include "launch/sorting.cuh"

namespace carbo::internal {
namespace {

class SortMemory final : public kernels::TemporaryMemory {
 public:
  explicit SortMemory(DeviceMemory& memory) : memory_(memory) {}
  void* allocate(std::size_t bytes) override { return memory_.allocate(bytes); }
  void release(void* memory) noexcept override { memory_.release(memory); }

 private:
  DeviceMemory& memory_;
};

struct Entrants {
  DeviceBuffer<std::uint32_t> candidates;  ///< ascending; room for all
  std::size_t count = 0;
};

Entrants find_entrants(const Context& context, const CudaCandidates& candidates, const CudaField& log_cost,
                       double limit) {
  const std::size_t size = candidates.size();
  Entrants entrants{context.buffer<std::uint32_t>(size), 0};
  auto flags = context.buffer<std::uint8_t>(size);
  auto count = context.buffer<std::uint64_t>(1);
  context.check(
      kernels::launch_entrants(context.stream(), candidates.mask(), log_cost.mean_row(0), limit, size, flags.data()),
      "finding who races");
  const auto select = [&](void* workspace, std::size_t& bytes) {
    context.check(kernels::select_flagged(context.stream(), workspace, bytes, flags.data(),
                                          entrants.candidates.data(), count.data(), size),
                  "gathering who races");
  };
  std::size_t bytes = 0;
  select(nullptr, bytes);
  auto workspace = context.buffer<std::byte>(bytes);
  select(workspace.data(), bytes);
  entrants.count = context.download_one(count.data());
  return entrants;
}

/// Place in the order by cost of the one who is left. Each span holds, along one order, the places in the other. Who
/// stands before the other walk's place is out, and nobody else is, so the walk reads both spans once from their
/// start and keeps no list of who is out.
///
/// Why on the host: of n entrants, 8n bytes pass the bus, for 10^5 some 50 µs at 16 GB/s and for 10^8 50 ms; the walk
/// itself takes 6 to 9 ns an entrant, 0.6 ms and 0.9 s. On the device it is one thread with about 2n steps in a row,
/// each of which waits some 20 ns for a number even from shared memory: 4 ms and 4 s.
std::size_t walk(std::span<const std::uint32_t> along_cost, std::span<const std::uint32_t> along_distance) {
  std::uint32_t cost_place = 0, distance_place = 0;
  const auto pass_those_out = [](std::span<const std::uint32_t> along, std::uint32_t& place, std::uint32_t other) {
    while (along[place] < other) ++place;
  };
  for (std::size_t turn = 0; turn + 1 < along_cost.size(); ++turn) {
    if (turn % 2 == 0) {
      pass_those_out(along_cost, cost_place, distance_place);
      ++cost_place;
    } else {
      pass_those_out(along_distance, distance_place, cost_place);
      ++distance_place;
    }
  }
  pass_those_out(along_cost, cost_place, distance_place);
  return cost_place;
}

}  // namespace

std::size_t run_cuda_race(const CudaCandidates& candidates, const CudaField& log_cost, double log_cost_limit) {
  check_size(log_cost.size(), candidates.size(), "race, candidates of the log cost's field");
  check_size(log_cost.means(), 1, "race, means of the log cost's field");
  check_has_values(log_cost, "race, log cost");
  const Context& context = candidates.context();
  const DeviceScope scope(context);
  const Entrants entrants = find_entrants(context, candidates, log_cost, log_cost_limit);
  if (entrants.count == 0) return Scored::none;
  auto keys = context.buffer<std::uint64_t>(entrants.count);
  auto by_cost = context.buffer<std::uint32_t>(entrants.count);
  auto by_distance = context.buffer<std::uint32_t>(entrants.count);
  auto device_places = context.buffer<std::uint32_t>(2 * entrants.count);
  kernels::ExclusionOrders orders;
  orders.entrants = entrants.candidates.data();
  orders.count = entrants.count;
  orders.log_costs = log_cost.mean_row(0);
  orders.squared_distances = candidates.squared_distances_to_design();
  orders.keys = keys.data();
  orders.by_cost = by_cost.data();
  orders.by_distance = by_distance.data();
  orders.places = device_places.data();
  SortMemory memory(*context.memory());
  context.check(kernels::sort_exclusion_orders(context.stream(), memory, orders), "ordering the race");
  std::vector<std::uint32_t> places(2 * entrants.count);
  context.download<std::uint32_t>(places, device_places.data());
  const std::span<const std::uint32_t> all(places);
  return context.download_one(by_cost.data() + walk(all.first(entrants.count), all.last(entrants.count)));
}

}  // namespace carbo::internal
