#include "backend/cpu/race_bands.hpp"

#include <algorithm>

namespace carbo::internal {
namespace {

constexpr std::size_t samples_per_band = 16;

}  // namespace

RaceBands::RaceBands(std::span<const std::uint32_t> entrants, const RaceCriterion& criterion, std::size_t bands)
    : criterion_(criterion), bands_(bands) {
  std::vector<std::uint64_t> sample(bands * samples_per_band);
  for (std::size_t i = 0; i < sample.size(); ++i) {
    // Multiples of the golden section, because a fixed stride picks one corner out of a low-discrepancy sequence.
    const std::uint64_t fraction = ((i + 1) * 0x9e3779b97f4a7c15ull) >> 32;
    sample[i] = criterion.first_key(entrants[(fraction * entrants.size()) >> 32]);
  }
  std::sort(sample.begin(), sample.end());
  for (std::size_t band = 1; band < bands; ++band) splitters_.push_back(sample[band * samples_per_band]);
}

bool RaceBands::uneven() const {
  return std::adjacent_find(splitters_.begin(), splitters_.end()) != splitters_.end();
}

void RaceBands::find(std::span<const std::uint32_t> candidates, RaceBlock& bands) const {
  RaceBlock above{};  // a band begins at its splitter, so those of the same key are passed too
  for (std::size_t j = 0; j < candidates.size(); ++j)
    above[j] = criterion_.first_key(candidates[j]) + 1;  // no double's key is the highest integer
  bands.fill(0);
  search_block(splitters_.data(), bands_, above, bands);
}

}  // namespace carbo::internal
