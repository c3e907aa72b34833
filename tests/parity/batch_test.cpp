#include <numeric>

#include "support/cuda_pair.hpp"
#include "support/search_paths.hpp"

// A batch that the device picks in one sequence, against the same picks one by one with the host in between.
namespace cuda_pair {
namespace {

using namespace search_cases;

/// Strict: step by step because the limit on costs follows the picks.
enum class Way { in_one_sequence, step_by_step, strict };

/// What a batch is asked for beside its case.
struct Asking {
  std::size_t count = 4;
  std::size_t running = 0;  ///< points fantasised before
  bool by_factors = false;
  bool runner_up = true;
  bool repeats = false;
  double limit = infinity;
  bool looks_beside = false;
  bool goes_on = true;
  std::size_t available = Scored::none;  ///< candidates that are left at first
  std::size_t together = 0;              ///< picks that join a round
  double round_log_cost = -infinity;     ///< what it lasts before
};

struct Outcome {
  BatchEnd end{};
  std::vector<double> picks;       ///< index, score, runner-up's, incumbent, available; of what was looked at beside
  std::vector<double> incumbents;  ///< afterwards
  std::vector<Scored> next;        ///< what the search would pick then
  std::size_t fantasised = 0;
};

std::vector<double> normals_of(const Case& c, std::size_t id) {
  std::vector<double> normals;
  for (std::uint32_t f = 0; f < c.fantasies; ++f) normals.push_back(normal(c.seed, Draw::fantasy, id, f));
  return normals;
}

/// Points that run: the last candidates.
void fantasise_running(const Case& c, std::size_t count, Search& search, Way way, Incumbents& incumbents) {
  std::vector<double> points, normals;
  for (std::size_t i = 0; i < count; ++i) {
    const std::span<const double> point = c.candidate(c.shape.m - 1 - i);
    const std::vector<double> own = normals_of(c, 1000 + i);
    if (way == Way::step_by_step) incumbents.add(search.fantasise(point, own));
    points.insert(points.end(), point.begin(), point.end());
    normals.insert(normals.end(), own.begin(), own.end());
  }
  if (way == Way::step_by_step || count == 0) return;
  const std::vector<double> values = search.fantasise_all({points.data(), count, c.dimensions}, normals);
  for (std::size_t i = 0; i < count; ++i) incumbents.add(std::span(values).subspan(i * c.fantasies, c.fantasies));
}

Outcome play(const Case& c, const Asking& asking, Way way) {
  BoundedPath path(c, 0, false, cuda_tiled);
  World& world = path.world();
  std::vector<GpFactor*> factors;
  for (const auto& factor : world.factors) factors.push_back(factor.get());
  const double lowest = *std::min_element(c.targets.begin(), c.targets.end());
  Incumbents incumbents(std::vector<double>(factors.size(), lowest),
                        asking.by_factors ? std::span<GpFactor* const>(factors) : std::span<GpFactor* const>{});
  fantasise_running(c, asking.running, path.search(), way, incumbents);
  for (std::size_t i = asking.available; i < c.shape.m; ++i) world.set->exclude(i);
  Outcome outcome;
  BatchRequest request;
  request.count = asking.count;
  request.acquisition = spec_of(c);
  request.acquisition.round_log_cost = asking.round_log_cost;
  request.together = asking.together;
  request.limit.log_cost = asking.limit;
  request.with_runner_up = asking.runner_up;
  request.incumbents = &incumbents;
  request.repeats = asking.repeats;
  request.normals = [&](std::size_t pick) { return normals_of(c, pick); };
  request.take = [&](const PickedRow& picked) {
    const std::span<const double> point = c.candidate(picked.best.index);
    if (!picked.point.empty()) {
      EXPECT_TRUE(std::equal(point.begin(), point.end(), picked.point.begin(), picked.point.end()));
    }
    outcome.picks.insert(outcome.picks.end(), {static_cast<double>(picked.best.index), picked.best.score,
                                               picked.runner_up_score.value_or(-1e300), picked.incumbent,
                                               static_cast<double>(picked.available)});
    if (!asking.repeats) world.set->exclude(picked.best.index);
    return point;
  };
  if (asking.looks_beside) {
    request.beside = carbo::kernels::AcquisitionSpec{carbo::Acquisition::ei_per_cost};
    request.go_on = [&](const Scored& best) {
      outcome.picks.insert(outcome.picks.end(), {static_cast<double>(best.index), best.score});
      return asking.goes_on;
    };
  }
  if (way == Way::strict) request.limit.of_next = [&] { return asking.limit; };
  outcome.end = way == Way::step_by_step ? path.search().Search::pick(request) : path.search().pick(request);
  outcome.fantasised = factors.front()->fantasised();
  outcome.incumbents = incumbents.now();
  outcome.next = path.top({outcome.incumbents, request.acquisition, asking.limit}, 2);
  return outcome;
}

void expect_the_same(const Outcome& found, const Outcome& expected) {
  EXPECT_EQ(found.end, expected.end);
  EXPECT_EQ(found.picks, expected.picks);
  EXPECT_EQ(found.incumbents, expected.incumbents);
  EXPECT_EQ(found.fantasised, expected.fantasised);
  EXPECT_EQ(found.next.size(), expected.next.size());
  for (std::size_t i = 0; i < std::min(found.next.size(), expected.next.size()); ++i) {
    EXPECT_EQ(found.next[i].index, expected.next[i].index);
    EXPECT_EQ(found.next[i].score, expected.next[i].score);
  }
}

Outcome expect_the_same(const Case& c, const Asking& asking) {
  SCOPED_TRACE(testing::Message() << c);
  const Outcome found = play(c, asking, Way::in_one_sequence);
  expect_the_same(found, play(c, asking, Way::step_by_step));
  return found;
}

Case small(std::uint64_t seed, std::size_t gps = 1) {
  Case c = late_case({40, 300, 4}, seed);
  c.gps.assign(gps, c.gps.front());
  for (std::size_t g = 1; g < gps; ++g) c.gps[g].inverse_lengthscales[0] *= 1.0 + 0.2 * static_cast<double>(g);
  c.fantasies = 4;
  return c;
}

TEST(CudaBatch, PicksAreThoseMadeOneByOne) {
  for (const std::size_t gps : {1, 2, 4}) {
    const Outcome outcome = expect_the_same(small(7, gps), {});
    EXPECT_EQ(outcome.end, BatchEnd::complete);
    EXPECT_EQ(outcome.fantasised, 3u);
  }
}

TEST(CudaBatch, RandomCasesGiveThePicksMadeOneByOne) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Shape shape = random_shape(seed);
    shape = {std::min<std::size_t>(shape.n, 70), std::min<std::size_t>(shape.m, 300), 3};
    expect_the_same(make_case(seed, shape),
                    {.count = 1 + seed % 4, .running = seed % 3, .by_factors = seed % 2 == 1});
  }
}

