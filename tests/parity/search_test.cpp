#include "support/cuda_scores.hpp"
#include "support/search_ceilings.hpp"

// The bounded search on the device: the dense pass's picks to the bit, and the CPU's wherever rounding does not
// decide.
namespace cuda_pair {
namespace {

using namespace search_cases;

void expect_dense_picks_on_device(const Case& c) { expect_the_dense_picks(c, cuda_tiled); }

/// A case that is not larger than emulation likes.
Case small_case(std::uint64_t seed) {
  Shape shape = random_shape(seed);
  shape.n = std::min<std::size_t>(shape.n, 129);
  shape.m = std::min<std::size_t>(shape.m, 513);
  shape.batch = std::min<std::size_t>(shape.batch, 4);
  return make_case(seed, shape);
}

TEST(CudaSearch, RandomCasesGiveTheDensePicks) {
  for (std::uint64_t seed = 0; seed < 32; ++seed) expect_dense_picks_on_device(small_case(seed));
}

TEST(CudaSearch, EdgesOfTilesGiveTheDensePicks) {
  std::uint64_t seed = 10000;
  for (const std::size_t m : edges) expect_dense_picks_on_device(make_case(seed++, {20, m, 3}));
  for (const std::size_t n : {1, 31, 33, 64, 65, 127, 128, 129, 257})
    expect_dense_picks_on_device(make_case(seed++, {n, 100, 3}));
}

TEST(CudaSearch, WhereBoundsBiteItGivesTheDensePicks) {
  for (const std::size_t n : {100, 300}) expect_dense_picks_on_device(late_case({n, 3000, 5}));
}

/// From 385 rows on contenders are dropped between rounds of more and more rows.
TEST(CudaSearch, RoundsThatDropContendersGiveTheDensePicks) {
  Case c = late_case({400, 300, 3});
  expect_dense_picks_on_device(c);
  c = late_case({390, 300, 2}, 61);
  c.cost = Cost::modelled_late;
  c.weight = carbo::CostWeight::mean;
  expect_dense_picks_on_device(c);
}

TEST(CudaSearch, MoreFantasisedPointsThanTheFactorsHadRoomFor) {
  expect_dense_picks_on_device(late_case({20, 200, 90}));
}

TEST(CudaSearch, AnyWeightOfALateCostGivesTheDensePicks) {
  for (const auto weight : {carbo::CostWeight::median, carbo::CostWeight::mean, carbo::CostWeight::moment}) {
    Case c = late_case({60, 400, 3}, 60);
    c.cost = Cost::modelled_late;
    c.weight = weight;
    c.alpha = 1;
    expect_dense_picks_on_device(c);
  }
}

TEST(CudaSearch, EqualCandidatesScoreEquallyAndStandInTheirOrder) {
  Case c = late_case({65, 300, 1});
  for (std::size_t i = 1; i < c.shape.m; ++i) copy_row(c.candidates.data(), c.candidates.data() + 6 * i, 6);
  c.cost = Cost::none;
  Game game(c, 0, cuda_tiled);
  for (int points = 0; points < 3; ++points) {
    const std::vector<double> scores = game.dense.scores(game.asked());
    const std::vector<Scored> top = game.bounded.top(game.asked(), 130);
    ASSERT_EQ(top.size(), 130u);
    for (std::size_t i = 0; i < top.size(); ++i) {
      ASSERT_EQ(top[i].index, i);
      ASSERT_EQ(top[i].score, scores[i]);
      ASSERT_EQ(scores[i], scores[0]);
    }
    c.repeats = true;
    game.take(299);
  }
}

TEST(CudaSearch, TopIsTheBeginningOfAllSorted) {
  for (std::uint64_t seed = 40000; seed < 40008; ++seed) {
    const std::size_t m = std::vector<std::size_t>{1, 40, 257, 300}[seed % 4];
    const Case c = make_case(seed, {seed % 3 == 0 ? 70u : 25u, m, 3});
    SCOPED_TRACE(testing::Message() << c);
    Game game(c, 0, cuda_tiled);
    for (int round = 0; round < 2; ++round) {
      const std::vector<Scored> all = sorted(game.dense.scores(game.asked()));
      for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{5}, m, m + 7}) {
        const std::vector<Scored> top = game.bounded.top(game.asked(), count, game.announced());
        ASSERT_EQ(top.size(), std::min(count, all.size())) << "best " << count << ", round " << round;
        for (std::size_t i = 0; i < top.size(); ++i) {
          ASSERT_EQ(top[i].index, all[i].index) << "place " << i << " of " << count;
          ASSERT_EQ(top[i].score, all[i].score) << "place " << i << " of " << count;
        }
      }
      game.take(all.empty() ? 0 : all[all.size() / 2].index);
    }
  }
}

