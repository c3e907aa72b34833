#include "backend/cpu/race_walk.hpp"

#include <algorithm>
#include <numeric>

namespace carbo::internal {
namespace {

/// One criterion's walk along its order.
struct Walk {
  explicit Walk(PlannedOrder& own)
      : order(own), left_to_take(std::accumulate(own.counts.begin(), own.counts.end(), std::size_t{0})) {}

  PlannedOrder& order;       ///< counts are used up
  std::size_t left_to_take;  ///< sum of the order's counts
  std::size_t band = 0;      ///< bands before it are used up
  std::size_t place = 0;
  std::size_t entered = 0;  ///< bands that the plan let this walk take from

  std::uint32_t& counted() { return order.counts[place + band]; }

  void take_counted(std::size_t number) {
    counted() -= static_cast<std::uint32_t>(number);
    left_to_take -= number;
  }

  /// Moves on to the next one that is still in; false if there is none.
  bool advance(const std::vector<std::uint8_t>& out) {
    for (const std::size_t bands = order.starts.size() - 1; band < bands;) {
      if (counted() != 0) return true;
      if (place == order.starts[band + 1])
        ++band;
      else if (out[order.tracked[place].rank] == 0)
        return true;
      else
        ++place;
    }
    return false;
  }
};

/// Whether criterion c may take from the band its walk has come to. It may when nobody whom the walk does not know of
/// can come first in the true order: those left to the other criterion are out, and none in this band or before
/// stays.
bool may_enter(const RacePlan& plan, std::array<Walk, 2>& walks, std::size_t c) {
  Walk& walk = walks[c];
  if (walk.band < walk.entered) return true;
  if (walk.band >= plan.closed[c] || walks[1 - c].band < plan.needs[c][walk.band]) return false;
  walk.entered = walk.band + 1;
  return true;
}

}  // namespace

// Why a plan that is not refused gives the race's own result: by induction over the turns. Let both agree so far,
// and let criterion c be due, its walk at the first in its order of those it knows to be in. Those it does not know
// of stay, and then stand in a closed band, later in the order; or are left to the other criterion, in its bands
// before needs[c][band], as needs ascends. The other walk has used these up: they are out. So the race takes the
// same one, or one of the same uninterrupted run of counted ones, of which only the number is ever used. At the end
// all counted are out, so that who is in is known for each.
std::optional<std::vector<std::uint8_t>> take_turns(const RacePlan& plan, std::array<PlannedOrder, 2> orders) {
  std::array<Walk, 2> walks{Walk(orders[by_cost]), Walk(orders[by_distance])};
  std::vector<std::uint8_t> out(orders[0].tracked.size(), 0);
  for (std::size_t turn = 0; turn < plan.turns;) {
    const std::size_t c = turn % 2;
    Walk& walk = walks[c];
    if (!walk.advance(out) || !may_enter(plan, walks, c)) return std::nullopt;
    if (walk.counted() == 0) {
      out[walk.order.tracked[walk.place++].rank] = 1;
      ++turn;
      continue;
    }
    // While both walks stand before counted ones, neither can change what the other takes.
    Walk& next = walks[1 - c];
    const bool both = next.band < next.entered && next.counted() != 0 && turn + 1 < plan.turns;
    const std::size_t rounds =
        both ? std::min<std::size_t>({walk.counted(), next.counted(), (plan.turns - turn) / 2}) : 1;
    walk.take_counted(rounds);
    if (both) next.take_counted(rounds);
    turn += both ? 2 * rounds : 1;
  }
  if (walks[0].left_to_take + walks[1].left_to_take != 0) return std::nullopt;
  return out;
}

}  // namespace carbo::internal
