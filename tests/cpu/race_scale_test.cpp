#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "backend/cpu/race.hpp"
#include "backend/cpu/race_grid.hpp"
#include "backend/cpu/race_walk.hpp"
#include "support/backend_oracle.hpp"
#include "support/not_finite.hpp"

using namespace carbo::internal;

namespace {

using carbo::test::infinity;

/// Log costs and squared distances by candidate, and who runs.
struct Race {
  std::vector<double> cost;
  std::vector<double> distance;
  std::vector<std::uint32_t> entrants;
};

Race draw_race(std::size_t m, const std::function<std::pair<double, double>(std::size_t)>& draw) {
  Race field;
  for (std::size_t i = 0; i < m; ++i) {
    const auto [cost, distance] = draw(i);
    field.cost.push_back(cost);
    field.distance.push_back(distance);
    field.entrants.push_back(static_cast<std::uint32_t>(i));
  }
  return field;
}

bool dearer(const Race& field, std::uint32_t a, std::uint32_t b) {
  if (field.cost[a] != field.cost[b]) return field.cost[a] > field.cost[b];
  if (field.distance[a] != field.distance[b]) return field.distance[a] < field.distance[b];
  return a > b;
}

bool closer(const Race& field, std::uint32_t a, std::uint32_t b) {
  if (field.distance[a] != field.distance[b]) return field.distance[a] < field.distance[b];
  if (field.cost[a] != field.cost[b]) return field.cost[a] > field.cost[b];
  return a > b;
}

/// Looks at everyone left for each exclusion, until `end` are left; these, ascending.
std::vector<std::uint32_t> looped_until(const Race& field, std::size_t end) {
  std::vector<std::uint32_t> left = field.entrants;
  for (bool cost_is_due = true; left.size() > end; cost_is_due = !cost_is_due) {
    std::size_t worst = 0;
    for (std::size_t i = 1; i < left.size(); ++i)
      if (cost_is_due ? dearer(field, left[i], left[worst]) : closer(field, left[i], left[worst])) worst = i;
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(worst));
  }
  return left;
}

std::size_t looped_race(const Race& field) { return looped_until(field, 1).front(); }

/// Two full sorts and a walk.
std::size_t sorted_race(const Race& field) {
  std::vector<std::uint32_t> by_cost = field.entrants;
  std::vector<std::uint32_t> by_distance = field.entrants;
  std::sort(by_cost.begin(), by_cost.end(), [&](auto a, auto b) { return dearer(field, a, b); });
  std::sort(by_distance.begin(), by_distance.end(), [&](auto a, auto b) { return closer(field, a, b); });
  std::vector<bool> out(field.cost.size(), false);
  std::size_t cost_place = 0;
  std::size_t distance_place = 0;
  for (std::size_t left = field.entrants.size(); left > 1;) {
    while (out[by_cost[cost_place]]) ++cost_place;
    out[by_cost[cost_place]] = true;
    if (--left == 1) break;
    while (out[by_distance[distance_place]]) ++distance_place;
    out[by_distance[distance_place]] = true;
    --left;
  }
  for (const std::uint32_t candidate : field.entrants)
    if (!out[candidate]) return candidate;
  return field.cost.size();
}

/// The shapes that matter: free, tied, correlated either way, heavy tails, both zeros, infinities, duplicates.
std::pair<double, double> draw_shape(oracle::Uniform& random, int shape) {
  const double a = random();
  const double b = random();
  switch (shape) {
    case 0:
      return {a, b};
    case 1:
      return {std::floor(a * 40), b};
    case 2:
      return {a, std::floor(b * 25)};
    case 3:
      return {std::floor(a * 50), std::floor(b * 60)};
    case 4:
      return {a, 2 - a + b};
    case 5:
      return {a, 2 - a + 0.01 * b};
    case 6:
      return {a, a + 0.3 * b};
    case 7:
      return {std::tan(3.14 * (a - 0.5)), std::exp(9 * b)};
    case 8:
      return {a < 0.004 ? infinity : a > 0.996 ? -infinity : a - 0.5, b < 0.01 ? infinity : b};
    case 9:
      return {a < 0.004 ? -0.0 : a < 0.008 ? 0.0 : a - 0.5, b < 0.004 ? -0.0 : b < 0.008 ? 0.0 : b};
    case 10:
      return {a, b < 0.5 ? b * 1e-9 : 1e9 * b};
    default:
      return {std::floor(a * 3), std::floor(b * 2)};
  }
}
constexpr int shapes = 12;

std::array<RaceCriterion, 2> criteria_of(const Race& field) {
  return {{{field.cost, field.distance, true, false}, {field.distance, field.cost, false, true}}};
}

}  // namespace

