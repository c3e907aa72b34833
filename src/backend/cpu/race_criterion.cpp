#include "backend/cpu/race_criterion.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace carbo::internal {
namespace {

constexpr int digit_bits = 11;
constexpr int digits = 6;
constexpr std::size_t buckets = std::size_t{1} << digit_bits;
/// Below this a comparison sort is quicker than six passes over the counts.
constexpr std::size_t radix_threshold = 4096;

std::size_t digit_of(std::uint64_t key, int digit) { return (key >> (digit * digit_bits)) & (buckets - 1); }

/// Stable, by key; least significant digit first. `spare` has room for as many entries.
void radix_sort(std::span<RaceEntry> entries, std::span<RaceEntry> spare) {
  std::vector<std::array<std::uint32_t, buckets>> counts(digits);
  for (auto& count : counts) count.fill(0);
  for (const RaceEntry& entry : entries)
    for (int d = 0; d < digits; ++d) ++counts[static_cast<std::size_t>(d)][digit_of(entry.key, d)];
  std::span<RaceEntry> from = entries;
  std::span<RaceEntry> to = spare.first(entries.size());
  for (int d = 0; d < digits; ++d) {
    auto& count = counts[static_cast<std::size_t>(d)];
    if (count[digit_of(entries.front().key, d)] == entries.size()) continue;
    std::uint32_t start = 0;
    for (std::uint32_t& c : count) start += std::exchange(c, start);
    for (const RaceEntry& entry : from) to[count[digit_of(entry.key, d)]++] = entry;
    std::swap(from, to);
  }
  if (from.data() != entries.data()) std::copy(from.begin(), from.end(), entries.begin());
}

void stable_sort_by_key(std::span<RaceEntry> entries, std::span<RaceEntry> spare) {
  if (entries.size() >= radix_threshold) return radix_sort(entries, spare);
  std::stable_sort(entries.begin(), entries.end(),
                   [](const RaceEntry& a, const RaceEntry& b) { return a.key < b.key; });
}

}  // namespace

std::vector<RaceEntry> exclusion_order(std::span<const std::uint32_t> candidates, const RaceCriterion& criterion) {
  std::vector<RaceEntry> entries(candidates.size());
  std::vector<RaceEntry> spare(candidates.size());
  // The highest index stands first and every sort is stable, so runs of equal keys stay so.
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const std::size_t rank = candidates.size() - 1 - i;
    entries[i] = {criterion.first_key(candidates[rank]), static_cast<std::uint32_t>(rank)};
  }
  stable_sort_by_key(entries, spare);
  for (std::size_t begin = 0; begin < entries.size();) {
    std::size_t end = begin + 1;
    while (end < entries.size() && entries[end].key == entries[begin].key) ++end;
    if (end - begin > 1) {
      const std::span<RaceEntry> run(entries.data() + begin, end - begin);
      const std::uint64_t first_key = run.front().key;
      for (RaceEntry& entry : run) entry.key = criterion.second_key(candidates[entry.rank]);
      stable_sort_by_key(run, spare);
      for (RaceEntry& entry : run) entry.key = first_key;
    }
    begin = end;
  }
  return entries;
}

}  // namespace carbo::internal
