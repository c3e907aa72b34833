#include "backend/cpu/race_grid.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <mutex>

#include "backend/cpu/race_bands.hpp"

namespace carbo::internal {
namespace {

/// Entrants a cell, at least, while there are more bands than the fewest.
constexpr std::size_t entrants_per_cell = 16;
constexpr std::size_t fewest_bands = 32;
constexpr std::size_t most_bands = 256;

std::size_t bands_for(std::size_t entrants) {
  std::size_t bands = fewest_bands;
  while (bands < most_bands && 4 * bands * bands * entrants_per_cell <= entrants) bands *= 2;
  return bands;
}

void add_to(std::vector<std::uint32_t>& sum, std::span<const std::uint32_t> terms) {
  std::transform(sum.begin(), sum.end(), terms.begin(), sum.begin(), std::plus<>());
}

/// One thread's count of those left to a criterion between the tracked of its order.
class BetweenCounter {
 public:
  /// Both criteria's tracked keys in one array, each with room for a search to overshoot.
  struct Keys {
    std::vector<std::uint64_t> sorted;
    std::size_t reach;  ///< above the number of tracked in any band where the criterion takes a cell
    std::size_t width;  ///< from one criterion's keys to the other's
  };

  BetweenCounter(const Keys& keys, std::size_t bands, const std::array<PlannedOrder, 2>& orders,
                 std::span<const std::uint32_t> tracked, const std::array<RaceCriterion, 2>& criteria)
      : keys_(keys), bands_(bands), orders_(orders), tracked_(tracked), criteria_(criteria) {
    counts_.assign(2 * (keys.width + bands), 0);
  }

  void add(std::uint32_t candidate, std::size_t c, std::size_t band) {
    own_keys_[waiting_] = criteria_[c].first_key(candidate);
    places_[waiting_] = c * keys_.width + orders_[c].starts[band];
    slots_[waiting_] = c * bands_ + band;
    candidates_[waiting_] = candidate;
    if (++waiting_ == race_block) flush();
  }

  void flush() {
    search_block(keys_.sorted.data(), keys_.reach, own_keys_, places_);
    for (std::size_t j = 0; j < waiting_; ++j) {
      if (keys_.sorted[places_[j]] == own_keys_[j]) pass_ties(j);
      ++counts_[places_[j] + slots_[j]];
    }
    waiting_ = 0;
    places_.fill(0);
  }

  /// Element place + band of criterion c.
  std::span<const std::uint32_t> counts(std::size_t c) const {
    return {counts_.data() + c * (keys_.width + bands_), tracked_.size() + bands_};
  }

 private:
  /// Moves the place on past the tracked of the same first key and band that go before.
  void pass_ties(std::size_t j) {
    const std::size_t c = slots_[j] / bands_;
    const PlannedOrder& order = orders_[c];
    const auto begin = order.tracked.begin();
    const auto from = begin + static_cast<std::ptrdiff_t>(places_[j] - c * keys_.width);
    const auto at =
        std::partition_point(from, begin + order.starts[slots_[j] % bands_ + 1], [&](const RaceEntry& entry) {
          return entry.key == own_keys_[j] && criteria_[c].breaks_tie_before(tracked_[entry.rank], candidates_[j]);
        });
    places_[j] += static_cast<std::size_t>(at - from);
  }