TEST(CudaSearch, ScoresBelowAllNumbersStillHaveAnOrder) {
  expect_an_order_below_all_numbers(late_case({30, 300, 2}), cuda_tiled);
}

TEST(CudaSearch, CeilingsAreNeverBelowTheExactScores) {
  for (std::uint64_t seed = 50000; seed < 50012; ++seed)
    expect_ceilings_that_hold(lasting_case(seed, {1 + seed * 37 % 140, 200, 2 + seed % 5}), cuda_tiled);
}

TEST(CudaSearch, CeilingsOfWhatMayNotBePickedAreMinusInfinity) {
  const Case c = late_case({30, 100, 1});
  BoundedPath path(c, 0, false, cuda_tiled);
  path.world().set->exclude(7);
  const std::vector<double> ceilings = path.ceilings({{-1.0}, {.parameter = 0.5}, 0.0});
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(ceilings[i] == -infinity, i == 7 || c.log_costs[i] > 0.0) << i;
}

/// With bounds pressed down far enough picks go wrong: the search does live on them.
TEST(CudaSearch, BoundsThatAreTooLowAreSeen) {
  std::size_t differing = 0;
  for (std::uint64_t seed = 0; seed < 3; ++seed)
    differing += differing_picks(late_case({150, 1500, 6}, seed), -2.0, cuda_tiled);
  EXPECT_GT(differing, 0u);
}

/// What bounds are for: most candidates are never finished.
TEST(CudaSearch, MostCandidatesAreNeverFinishedWhereBoundsBite) {
  constexpr std::size_t m = 4096;
  const Case c = late_case({300, m, 4});
  BoundedPath path(c, 0, false, cuda_tiled);
  const double lowest = *std::min_element(c.targets.begin(), c.targets.end());
  path.top({{lowest}, {.parameter = 0.5}, infinity}, 2);
  const SearchWork work = path.search().work();
  EXPECT_GT(work.finished, 0u);
  EXPECT_LT(work.finished, m / 4);
  EXPECT_LT(work.rows, 0.5);
}

/// Observations of moderate noise, so that scores of two backends can be compared at all.
Case well_conditioned(std::uint64_t seed, Shape shape) {
  Case c = make_case(seed, shape);
  for (GpParameters& gp : c.gps) gp.noise_variance = std::max(gp.noise_variance, 0.01);
  c.incumbents = IncumbentMoves::lowest_observed;
  return c;
}

