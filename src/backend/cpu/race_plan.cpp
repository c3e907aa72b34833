#include "backend/cpu/race_plan.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace carbo::internal {
namespace {

/// By criterion and band: turns of that criterion before it comes to the band; infinite where it never does. One
/// element more than bands, for the end of the last.
using Arrivals = std::array<std::vector<double>, 2>;

/// One criterion's walk over the bands.
struct Flow {
  std::vector<double> left;  ///< by band: those in it that neither criterion has passed a whole band of
  std::size_t band = 0;
  double share = 1;  ///< of the band, not yet passed
};

Arrivals follow_walks(std::span<const std::uint32_t> counts, std::size_t bands) {
  std::array<Flow, 2> flows;
  for (Flow& flow : flows) flow.left.assign(bands, 0);
  for (std::size_t cell = 0; cell < counts.size(); ++cell)
    for (std::size_t c : {by_cost, by_distance}) flows[c].left[RacePlan::band_of(cell, c, bands)] += counts[cell];
  Arrivals arrivals;
  for (auto& arrival : arrivals) {
    arrival.assign(bands + 1, std::numeric_limits<double>::infinity());
    arrival.front() = 0;
  }
  const auto count = [&](std::size_t cost_band, std::size_t distance_band) {
    return static_cast<double>(counts[cost_band * bands + distance_band]);
  };
  const double entrants = std::accumulate(counts.begin(), counts.end(), 0.0);
  double ahead_of_both = entrants;  // in this band or later by both criteria
  while (flows[0].band < bands && flows[1].band < bands) {
    const double cell = count(flows[0].band, flows[1].band);
    std::array<double, 2> ahead;  // in the band's rest
    for (std::size_t c : {by_cost, by_distance})
      ahead[c] = std::max(0.0, flows[c].share * (flows[c].left[flows[c].band] - (1 - flows[1 - c].share) * cell));
    const double shared = std::min({flows[0].share * flows[1].share * cell, ahead[0], ahead[1]});
    // The shared ones leave both bands at once, so each band shrinks by more than one a turn.
    const std::size_t first = ahead[0] <= ahead[1] ? 0 : 1;
    Flow& done = flows[first];
    Flow& other = flows[1 - first];
    const double widest = ahead[1 - first] + shared;
    if (widest > 0) other.share *= (ahead[1 - first] - ahead[first]) / widest;
    ahead_of_both -= done.left[done.band];
    for (std::size_t b = 0; b < bands; ++b)
      other.left[b] -= first == by_cost ? count(done.band, b) : count(b, done.band);
    done.share = 1;
    // Every turn excludes one, so the clock follows from who is left.
    const double left = ahead_of_both - (1 - other.share) * other.left[other.band];
    arrivals[first][++done.band] = (entrants - left) / 2;
  }
  return arrivals;
}

}  // namespace

RacePlan plan_race(std::span<const std::uint32_t> counts, std::size_t bands, std::size_t turns, double margin) {
  const Arrivals arrivals = follow_walks(counts, bands);
  const double end = static_cast<double>(turns / 2);
  RacePlan plan;
  plan.bands = bands;
  plan.turns = turns;
  for (std::size_t c : {by_cost, by_distance}) {
    const auto& own = arrivals[c];
    const auto& other = arrivals[1 - c];
    plan.needs[c].resize(bands);
    std::uint32_t used_up = 0;
    for (std::size_t band = 0; band < bands; ++band) {
      while (used_up < bands && other[used_up + 1] + margin <= std::min(own[band], end)) ++used_up;
      plan.needs[c][band] = used_up;
    }
    plan.closed[c] = static_cast<std::size_t>(
        std::find_if(own.begin(), own.end() - 1, [&](double at) { return at >= end + margin; }) - own.begin());
  }
  plan.fates.resize(counts.size());
  for (std::size_t a = 0; a < bands; ++a)
    for (std::size_t b = 0; b < bands; ++b) {
      RaceFate& fate = plan.fates[a * bands + b];
      if (b < plan.needs[by_cost][a])
        fate = RaceFate::distance_takes;
      else if (a < plan.needs[by_distance][b])
        fate = RaceFate::cost_takes;
      else if (a >= plan.closed[by_cost] && b >= plan.closed[by_distance])
        fate = RaceFate::stays;
      else
        fate = RaceFate::tracked;
    }
  return plan;
}

}  // namespace carbo::internal
