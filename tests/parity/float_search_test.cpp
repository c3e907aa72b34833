#include <cmath>

#include <cuda_runtime_api.h>

#include "support/cuda_pair.hpp"
#include "support/expect_error.hpp"
#include "support/float_cases.hpp"
#include "support/search_ceilings.hpp"

// Searches of the device that look at means in float32 or its pairs first, against its dense pass in float64: equal
// bit for bit.
namespace cuda_pair {
namespace {

using namespace search_cases;

void expect_dense_picks_after_screening(const Case& c) {
  expect_the_dense_picks(in_float32(c), cuda_tiled);
  expect_the_dense_picks(in_pairs(c), cuda_tiled);
}

/// Noise from 1e-8, where margins of float32 are many deviations wide, to 0.3; more rows than the first pass solves
/// for everyone.
Case screened_case(std::uint64_t seed) {
  Shape shape = random_shape(seed);
  shape.n = 33 + shape.n % 97;
  shape.m = std::min<std::size_t>(shape.m, 300);
  shape.batch = 1 + seed % 3;
  return make_case(seed, shape);
}

/// Noise from 1e-8 to 1e-4, where float32 is refused.
Case little_noise(std::uint64_t seed) {
  Case c = screened_case(seed);
  for (GpParameters& gp : c.gps) gp.noise_variance = std::pow(10.0, -8.0 + static_cast<double>(seed % 9) / 2.0);
  return c;
}

TEST(CudaFloatSearch, RandomCasesInFloat32GiveTheDensePicks) {
  for (std::uint64_t seed = 64000; seed < 64150; ++seed)
    expect_the_dense_picks(in_float32(screened_case(seed)), cuda_tiled);
}

TEST(CudaFloatSearch, RandomCasesInPairsGiveTheDensePicks) {
  for (std::uint64_t seed = 64200; seed < 64310; ++seed)
    expect_the_dense_picks(in_pairs(screened_case(seed)), cuda_tiled);
  for (std::uint64_t seed = 64400; seed < 64440; ++seed)
    expect_the_dense_picks(in_pairs(little_noise(seed)), cuda_tiled);
}

TEST(CudaFloatSearch, EdgesOfTilesGiveTheDensePicks) {
  std::uint64_t seed = 65000;
  for (const std::size_t m : {1, 7, 8, 9, 127, 128, 129})
    expect_dense_picks_after_screening(make_case(seed++, {40, m, 3}));
  for (const std::size_t n : {1, 31, 32, 33, 47, 48, 49, 64, 127, 128, 129, 257})
    expect_dense_picks_after_screening(make_case(seed++, {n, 70, 2}));
}

/// Sums are taken into float64 after 512 rows; more columns than a thread keeps are rounded again and again.
TEST(CudaFloatSearch, ManyRowsAndManyColumnsGiveTheDensePicks) {
  expect_dense_picks_after_screening(late_case({530, 130, 2}));
  Case wide = make_case(65100, {40, 60, 2});
  Dice dice(7);
  wide.dimensions = 50;
  wide.points = clustered(dice, 40, std::vector<double>(50, 0.4), 0.5, 0.1);
  wide.candidates = clustered(dice, 60, std::vector<double>(50, 0.4), 0.3, 0.1);
  for (GpParameters& gp : wide.gps) gp.inverse_lengthscales.assign(50, 0.3);
  expect_dense_picks_after_screening(wide);
}

TEST(CudaFloatSearch, BatchesAndTheGittinsIndexGiveTheDensePicks) {
  expect_dense_picks_after_screening(late_case({100, 600, 40}));
  expect_dense_picks_after_screening(by_gittins(late_case({100, 600, 5}), -2));
  expect_dense_picks_after_screening(by_mes(late_case({60, 200, 2})));
}

TEST(CudaFloatSearch, ALateCostAndItsLimitGiveTheDensePicks) {
  for (const Case& c : late_costs_with_limits({60, 400, 3})) expect_dense_picks_after_screening(c);
}

/// Points that were fantasised before the search begins: running evaluations.
TEST(CudaFloatSearch, RunningPointsGiveTheDensePicks) {
  for (const std::size_t pending : {1, 3, 35}) {
    Case c = late_case({60, 300, 3});
    c.pending = pending;
    c.pending_first = true;
    expect_dense_picks_after_screening(c);
  }
}

TEST(CudaFloatSearch, EqualCandidatesStandInTheirOrder) {
  Case c = late_case({65, 300, 3});
  for (std::size_t i = 1; i < c.shape.m; ++i) copy_row(c.candidates.data(), c.candidates.data() + 6 * i, 6);
  c.cost = Cost::none;
  expect_dense_picks_after_screening(c);
}

TEST(CudaFloatSearch, PointsBeyondFloat32GiveTheDensePicks) {
  for (const Case& c : points_beyond_float32({50, 150, 2})) expect_dense_picks_after_screening(c);
}

TEST(CudaFloatSearch, RankingAfterAPickIsTheDenseOrder) {
  const Case c = in_float32(late_case({60, 300, 3}));
  Game game(c, 0, cuda_tiled);
  for (int round = 0; round < 2; ++round) {
    const std::vector<Scored> all = sorted(game.dense.scores(game.asked()));
    for (const std::size_t count : {std::size_t{2}, std::size_t{40}}) {
      const std::vector<Scored> top = game.bounded.top(game.asked(), count, game.announced());
      ASSERT_EQ(top.size(), count);
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(top[i].index, all[i].index) << i;
        ASSERT_EQ(top[i].score, all[i].score) << i;
      }
    }
    game.take(all.front().index);
  }
}

TEST(CudaFloatSearch, CeilingsAreNeverBelowTheExactScores) {
  for (std::uint64_t seed = 66000; seed < 66012; ++seed)
    expect_ceilings_that_hold(in_float32(lasting_case(seed, {33 + seed * 37 % 100, 200, 2 + seed % 4})), cuda_tiled);
  for (std::uint64_t seed = 66100; seed < 66112; ++seed)
    expect_ceilings_that_hold(in_pairs(lasting_case(seed, {33 + seed * 37 % 100, 200, 2 + seed % 4})), cuda_tiled);
}

/// Margins that are too narrow are found out.
TEST(CudaFloatSearch, WithoutItsMarginPicksGoWrong) {
  for (const Precision precision : {Precision::float32, Precision::float_pairs}) {
    std::size_t wrong = 0;
    for (std::uint64_t seed = 5; seed < 11; ++seed) {
      Case c = late_case({100, 500, 2}, seed);
      c.precision = precision;
      c.margin_share = precision == Precision::float32 ? -1e4 : -1e7;
      wrong += differing_picks(c, 0, cuda_tiled);
    }
    EXPECT_GT(wrong, 0u);
  }
}

/// Where all targets are the prior mean, means are known without a margin: what is left are the responses.
TEST(CudaFloatSearch, WithoutTheMarginOfItsResponsesPicksGoWrong) {
  for (const Precision precision : {Precision::float32, Precision::float_pairs}) {
    std::size_t wrong = 0;
    for (std::uint64_t seed = 5; wrong == 0 && seed < 25; ++seed) {  // few cases show it
      Case c = late_case({100, 500, 6}, seed);
      c.precision = precision;
      c.targets.assign(c.targets.size(), c.gps.front().mean);
      expect_the_dense_picks(c, cuda_tiled);
      c.margin_share = precision == Precision::float32 ? -3e3 : -3e6;
      wrong += differing_picks(c, 0, cuda_tiled);
    }
    EXPECT_GT(wrong, 0u);
  }
}

/// The same in other units, a power of 2: of signal variances as far from 1 as float32 does not reach. By one fantasy
/// means fall as often as they rise.
TEST(CudaFloatSearch, SignalVariancesBeyondFloat32GiveTheDensePicks) {
  for (const int power : {-133, 133})
    for (const std::uint64_t seed : {5, 9}) {
      Case c = late_case({100, 500, 12}, seed);
      c.fantasies = 1;
      c.cost = Cost::none;
      for (GpParameters& gp : c.gps) {
        gp.signal_variance = std::ldexp(gp.signal_variance, 2 * power);
        gp.noise_variance = std::ldexp(gp.noise_variance, 2 * power);
        gp.mean = std::ldexp(gp.mean, power);
      }
      c.targets.assign(c.targets.size(), c.gps.front().mean);
      SCOPED_TRACE(power);
      expect_dense_picks_after_screening(c);
    }
}

/// Means that a pick's search bounds by its own choice, over the candidates, under so much noise.
double screened_means(double noise, double margin_share = 1.0) {
  Case c = late_case({300, 7000, 1});
  c.cost = Cost::modelled_late;
  c.gps.front().noise_variance = noise;
  c.margin_share = margin_share;
  BoundedPath path(c, 0, false, cuda_tiled);
  EXPECT_EQ(path.top({{0.0}, spec_of(c), c.log_cost_limit}, 1).size(), 1u);
  const SearchWork work = path.search().work();
  const double share = static_cast<double>(work.screened) / static_cast<double>(c.shape.m);
  EXPECT_EQ(work.screened_share(), share / 2);
  return share;
}

/// The search's own choice, where there are candidates enough for one: float32 under much noise; under little its
/// pairs, where the device's float64 is slow, or float64: for the cost's GP, whose targets are noisier than it knows.
TEST(CudaFloatSearch, IsChosenWhereItsMarginIsSmall) {
  int ratio = 0;
  ASSERT_EQ(cudaDeviceGetAttribute(&ratio, cudaDevAttrSingleToDoublePrecisionPerfRatio, 0), cudaSuccess);
  EXPECT_EQ(screened_means(1e-2), 2.0);
  EXPECT_EQ(screened_means(1e-8), ratio >= 16 ? 2.0 : 1.0);
  EXPECT_EQ(screened_means(1e-8, 1e7), 0.0);
}

TEST(CudaFloatSearch, FewCandidatesOrRowsAreNotScreened) {
  for (const Shape& shape : {Shape{525, 4000, 1}, Shape{60, 7000, 1}}) {
    const Case c = late_case(shape);
    BoundedPath path(c, 0, false, cuda_tiled);
    ASSERT_EQ(path.top({{0.0}, spec_of(c), c.log_cost_limit}, 1).size(), 1u);
    EXPECT_EQ(path.search().work().screened, 0u);
    EXPECT_EQ(path.search().work().screened_share(), 0.0);
  }
}

/// What a search is to compute has no values for others.
TEST(CudaFloatSearch, AFieldForSearchesIsForThemAlone) {
  const Case c = late_case({40, 60, 1});
  World cpu(c, 1, 0), cuda(c, 0, 0, cuda_tiled);
  const auto refused = [&](const auto& action) { expect_same_error([&] { action(cpu); }, [&] { action(cuda); }); };
  const auto field = [](World& world) { return world.backend->sweep_for_search(*world.factors.front(), *world.set); };
  std::vector<double> room(60);
  refused([&](World& world) { static_cast<void>(field(world)->mean(0)); });
  refused([&](World& world) { field(world)->read(room, {}); });
  refused([&](World& world) { world.backend->race(*world.set, *field(world), infinity); });
  refused([&](World& world) {
    const auto added = field(world);
    world.backend->sweep(*world.factors.front(), *world.set, false, {}, added.get());
  });
  refused([&](World& world) {
    const auto fields = world.sweep();
    const std::vector<Member> members = world.members(fields);
    const auto cost = field(world);
    const std::vector<double> incumbents = {0.0};
    ScoreRequest dense;
    dense.objective = members;
    dense.incumbents = incumbents;
    dense.log_cost = cost.get();
    world.backend->scores(*world.set, dense, room);
  });
  refused([&](World& world) {
    const auto others = world.backend->factor(c.observed(), c.targets, c.gps);
    const auto cost = field(world);
    GpFactor* const factor = world.factors.front().get();
    SearchSetup setup;
    setup.factors = {&factor, 1};
    setup.log_cost = cost.get();
    setup.log_cost_factor = others.front().get();
    world.backend->make_search(*world.set, setup);
  });
}

}  // namespace
}  // namespace cuda_pair
