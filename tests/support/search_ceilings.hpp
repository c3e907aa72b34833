#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "support/search_paths.hpp"

/// Upper bounds of a search against the exact scores of the dense pass, stage after stage of a batch.
namespace search_cases {

/// A case whose ceilings hold to the end of the batch: y_best only falls, the parameter stays, and so does a round.
inline Case lasting_case(std::uint64_t seed, Shape shape) {
  Case c = make_case(seed, shape);
  c.incumbents = IncumbentMoves::lowest_observed;
  c.alpha_changes = false;
  if (std::exchange(c.in_rounds, false)) {
    c.round_log_cost = 0.2;
    c.waiting = 3;
  }
  c.ahead = Ahead::all;
  return c;
}

struct Tally {
  std::size_t draws = 0;
  std::size_t below = 0;  ///< ceilings below an exact score
  double worst = 0;       ///< by how much, in nats
};

inline void compare(const std::vector<double>& ceilings, const std::vector<double>& scores, Tally& tally) {
  for (std::size_t i = 0; i < scores.size(); ++i) {
    ++tally.draws;
    if (ceilings[i] >= scores[i]) continue;
    ++tally.below;
    tally.worst = std::max(tally.worst, scores[i] - ceilings[i]);
  }
}

/// Ceilings of every stage against the scores of the same and of all later stages; some candidates are brought up to
/// date or finished on the way.
inline Tally play(const Case& c, const MakeBackend& make = fixture::cpu) {
  Game game(c, 0, make);
  Tally tally;
  std::vector<double> lowest(c.shape.m, HUGE_VAL);  // over the ceilings of all stages, each good to the end
  for (std::size_t stage = 0; stage < c.shape.batch; ++stage) {
    const std::vector<double> scores = game.dense.scores(game.asked());
    compare(game.bounded.ceilings(game.asked()), scores, tally);
    // Nobody is above this floor: all ceilings are the loosest there are.
    Tally loosest;
    compare(game.bounded.ceilings(game.asked(), game.announced(), HUGE_VAL), scores, loosest);
    tally.below += loosest.below;
    tally.worst = std::max(tally.worst, loosest.worst);
    const std::vector<double> ahead = game.bounded.ceilings(game.asked(), game.announced());
    for (std::size_t i = 0; i < lowest.size(); ++i) lowest[i] = std::min(lowest[i], ahead[i]);
    for (std::size_t i = 0; i < lowest.size(); ++i)
      if (scores[i] == -HUGE_VAL) lowest[i] = HUGE_VAL;  // it has left
    compare(lowest, scores, tally);
    const BestTwo pick = game.dense.best(game.asked());
    if (pick[0].index == Scored::none) break;
    if (stage % 3 == 1) game.bounded.top(game.asked(), 3, game.announced());
    if (stage + 1 < c.shape.batch) game.take(pick[0].index);
  }
  return tally;
}

inline void expect_ceilings_that_hold(const Case& c, const MakeBackend& make = fixture::cpu) {
  SCOPED_TRACE(testing::Message() << c);
  const Tally tally = play(c, make);
  EXPECT_EQ(tally.below, 0u) << "of " << tally.draws << ", by up to " << tally.worst;
}

}  // namespace search_cases