TEST(RaceAtScale, ThinnedSmallRacesMatchTheLoops) {
  ThreadPool pool(2);
  oracle::Uniform random(11);
  for (int trial = 0; trial < 6000; ++trial) {
    const std::size_t m = trial % 4 == 0 ? 1 + static_cast<std::size_t>(trial / 4) % 70
                                         : 60 + static_cast<std::size_t>(random() * (trial % 40 == 1 ? 1500 : 240));
    Race field = draw_race(m, [&](std::size_t) { return draw_shape(random, trial % shapes); });
    if (trial % 3 == 0)
      for (std::size_t copies = m / 4; copies > 0; --copies) {
        const auto from = static_cast<std::size_t>(random() * static_cast<double>(m));
        const auto to = static_cast<std::size_t>(random() * static_cast<double>(m));
        field.cost[to] = field.cost[from];
        field.distance[to] = field.distance[from];
      }
    if (trial % 5 == 0) std::erase_if(field.entrants, [&](std::uint32_t i) { return i > 0 && random() < 0.3; });
    ASSERT_EQ(run_race(pool, field.entrants, field.cost, field.distance, 1), looped_race(field))
        << "trial " << trial << ", shape " << trial % shapes << ", m = " << m;
  }
}

TEST(RaceAtScale, EveryShapeMatchesTwoSortsAtAHundredThousand) {
  oracle::Uniform random(12);
  for (int shape = 0; shape < shapes; ++shape) {
    const Race field = draw_race(100000, [&](std::size_t) { return draw_shape(random, shape); });
    const std::size_t expected = sorted_race(field);
    for (const std::size_t threads : {1, 2, 7}) {
      ThreadPool pool(threads);
      ASSERT_EQ(run_race(pool, field.entrants, field.cost, field.distance), expected)
          << "shape " << shape << ", " << threads << " threads";
    }
  }
}

TEST(RaceAtScale, AMillionMatchesTwoSorts) {
  ThreadPool pool(2);
  oracle::Uniform random(13);
  for (const int shape : {0, 4}) {
    const Race field = draw_race(1000000, [&](std::size_t) { return draw_shape(random, shape); });
    EXPECT_EQ(run_race(pool, field.entrants, field.cost, field.distance), sorted_race(field)) << "shape " << shape;
  }
}

TEST(RaceAtScale, SizesRoundTheCutOffsMatchTwoSorts) {
  ThreadPool pool(2);
  oracle::Uniform random(14);
  for (const std::size_t cut : {std::size_t{4096}, race_thin_above, std::size_t{65536}})
    for (const std::size_t m : {cut - 1, cut, cut + 1}) {
      const Race field = draw_race(m, [&](std::size_t) { return draw_shape(random, static_cast<int>(m % 4)); });
      for (const std::size_t thin_above : {std::size_t{100}, race_thin_above})
        ASSERT_EQ(run_race(pool, field.entrants, field.cost, field.distance, thin_above), sorted_race(field))
            << "m = " << m << ", thinned above " << thin_above;
    }
}

TEST(RaceAtScale, EqualCostsLeaveTheFarthestAndEqualDistancesTheCheapest) {
  ThreadPool pool(2);
  oracle::Uniform random(15);
  const Race constant = draw_race(50000, [&](std::size_t) { return std::pair(2.5, random()); });
  EXPECT_EQ(run_race(pool, constant.entrants, constant.cost, constant.distance),
            static_cast<std::size_t>(std::max_element(constant.distance.begin(), constant.distance.end()) -
                                     constant.distance.begin()));
  const Race no_design = draw_race(50000, [&](std::size_t) { return std::pair(random(), infinity); });
  EXPECT_EQ(run_race(pool, no_design.entrants, no_design.cost, no_design.distance),
            static_cast<std::size_t>(std::min_element(no_design.cost.begin(), no_design.cost.end()) -
                                     no_design.cost.begin()));
  const Race alike = draw_race(50000, [](std::size_t i) { return std::pair(i % 2 == 0 ? 0.0 : -0.0, 1.0); });
  EXPECT_EQ(run_race(pool, alike.entrants, alike.cost, alike.distance), 0u);  // the highest index goes first
}

/// Naive thinning drops whoever stands early in one order without their turn. That the picks agree must not be luck.
TEST(RaceAtScale, WhoIsThinnedStillUsesUpATurn) {
  ThreadPool pool(2);
  oracle::Uniform random(16);
  int changed = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const Race field = draw_race(500, [&](std::size_t) { return std::pair(random(), random()); });
    Race naive = field;
    std::erase_if(naive.entrants, [&](std::uint32_t i) { return field.cost[i] > 0.6 || field.distance[i] < 0.3; });
    changed += looped_race(naive) != looped_race(field) ? 1 : 0;
    ASSERT_EQ(run_race(pool, field.entrants, field.cost, field.distance, 1), looped_race(field));
  }
  EXPECT_GT(changed, 0);
}