/// In one sequence and in strict steps; 200 rows have variances bounded in float32, too.
TEST(CudaBatch, PicksInLowPrecisionAreThoseInFloat64) {
  for (const std::size_t n : {40, 200})
    for (const std::size_t gps : {1, 2}) {
      Case c = small(16, gps);
      if (n > 40) c = late_case({n, 560, 4}, 16);
      const double limit = *std::max_element(c.log_costs.begin(), c.log_costs.end()) - 0.5;
      const Asking asking{.count = 3, .running = 1, .limit = limit};
      c.precision = Precision::float64;
      const Outcome expected = play(c, asking, Way::step_by_step);
      for (const Precision precision : {Precision::float32, Precision::float_pairs}) {
        c.precision = precision;
        expect_the_same(play(c, asking, Way::in_one_sequence), expected);
        expect_the_same(play(c, asking, Way::strict), expected);
      }
    }
}

TEST(CudaBatch, RunningPointsComeBefore) {
  EXPECT_EQ(expect_the_same(small(8), {.running = 3}).fantasised, 6u);
  expect_the_same(small(8, 2), {.running = 2, .by_factors = true});
}

TEST(CudaBatch, IncumbentsFollowTheFittedMeans) {
  for (const std::size_t gps : {1, 2}) expect_the_same(small(9, gps), {.by_factors = true});
}

