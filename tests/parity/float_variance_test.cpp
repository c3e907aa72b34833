#include "support/cuda_pair.hpp"
#include "support/search_ceilings.hpp"

// Searches of the device that drop contenders by variances in float32, against its dense pass in float64: equal bit
// for bit. There are such rounds with more than three times as many observed rows as the round has: 64, 128 or 256.
namespace cuda_pair {
namespace {

using namespace search_cases;

/// Noise from 1e-8 to 0.3, one GP or several, up to 20 columns, equal rows.
TEST(CudaFloatVariance, RandomCasesGiveTheDensePicks) {
  for (std::uint64_t seed = 67000; seed < 67016; ++seed) {
    Case c = make_case(seed, {193 + seed % 5, 90 + seed % 70, 1 + seed % 3});
    if (c.gps.size() > 2) c.gps.resize(2), c.fantasies = 2;  // as many factors as there are GPs
    expect_the_dense_picks(in_float32(c), cuda_tiled);
  }
}

TEST(CudaFloatVariance, EveryNumberOfRowsGivesTheDensePicks) {
  for (const std::size_t n : {192, 193, 384, 385})
    expect_the_dense_picks(in_float32(late_case({n, 70, 2})), cuda_tiled);
  expect_the_dense_picks(in_float32(late_case({769, 40, 2})), cuda_tiled);
}

/// Fifteen, sixteen and seventeen candidates that are not dropped at once; more than the first chunk of contenders.
TEST(CudaFloatVariance, EdgesOfTilesGiveTheDensePicks) {
  for (const std::size_t m : {1, 15, 16, 17, 33})
    expect_the_dense_picks(in_float32(late_case({193, m, 2}, m)), cuda_tiled);
  expect_the_dense_picks(in_float32(late_case({193, 700, 4})), cuda_tiled);
}

/// More columns than stay in shared memory, and coordinates that float32 has no margin for.
TEST(CudaFloatVariance, ManyColumnsAndFarPointsGiveTheDensePicks) {
  Case wide = make_case(67100, {200, 60, 2});
  Dice dice(7);
  wide.dimensions = 37;
  wide.points = clustered(dice, 200, std::vector<double>(37, 0.4), 0.5, 0.1);
  wide.candidates = clustered(dice, 60, std::vector<double>(37, 0.4), 0.3, 0.1);
  for (GpParameters& gp : wide.gps) gp.inverse_lengthscales.assign(37, 0.3);
  expect_the_dense_picks(in_float32(wide), cuda_tiled);
  for (const double stretch : {1e5, 1e150}) {
    Case far = in_float32(late_case({193, 100, 2}));
    for (std::size_t i = 0; i < far.candidates.size(); i += 13) far.candidates[i] *= stretch;
    expect_the_dense_picks(far, cuda_tiled);
  }
}

TEST(CudaFloatVariance, CeilingsAreNeverBelowTheExactScores) {
  for (std::uint64_t seed = 67200; seed < 67204; ++seed)
    expect_ceilings_that_hold(in_float32(lasting_case(seed, {193, 100, 3})), cuda_tiled);
}

/// Targets at the prior mean have means without an error, so that variances alone can go wrong.
TEST(CudaFloatVariance, WithoutItsMarginPicksGoWrong) {
  std::size_t wrong = 0;
  for (std::uint64_t seed = 5; seed < 11; ++seed) {
    Case c = in_float32(late_case({193, 500, 1}, seed));
    c.targets.assign(c.shape.n, c.gps.front().mean);
    expect_the_dense_picks(c, cuda_tiled);
    c.margin_share = -1e4;
    wrong += differing_picks(c, 0, cuda_tiled);
  }
  EXPECT_GT(wrong, 0u);
}

/// Tiles of a streamed set: each a search of its own, whose factors have fantasised points already, above the score
/// that the tiles before have reached.
TEST(CudaFloatVariance, TilesOfAStreamGiveTheDensePicks) {
  for (const std::size_t n : {60, 193}) {
    const Case whole = late_case({n, 500, 1});
    DensePath dense(whole, cuda_tiled);
    const std::vector<double> normals = {0.3, -0.8, 1.2, 0.1};
    Asked asked{dense.fantasise(whole.candidate(7), normals), spec_of(whole), whole.log_cost_limit};
    const BestTwo expected = dense.best(asked);
    std::vector<Scored> found;
    double floor = -infinity;
    for (std::size_t first = 0; first < 500; first += 250) {
      Case part = n == 60 ? in_pairs(whole) : in_float32(whole);
      part.shape.m = 250;
      part.candidates.assign(whole.candidate(first).begin(), whole.candidate(first).begin() + 250 * 6);
      part.log_costs.assign(whole.log_costs.begin() + static_cast<std::ptrdiff_t>(first),
                            whole.log_costs.begin() + static_cast<std::ptrdiff_t>(first + 250));
      BoundedPath path(part, 0, true, cuda_tiled);
      EXPECT_EQ(path.fantasise(whole.candidate(7), normals), asked.incumbents);
      SearchRequest request;
      request.incumbents = asked.incumbents;
      request.acquisition = asked.acquisition;
      request.log_cost_limit = asked.log_cost_limit;
      request.floor = floor;
      for (Scored one : path.search().top(request, 2)) found.push_back({one.index + first, one.score});
      std::stable_sort(found.begin(), found.end(), [](auto& a, auto& b) { return a.score > b.score; });
      EXPECT_GT(path.search().work().screened, 0u);
      ASSERT_GE(found.size(), 2u);
      floor = found[1].score;
    }
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(found[i].index, expected[i].index);
      EXPECT_EQ(found[i].score, expected[i].score);
    }
  }
}

}  // namespace
}  // namespace cuda_pair
