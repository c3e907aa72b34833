#include "backend/cpu/race.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "race_order.hpp"

namespace carbo::internal {
namespace {

struct Entry {
  std::uint64_t key;
  std::uint32_t candidate;
};

constexpr int digit_bits = 11;
constexpr int digits = 6;
constexpr std::size_t buckets = std::size_t{1} << digit_bits;
/// Below this a comparison sort is quicker than six passes over the counts.
constexpr std::size_t radix_threshold = 4096;

std::size_t digit_of(std::uint64_t key, int digit) { return (key >> (digit * digit_bits)) & (buckets - 1); }

/// Stable, by key; least significant digit first. `spare` has room for as many entries.
void radix_sort(std::span<Entry> entries, std::span<Entry> spare) {
  std::vector<std::array<std::uint32_t, buckets>> counts(digits);
  for (auto& count : counts) count.fill(0);
  for (const Entry& entry : entries)
    for (int d = 0; d < digits; ++d) ++counts[static_cast<std::size_t>(d)][digit_of(entry.key, d)];
  std::span<Entry> from = entries;
  std::span<Entry> to = spare.first(entries.size());
  for (int d = 0; d < digits; ++d) {
    auto& count = counts[static_cast<std::size_t>(d)];
    if (count[digit_of(entries.front().key, d)] == entries.size()) continue;
    std::uint32_t start = 0;
    for (std::uint32_t& c : count) start += std::exchange(c, start);
    for (const Entry& entry : from) to[count[digit_of(entry.key, d)]++] = entry;
    std::swap(from, to);
  }
  if (from.data() != entries.data()) std::copy(from.begin(), from.end(), entries.begin());
}

void stable_sort_by_key(std::span<Entry> entries, std::span<Entry> spare) {
  if (entries.size() >= radix_threshold) return radix_sort(entries, spare);
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.key < b.key; });
}

/// Entrants in the order in which one criterion excludes them: ascending first_key, then second_key, then the higher
/// index. Entries start with the highest index and every sort is stable, so runs of equal keys stay so.
template <class FirstKey, class SecondKey>
std::vector<Entry> exclusion_order(std::span<const std::uint32_t> entrants, const FirstKey& first_key,
                                   const SecondKey& second_key) {
  std::vector<Entry> entries(entrants.size());
  std::vector<Entry> spare(entrants.size());
  for (std::size_t i = 0; i < entrants.size(); ++i) {
    const std::uint32_t candidate = entrants[entrants.size() - 1 - i];
    entries[i] = {first_key(candidate), candidate};
  }
  stable_sort_by_key(entries, spare);
  for (std::size_t begin = 0; begin < entries.size();) {
    std::size_t end = begin + 1;
    while (end < entries.size() && entries[end].key == entries[begin].key) ++end;
    if (end - begin > 1) {
      const std::span<Entry> run(entries.data() + begin, end - begin);
      for (Entry& entry : run) entry.key = second_key(entry.candidate);
      stable_sort_by_key(run, spare);
    }
    begin = end;
  }
  return entries;
}

/// One criterion's walk along its order.
struct Walk {
  std::vector<Entry> order;
  std::size_t position = 0;

  /// First of the order that is still in.
  std::uint32_t next(const std::vector<std::uint8_t>& out) {
    while (out[order[position].candidate] != 0) ++position;
    return order[position].candidate;
  }
};

}  // namespace

std::size_t run_race(ThreadPool& pool, std::span<const std::uint32_t> entrants, std::span<const double> log_costs,
                     std::span<const double> squared_distances) {
  const auto dearest = [&](std::uint32_t c) { return kernels::descending_key(log_costs[c]); };
  const auto closest = [&](std::uint32_t c) { return kernels::ascending_key(squared_distances[c]); };
  Walk by_cost;
  Walk by_distance;
  pool.parallel_for(2, [&](std::size_t which) {
    if (which == 0) by_cost.order = exclusion_order(entrants, dearest, closest);
    if (which == 1) by_distance.order = exclusion_order(entrants, closest, dearest);
  });
  std::vector<std::uint8_t> out(static_cast<std::size_t>(entrants.back()) + 1, 0);
  for (std::size_t excluded = 0; excluded + 1 < entrants.size(); ++excluded) {
    Walk& turn = excluded % 2 == 0 ? by_cost : by_distance;
    out[turn.next(out)] = 1;
  }
  return by_cost.next(out);
}

}  // namespace carbo::internal
