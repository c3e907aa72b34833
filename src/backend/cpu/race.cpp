#include "backend/cpu/race.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "backend/cpu/race_criterion.hpp"
#include "backend/cpu/race_grid.hpp"
#include "backend/cpu/race_plan.hpp"
#include "backend/cpu/race_walk.hpp"

namespace carbo::internal {
namespace {

/// One in so many is left when a thinned part of the race ends, or one of fewer.
constexpr std::size_t shrink = 64;
/// Margins to try, as a share of a band.
constexpr double margins[] = {0.125, 1.0};

using Criteria = std::array<RaceCriterion, 2>;

/// Where one criterion finds all equal, both exclude in the other's order, and its last is left.
std::optional<std::uint32_t> last_of_one_order(std::span<const std::uint32_t> entrants, const Criteria& criteria) {
  for (std::size_t c : {by_cost, by_distance}) {
    const std::uint64_t key = criteria[1 - c].first_key(entrants.front());
    const auto equal = [&](std::uint32_t candidate) { return criteria[1 - c].first_key(candidate) == key; };
    if (!std::all_of(entrants.begin(), entrants.end(), equal)) continue;
    return *std::max_element(entrants.begin(), entrants.end(), [&](std::uint32_t a, std::uint32_t b) {
      const std::uint64_t key_a = criteria[c].first_key(a);
      const std::uint64_t key_b = criteria[c].first_key(b);
      return key_a != key_b ? key_a < key_b : a > b;
    });
  }
  return std::nullopt;
}

/// Two sorts and a walk along both.
std::uint32_t survivor(ThreadPool& pool, std::span<const std::uint32_t> entrants, const Criteria& criteria) {
  std::array<std::vector<RaceEntry>, 2> orders;
  pool.parallel_for(2, [&](std::size_t c) { orders[c] = exclusion_order(entrants, criteria[c]); });
  std::vector<std::uint8_t> out(entrants.size(), 0);
  std::array<std::size_t, 2> places{};
  const auto next = [&](std::size_t c) {
    while (out[orders[c][places[c]].rank] != 0) ++places[c];
    return orders[c][places[c]].rank;
  };
  for (std::size_t turn = 0; turn + 1 < entrants.size(); ++turn) out[next(turn % 2)] = 1;
  return entrants[next(by_cost)];
}

/// Those of the tracked who are not out, and those who stay; ascending, as both are.
std::vector<std::uint32_t> still_in(std::span<const std::uint32_t> tracked, std::span<const std::uint8_t> out,
                                    std::span<const std::uint32_t> staying) {
  std::vector<std::uint32_t> in;
  for (std::size_t rank = 0; rank < tracked.size(); ++rank)
    if (out[rank] == 0) in.push_back(tracked[rank]);
  std::vector<std::uint32_t> all(in.size() + staying.size());
  std::merge(in.begin(), in.end(), staying.begin(), staying.end(), all.begin());
  return all;
}

/// The one in `shrink` who are left when the others are out; nothing where no plan pays or none holds.
std::optional<std::vector<std::uint32_t>> thinned(ThreadPool& pool, std::span<const std::uint32_t> entrants,
                                                  const Criteria& criteria) {
  const RaceGrid grid(pool, entrants, criteria);
  if (!grid.even()) return std::nullopt;
  const double band = static_cast<double>(entrants.size()) / static_cast<double>(grid.bands());
  const std::size_t turns = (entrants.size() - std::max<std::size_t>(1, entrants.size() / shrink)) / 2 * 2;
  for (const double margin : margins) {
    const RacePlan plan = plan_race(grid.counts(), grid.bands(), turns, margin * band);
    if (grid.count(plan, RaceFate::tracked) > entrants.size() / 2) return std::nullopt;
    const std::vector<std::uint32_t> tracked = grid.collect(plan, RaceFate::tracked);
    const auto out = take_turns(plan, grid.orders(plan, tracked));
    if (out) return still_in(tracked, *out, grid.collect(plan, RaceFate::stays));
  }
  return std::nullopt;
}

}  // namespace

std::size_t run_race(ThreadPool& pool, std::span<const std::uint32_t> entrants, std::span<const double> log_costs,
                     std::span<const double> squared_distances, std::size_t thin_above) {
  const Criteria criteria{{{log_costs, squared_distances, true, false}, {squared_distances, log_costs, false, true}}};
  if (const auto last = last_of_one_order(entrants, criteria)) return *last;
  std::vector<std::uint32_t> left;
  while (entrants.size() > thin_above) {
    auto fewer = thinned(pool, entrants, criteria);
    if (!fewer) break;
    left = std::move(*fewer);
    entrants = left;
  }
  return survivor(pool, entrants, criteria);
}

}  // namespace carbo::internal