  const Keys& keys_;
  std::size_t bands_;
  const std::array<PlannedOrder, 2>& orders_;
  std::span<const std::uint32_t> tracked_;
  const std::array<RaceCriterion, 2>& criteria_;
  std::vector<std::uint32_t> counts_;
  RaceBlock own_keys_{};
  RaceBlock places_{};
  RaceBlock slots_{};
  std::array<std::uint32_t, race_block> candidates_{};
  std::size_t waiting_ = 0;
};

BetweenCounter::Keys tracked_keys(const RacePlan& plan, const std::array<PlannedOrder, 2>& orders) {
  std::size_t longest = 0;
  for (std::size_t c : {by_cost, by_distance})
    for (std::size_t band = 0; band < plan.needs[1 - c].back(); ++band)
      longest = std::max<std::size_t>(longest, orders[c].starts[band + 1] - orders[c].starts[band]);
  BetweenCounter::Keys keys;
  keys.reach = std::bit_ceil(longest + 1);
  keys.width = orders[0].tracked.size() + keys.reach;
  keys.sorted.assign(2 * keys.width, ~std::uint64_t{0});
  for (std::size_t c : {by_cost, by_distance})
    std::transform(orders[c].tracked.begin(), orders[c].tracked.end(), keys.sorted.data() + c * keys.width,
                   [](const RaceEntry& entry) { return entry.key; });
  return keys;
}

}  // namespace

template <class Body>
void RaceGrid::for_ranges(const Body& body) const {
  const std::size_t ranges = pool_.threads();
  pool_.parallel_for(
      ranges, [&](std::size_t r) { body(r, r * entrants_.size() / ranges, (r + 1) * entrants_.size() / ranges); });
}

RaceGrid::RaceGrid(ThreadPool& pool, std::span<const std::uint32_t> entrants,
                   const std::array<RaceCriterion, 2>& criteria)
    : pool_(pool), entrants_(entrants), criteria_(criteria), bands_(bands_for(entrants.size())) {
  const RaceBands cost_bands(entrants, criteria[by_cost], bands_);
  const RaceBands distance_bands(entrants, criteria[by_distance], bands_);
  if (cost_bands.uneven() || distance_bands.uneven()) return;
  cells_.resize(entrants.size());
  counts_.assign(bands_ * bands_, 0);
  std::vector<std::vector<std::uint32_t>> counts(pool.threads());
  for_ranges([&](std::size_t range, std::size_t begin, std::size_t end) {
    counts[range].assign(counts_.size(), 0);
    for (std::size_t i = begin; i < end; i += race_block) {
      const auto some = entrants.subspan(i, std::min(race_block, end - i));
      RaceBlock cost;
      RaceBlock distance;
      cost_bands.find(some, cost);
      distance_bands.find(some, distance);
      for (std::size_t j = 0; j < some.size(); ++j) {
        const std::size_t cell = cost[j] * bands_ + distance[j];
        cells_[i + j] = static_cast<std::uint32_t>(cell);
        ++counts[range][cell];
      }
    }
  });
  for (const auto& part : counts) add_to(counts_, part);
}

std::size_t RaceGrid::count(const RacePlan& plan, RaceFate fate) const {
  std::size_t sum = 0;
  for (std::size_t cell = 0; cell < counts_.size(); ++cell) sum += plan.fates[cell] == fate ? counts_[cell] : 0;
  return sum;
}

std::vector<std::uint32_t> RaceGrid::collect(const RacePlan& plan, RaceFate fate) const {
  std::vector<std::vector<std::uint32_t>> parts(pool_.threads());
  for_ranges([&](std::size_t range, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      if (plan.fates[cells_[i]] == fate) parts[range].push_back(entrants_[i]);
  });
  std::vector<std::uint32_t> all;
  all.reserve(count(plan, fate));
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

std::vector<std::uint32_t> RaceGrid::tracked_starts(const RacePlan& plan, std::size_t c) const {
  std::vector<std::uint32_t> starts(bands_ + 1, 0);
  for (std::size_t cell = 0; cell < counts_.size(); ++cell)
    if (plan.fates[cell] == RaceFate::tracked) starts[RacePlan::band_of(cell, c, bands_) + 1] += counts_[cell];
  for (std::size_t band = 0; band < bands_; ++band) starts[band + 1] += starts[band];
  return starts;
}

std::array<PlannedOrder, 2> RaceGrid::orders(const RacePlan& plan, std::span<const std::uint32_t> tracked) const {
  std::array<PlannedOrder, 2> orders;
  pool_.parallel_for(2, [&](std::size_t c) {
    orders[c].tracked = exclusion_order(tracked, criteria_[c]);
    orders[c].starts = tracked_starts(plan, c);
  });
  count_untracked(plan, tracked, orders);
  return orders;
}

void RaceGrid::count_untracked(const RacePlan& plan, std::span<const std::uint32_t> tracked,
                               std::array<PlannedOrder, 2>& orders) const {
  const BetweenCounter::Keys keys = tracked_keys(plan, orders);
  for (PlannedOrder& order : orders) order.counts.assign(tracked.size() + bands_, 0);
  std::mutex summing;
  for_ranges([&](std::size_t, std::size_t begin, std::size_t end) {
    BetweenCounter counter(keys, bands_, orders, tracked, criteria_);
    for (std::size_t i = begin; i < end; ++i) {
      const auto taker = static_cast<std::size_t>(plan.fates[cells_[i]]);
      if (taker <= by_distance) counter.add(entrants_[i], taker, RacePlan::band_of(cells_[i], taker, bands_));
    }
    counter.flush();
    const std::lock_guard lock(summing);
    for (std::size_t c : {by_cost, by_distance}) add_to(orders[c].counts, counter.counts(c));
  });
}

}  // namespace carbo::internal