TEST(RaceGrid, FewAreTrackedAndTheOthersAreCountedWhereTheyStand) {
  ThreadPool pool(3);
  oracle::Uniform random(17);
  for (const int shape : {0, 9}) {
    const Race field = draw_race(5000, [&](std::size_t) { return draw_shape(random, shape); });
    const auto criteria = criteria_of(field);
    const RaceGrid grid(pool, field.entrants, criteria);
    ASSERT_TRUE(grid.even());
    const RacePlan plan =
        plan_race(grid.counts(), grid.bands(), 4000, 5000.0 / static_cast<double>(grid.bands()) / 8);
    const std::vector<std::uint32_t> tracked = grid.collect(plan, RaceFate::tracked);
    EXPECT_EQ(tracked.size(), grid.count(plan, RaceFate::tracked));
    EXPECT_LT(tracked.size(), 1500u);
    const auto orders = grid.orders(plan, tracked);
    for (const bool cost_is_due : {true, false}) {
      const std::size_t c = cost_is_due ? by_cost : by_distance;
      const auto before = [&](std::uint32_t a, std::uint32_t b) {
        return cost_is_due ? dearer(field, a, b) : closer(field, a, b);
      };
      std::vector<std::uint32_t> expected = tracked;
      std::sort(expected.begin(), expected.end(), before);
      std::vector<std::size_t> counted(tracked.size() + 1, 0);
      for (const std::uint32_t i : grid.collect(plan, static_cast<RaceFate>(c)))
        ++counted[static_cast<std::size_t>(std::lower_bound(expected.begin(), expected.end(), i, before) -
                                           expected.begin())];
      std::vector<std::size_t> found(tracked.size() + 1, 0);  // bands that meet between two tracked taken together
      for (std::size_t band = 0; band < grid.bands(); ++band)
        for (std::size_t place = orders[c].starts[band]; place <= orders[c].starts[band + 1]; ++place)
          found[place] += orders[c].counts[place + band];
      EXPECT_EQ(found, counted) << "shape " << shape << ", criterion " << c;
      for (std::size_t place = 0; place < tracked.size(); ++place)
        ASSERT_EQ(tracked[orders[c].tracked[place].rank], expected[place]);
    }
  }
}

/// Plans with too small a margin, down to such as are plainly wrong: a plan that the walk takes is right, whoever
/// made it.
TEST(RaceWalk, RefusesWrongPlansAndIsExactWithTheOthers) {
  ThreadPool pool(1);
  oracle::Uniform random(18);
  int taken = 0;
  int refused = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const std::size_t m = 200 + static_cast<std::size_t>(random() * 500);
    const Race field = draw_race(m, [&](std::size_t) {
      const auto [cost, distance] = draw_shape(random, trial % 3 == 0 ? 4 : 0);
      return std::pair(trial % 2 == 0 ? cost : std::floor(7 * cost) - 1e-3 * distance, distance);
    });
    const auto criteria = criteria_of(field);
    const RaceGrid grid(pool, field.entrants, criteria);
    if (!grid.even()) continue;
    const std::size_t turns = 2 * static_cast<std::size_t>(random() * static_cast<double>(m - 1) / 2);
    const std::vector<std::uint32_t> expected = looped_until(field, m - turns);
    for (const double bands : {-3.0, -1.0, -0.5, -0.2, 0.0, 0.2, 1.0}) {
      const double margin = bands * static_cast<double>(m) / static_cast<double>(grid.bands());
      const RacePlan plan = plan_race(grid.counts(), grid.bands(), turns, margin);
      const std::vector<std::uint32_t> tracked = grid.collect(plan, RaceFate::tracked);
      const auto out = take_turns(plan, grid.orders(plan, tracked));
      ++(out ? taken : refused);
      if (!out) continue;
      std::vector<std::uint32_t> left = grid.collect(plan, RaceFate::stays);
      for (std::size_t rank = 0; rank < tracked.size(); ++rank)
        if ((*out)[rank] == 0) left.push_back(tracked[rank]);
      std::sort(left.begin(), left.end());
      ASSERT_EQ(left, expected) << "trial " << trial << ", m = " << m << ", turns " << turns << ", margin " << bands;
    }
  }
  EXPECT_GT(taken, 200);
  EXPECT_GT(refused, 200);
}
