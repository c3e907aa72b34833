#include <gtest/gtest.h>

#include "support/sanitized.hpp"
#include "support/search_ceilings.hpp"

// The Gittins index by bounds: the dense pass's picks to the bit, and no ceiling below a score.
namespace {

using namespace search_cases;

/// With λ over ten decades.
Case by_gittins(const Case& c) {
  Dice dice(c.seed + 5);
  return by_gittins(c, dice.between(-15, 8));
}

TEST(GittinsSearch, RandomCasesGiveTheDensePicks) {
  for (const std::uint64_t seed : carbo::test::own_seeds(0, 120))
    expect_the_dense_picks(by_gittins(make_case(seed, random_shape(seed))));
  for (const std::size_t n : {100, 300, 1000}) expect_the_dense_picks(by_gittins(late_case({n, 4500, 4})));
}

TEST(GittinsSearch, AnyWeightOfALateCostGivesTheDensePicks) {
  for (const auto weight : {carbo::CostWeight::median, carbo::CostWeight::mean})
    for (const std::size_t n : {50, 300}) {
      Case c = late_case({n, 900, 6}, n);
      c.cost = Cost::modelled_late;
      c.weight = weight;
      expect_the_dense_picks(by_gittins(c));
    }
}

TEST(GittinsSearch, AMillionCeilingsAreNeverBelowTheExactScores) {
  std::size_t draws = 0;
  const std::uint64_t first = 50000 + 10000 * (carbo::test::part().number - 1);
  for (std::uint64_t seed = first; draws < carbo::test::own_cases(1000000); ++seed) {
    const std::size_t n = seed % 2 == 0 ? 1 + seed * 37 % 70 : 257 + seed * 53 % 100;
    const Case c = by_gittins(lasting_case(seed, {n, 700, 2 + seed % 14}));
    SCOPED_TRACE(testing::Message() << c);
    const Tally tally = play(c);
    EXPECT_EQ(tally.below, 0u) << "by up to " << tally.worst;
    draws += tally.draws;
  }
}

TEST(GittinsSearch, BoundsThatAreTooLowAreSeen) {
  std::size_t differing = 0;
  for (std::uint64_t seed = 0; seed < 6; ++seed)
    differing += differing_picks(by_gittins(late_case({300, 1500, 12}, seed)), -1.0);
  EXPECT_GT(differing, 0u);
}

/// Where bounds bite, most candidates are never finished.
TEST(GittinsSearch, FewCandidatesAreFinished) {
  const Case c = by_gittins(late_case({300, 4500, 4}));
  Game game(c);
  game.bounded.top(game.asked(), 2, game.announced());
  EXPECT_LT(game.bounded.search().work().finished, 450u);
}

}  // namespace
