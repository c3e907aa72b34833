#include <gtest/gtest.h>

#include <vector>

#include "support/float_cases.hpp"
#include "support/sanitized.hpp"
#include "support/search_ceilings.hpp"
#include "support/search_paths.hpp"

// Searches that look at means in float32 first, against the dense path in float64: equal bit for bit.
namespace {

using namespace search_cases;

/// Noise from 1e-8, where margins are many deviations wide, to 0.3.
TEST(FloatSearch, ThreeHundredRandomCasesGiveTheDensePicks) {
  for (const std::uint64_t seed : carbo::test::own_seeds(60000, 300)) {
    Shape shape = random_shape(seed);
    shape.batch = 1 + seed % 5;
    expect_the_dense_picks(in_float32(make_case(seed, shape)));
  }
}

TEST(FloatSearch, EdgesOfPanelsAndOfBlocksOfRowsGiveTheDensePicks) {
  std::uint64_t seed = 61000;
  for (const std::size_t n : {1, 15, 16, 17, 63, 64, 65, 80, 129})
    for (const std::size_t m : {1, 263, 264, 265}) expect_the_dense_picks(in_float32(make_case(seed++, {n, m, 3})));
}

TEST(FloatSearch, LargeBatchesAndTheGittinsIndexGiveTheDensePicks) {
  expect_the_dense_picks(in_float32(late_case({300, 900, 64})));
  expect_the_dense_picks(in_float32(by_gittins(late_case({300, 900, 16}), -2)));
  for (const std::uint64_t seed : carbo::test::own_seeds(62000, 30))
    expect_the_dense_picks(in_float32(by_gittins(make_case(seed, {130, 400, 6}), -3)));
  expect_the_dense_picks(in_float32(by_mes(late_case({130, 400, 4}))));
}

TEST(FloatSearch, ALateCostAndItsLimitGiveTheDensePicks) {
  for (const Case& c : late_costs_with_limits({200, 900, 6})) expect_the_dense_picks(in_float32(c));
}

/// The search's own choice, where there are panels enough for one: float32 under much noise, float64 under little.
TEST(FloatSearch, IsChosenWhereItsMarginIsSmall) {
  for (const double noise : {1e-2, 1e-8}) {
    Case c = late_case({300, 17 * 264, 2});
    c.cost = Cost::modelled_late;
    c.gps.front().noise_variance = noise;
    expect_the_dense_picks(c);
    BoundedPath path(c);
    Asked asked{{0.0}, spec_of(c), c.log_cost_limit};
    ASSERT_EQ(path.top(asked, 1).size(), 1u);
    // Float64 is for the cost's GP, whose targets are noisier than it knows.
    EXPECT_EQ(path.search().work().screened, noise == 1e-2 ? 2 * c.shape.m : c.shape.m) << noise;
    EXPECT_EQ(path.search().work().screened_share(), noise == 1e-2 ? 1.0 : 0.5) << noise;
  }
}

TEST(FloatSearch, PointsBeyondFloat32GiveTheDensePicks) {
  for (const Case& c : points_beyond_float32({100, 300, 3})) expect_the_dense_picks(in_float32(c));
}

/// Margins that are too narrow are found out.
TEST(FloatSearch, WithoutItsMarginPicksGoWrong) {
  std::size_t wrong = 0;
  for (std::uint64_t seed = 5; seed < 5 + carbo::test::cases(20); ++seed) {
    Case c = in_float32(late_case({200, 900, 2}, seed));
    c.margin_share = -1e4;
    wrong += differing_picks(c);
  }
  EXPECT_GT(wrong, 0u);
}

/// Where all targets are the prior mean, means are known without a margin: what is left are the responses.
TEST(FloatSearch, WithoutTheMarginOfItsResponsesPicksGoWrong) {
  std::size_t wrong = 0;
  for (std::uint64_t seed = 5; wrong == 0 && seed < 25; ++seed) {  // few cases show it at every level
    Case c = in_float32(late_case({200, 900, 6}, seed));
    c.targets.assign(c.targets.size(), c.gps.front().mean);
    expect_the_dense_picks(c);
    c.margin_share = -3e3;
    wrong += differing_picks(c);
  }
  EXPECT_GT(wrong, 0u);
}

}  // namespace
