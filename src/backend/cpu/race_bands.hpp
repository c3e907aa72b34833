#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "backend/cpu/race_criterion.hpp"

namespace carbo::internal {

/// Searches run a block at a time and without branches, so that their loads overlap.
constexpr std::size_t race_block = 64;
using RaceBlock = std::array<std::uint64_t, race_block>;

/// Moves each place past the keys in `sorted` that are below its own key, at most reach − 1 of them. `reach`: a power
/// of 2; reads sorted[place] … sorted[place + reach − 2].
inline void search_block(const std::uint64_t* sorted, std::size_t reach, const RaceBlock& keys, RaceBlock& places) {
  for (std::size_t half = reach / 2; half > 0; half /= 2)
    for (std::size_t j = 0; j < race_block; ++j)
      places[j] += half & (std::uint64_t{0} - static_cast<std::uint64_t>(sorted[places[j] + half - 1] < keys[j]));
}

/// The cut of one criterion's order into bands.
class RaceBands {
 public:
  /// About equally many of `entrants` in each band, judged by a sample; those of equal first keys share a band.
  /// `bands`: a power of 2. `criterion` must outlive this.
  RaceBands(std::span<const std::uint32_t> entrants, const RaceCriterion& criterion, std::size_t bands);

  /// Whether some band is empty, because one key is as frequent as two bands.
  bool uneven() const;

  /// At most one block of candidates; as many bands are set.
  void find(std::span<const std::uint32_t> candidates, RaceBlock& bands) const;

 private:
  const RaceCriterion& criterion_;
  std::size_t bands_;
  std::vector<std::uint64_t> splitters_;  ///< bands − 1 first keys, ascending; a band begins at its splitter
};

}  // namespace carbo::internal