/// The CPU's dense picks, followed on both; the device's bounded picks must be theirs. Returns how many were decided.
std::size_t follow_the_cpu(const Case& c, std::size_t& picks) {
  SCOPED_TRACE(testing::Message() << c);
  DensePath cpu(c);
  BoundedPath cuda(c, 0, false, cuda_tiled);
  Asked asked{std::vector<double>(c.gps.size(), *std::min_element(c.targets.begin(), c.targets.end())),
              {c.acquisition, c.alpha, moment_of(c.weight)},
              c.log_cost_limit};
  double signal = 0;
  for (const GpParameters& gp : c.gps) signal = std::max(signal, gp.signal_variance);
  const double rows = static_cast<double>(c.shape.n + c.shape.batch);
  // As fixture::posterior_tolerance, with the noise that well_conditioned leaves at least.
  const double posterior_error = 40 * epsilon * (rows * signal + 0.01) / 0.01 * std::sqrt(rows) * (1 + signal);
  // A score's sensitivity is at most (1 + u²)/s² per unit of posterior error; a decided pick has u above −10 and the
  // variance of a candidate off the data is above 1e-3.
  const double allowed = 1e5 * posterior_error;
  std::size_t decided = 0;
  for (std::size_t pick = 0; pick < c.shape.batch; ++pick, ++picks) {
    const BestTwo expected = cpu.best(asked);
    const std::vector<Scored> top = cuda.top(asked, 2);
    if (expected[0].index == Scored::none) {
      EXPECT_TRUE(top.empty());
      break;
    }
    EXPECT_FALSE(top.empty());
    if (top.empty()) break;
    if (expected[1].index == Scored::none || expected[0].score - expected[1].score > allowed) {
      ++decided;
      EXPECT_EQ(top[0].index, expected[0].index) << "pick " << pick;
      EXPECT_NEAR(top[0].score, expected[0].score, allowed) << "pick " << pick;
    }
    std::vector<double> normals;
    for (std::uint32_t f = 0; f < c.fantasies; ++f) normals.push_back(normal(c.seed, Draw::fantasy, pick, f));
    const std::vector<double> values = cpu.fantasise(c.candidate(expected[0].index), normals);
    expect_near(cuda.fantasise(c.candidate(expected[0].index), normals), values, posterior_error);
    const std::size_t per_gp = values.size() / asked.incumbents.size();
    std::vector<double> incumbents(values.size());
    for (std::size_t f = 0; f < values.size(); ++f) incumbents[f] = std::min(asked.incumbents[f / per_gp], values[f]);
    asked.incumbents = incumbents;
    cpu.world().set->exclude(expected[0].index);
    cuda.world().set->exclude(expected[0].index);
  }
  return decided;
}

TEST(CudaSearch, PicksAreTheCpusWhereverRoundingDoesNotDecide) {
  std::size_t decided = 0, picks = 0;
  for (std::uint64_t seed = 70000; seed < 70016; ++seed)
    decided += follow_the_cpu(well_conditioned(seed, {10 + seed % 7 * 17, 50 + seed % 5 * 90, 4}), picks);
  decided += follow_the_cpu(well_conditioned(70016, {60, 5000, 3}), picks);
  // Copies among the candidates tie; most picks are decided nevertheless.
  EXPECT_GT(decided, picks / 2);
}

TEST(CudaSearch, BadInputIsRefusedInTheCpusWords) {
  const Case c = late_case({10, 60, 2});
  World cpu(c, 2, 0), cuda(c, 0, 0, cuda_tiled);
  const auto refused = [&](const auto& change) {
    const auto run = [&](World& world) {
      std::vector<GpFactor*> factors;
      for (const auto& factor : world.factors) factors.push_back(factor.get());
      SearchSetup setup;
      setup.factors = factors;
      setup.fantasies = 4;
      setup.log_cost = world.log_cost.get();
      const std::vector<double> incumbents = {-0.5};
      SearchRequest request;
      request.incumbents = incumbents;
      change(world, setup, request);
      world.backend->make_search(*world.set, setup)->top(request, 1);
    };
    expect_same_error([&] { run(cpu); }, [&] { run(cuda); });
  };
  const std::vector<double> bad = {not_a_number}, two = {0.1, 0.2};
  refused([&](World&, SearchSetup& setup, SearchRequest&) { setup.fantasies = 0; });
  refused([&](World&, SearchSetup& setup, SearchRequest&) { setup.factors = {}; });
  refused([&](World&, SearchSetup&, SearchRequest& request) { request.incumbents = bad; });
  refused([&](World&, SearchSetup&, SearchRequest& request) { request.incumbents = two; });
  refused([&](World&, SearchSetup&, SearchRequest& request) { request.acquisition.parameter = -1; });
  refused([&](World&, SearchSetup&, SearchRequest& request) { request.normals_ahead = two; });
  std::unique_ptr<Field> small;
  refused([&](World& world, SearchSetup& setup, SearchRequest&) {
    small = world.backend->make_field(two, {});
    setup.log_cost = small.get();
  });
}

}  // namespace
}  // namespace cuda_pair