/// The device carries what the round lasts from pick to pick; the host reads it back.
TEST(CudaBatch, PicksJoinARound) {
  std::size_t changed = 0;
  for (const Cost cost : {Cost::known, Cost::known_with_spread, Cost::modelled, Cost::modelled_late, Cost::none})
    for (const std::size_t together : {4, 6}) {
      Case c = make_case(20 + together, {60, 300, 6});
      c.cost = cost;
      c.alpha = 1;
      if (c.log_costs.empty()) c.log_costs.assign(300, 0.0);
      if (c.cost_variances.empty()) c.cost_variances.assign(300, 0.1);
      if (c.cost_targets.empty()) c.cost_targets = c.targets;
      c.log_cost_limit = infinity;
      const Outcome joined = expect_the_same(c, {.count = 6, .together = together});
      changed += joined.picks != expect_the_same(c, {.count = 6}).picks ? 1 : 0;
      expect_the_same(c, {.count = 6, .looks_beside = true, .together = together, .round_log_cost = 0.4});
      expect_the_same(by_gittins(c, -1.0), {.count = 6, .together = together});
    }
  EXPECT_GE(changed, 3u) << "rounds have to matter to picks";
}

TEST(CudaBatch, RowsMayBePickedAgainWhereTheyMayRepeat) {
  expect_the_same(small(10), {.count = 6, .runner_up = false, .repeats = true});
}

TEST(CudaBatch, MorePicksThanTheFactorsHadRoomFor) { expect_the_same(small(11), {.count = 70, .runner_up = false}); }

TEST(CudaBatch, EndsWhereNothingIsLeft) {
  const Outcome outcome = expect_the_same(small(12), {.count = 7, .available = 3});
  EXPECT_EQ(outcome.end, BatchEnd::exhausted);
  EXPECT_EQ(outcome.picks.size(), 15u);
  EXPECT_EQ(expect_the_same(small(12), {.available = 0}).end, BatchEnd::exhausted);
}

TEST(CudaBatch, EndsWhereNothingIsWithinTheLimit) {
  const Case c = small(13);
  std::vector<double> costs = c.log_costs;
  std::nth_element(costs.begin(), costs.begin() + 2, costs.end());
  EXPECT_EQ(expect_the_same(c, {.count = 6, .limit = costs[2]}).end, BatchEnd::refused);
  EXPECT_EQ(expect_the_same(c, {.limit = -1e9}).end, BatchEnd::refused);
}

TEST(CudaBatch, AnotherAcquisitionIsLookedAtBesideTheFirstPick) {
  for (const bool goes_on : {true, false}) {
    const Outcome outcome = expect_the_same(small(14), {.looks_beside = true, .goes_on = goes_on});
    EXPECT_EQ(outcome.end, goes_on ? BatchEnd::complete : BatchEnd::stopped);
    EXPECT_EQ(outcome.picks.size(), goes_on ? 22u : 2u);
  }
}

/// What was fantasised for picks that nobody took is gone, and the search goes on from there.
TEST(CudaBatch, ACallerThatThrowsLeavesTheSearchAtWhatWasTaken) {
  const Case c = small(15);
  BoundedPath path(c, 0, false, cuda_tiled);
  Incumbents incumbents(std::vector<double>(1, -1.0));
  BatchRequest request;
  request.count = 4;
  request.acquisition = spec_of(c);
  request.incumbents = &incumbents;
  request.normals = [&](std::size_t pick) { return normals_of(c, pick); };
  std::size_t taken = 0;
  request.take = [&](const PickedRow& picked) {
    if (taken == 2) throw std::runtime_error("enough");
    path.world().set->exclude(picked.best.index);
    ++taken;
    return c.candidate(picked.best.index);
  };
  EXPECT_THROW(path.search().pick(request), std::runtime_error);
  EXPECT_EQ(path.world().factors.front()->fantasised(), 2u);
  EXPECT_EQ(path.world().set->available(), 298u);
  EXPECT_EQ(path.top({std::vector<double>(c.fantasies, -1.0), spec_of(c), infinity}, 1).size(), 1u);
}

}  // namespace
}  // namespace cuda_pair
