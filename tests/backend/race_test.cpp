#include <gtest/gtest.h>

#include <cmath>

#include "carbo/error.hpp"
#include "formulas/sort_keys.hpp"
#include "support/backend_fixture.hpp"
#include "support/not_finite.hpp"

using namespace fixture;
using oracle::Points;

namespace {

using carbo::test::infinity;

struct Entrant {
  std::size_t index;
  double cost;
  double distance;
};

/// The paper's loops, literally: look at everyone left, strike the dearest; look again, strike the closest.
std::size_t literal_race(std::vector<Entrant> left) {
  const auto strike = [&](const auto& goes_before) {
    std::size_t worst = 0;
    for (std::size_t i = 1; i < left.size(); ++i)
      if (goes_before(left[i], left[worst])) worst = i;
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(worst));
  };
  const auto dearer = [](const Entrant& a, const Entrant& b) {
    if (a.cost != b.cost) return a.cost > b.cost;
    if (a.distance != b.distance) return a.distance < b.distance;
    return a.index > b.index;
  };
  const auto closer = [](const Entrant& a, const Entrant& b) {
    if (a.distance != b.distance) return a.distance < b.distance;
    if (a.cost != b.cost) return a.cost > b.cost;
    return a.index > b.index;
  };
  if (left.empty()) return Scored::none;
  while (left.size() > 1) {
    strike(dearer);
    if (left.size() == 1) break;
    strike(closer);
  }
  return left.front().index;
}

double distance_to(const Points& design, const std::vector<double>& point) {
  double nearest = infinity;
  for (const auto& other : design) {
    double squared = 0;
    for (std::size_t c = 0; c < point.size(); ++c) squared += (point[c] - other[c]) * (point[c] - other[c]);
    nearest = std::min(nearest, squared);
  }
  return std::sqrt(nearest);
}

/// Points on a coarse dyadic grid: distances are exact and tie often.
Points grid_points(oracle::Uniform& random, std::size_t count, double levels) {
  Points x = random.points(count, 2);
  for (auto& row : x)
    for (double& value : row) value = std::floor(value * levels) / levels;
  return x;
}

}  // namespace

TEST(RaceKeys, KeepTheOrderOfDoubles) {
  const double values[] = {-infinity, -1e300, -1.0, -1e-320, 0.0, 1e-320, 1.0, 1.0000000000000002, 1e300, infinity};
  for (std::size_t i = 0; i + 1 < std::size(values); ++i) {
    EXPECT_LT(carbo::kernels::ascending_key(values[i]), carbo::kernels::ascending_key(values[i + 1]));
    EXPECT_GT(carbo::kernels::descending_key(values[i]), carbo::kernels::descending_key(values[i + 1]));
  }
  EXPECT_EQ(carbo::kernels::ascending_key(-0.0), carbo::kernels::ascending_key(0.0));
}

TEST(Race, MatchesTheLiteralLoopsWithTiesMasksAndLimits) {
  const auto backend = cpu(2);
  oracle::Uniform random(3);
  for (int trial = 0; trial < 400; ++trial) {
    const std::size_t m =
        trial < 60 ? 1 + static_cast<std::size_t>(trial) % 6 : 1 + static_cast<std::size_t>(random() * 300);
    const double levels = trial % 3 == 0 ? 2 : 8;
    const Points x = grid_points(random, m, levels);
    const Points design = grid_points(random, static_cast<std::size_t>(trial) % 4, levels);
    std::vector<double> cost(m);
    for (double& c : cost) c = trial % 5 == 0 ? 1.0 : std::floor(random() * levels) - 2.0;
    const double limit = trial % 7 == 0 ? 0.0 : infinity;
    const auto set = backend->make_candidates(Rows(x).view());
    set->set_design(Rows(design).view());
    std::vector<Entrant> entrants;
    for (std::size_t i = 0; i < m; ++i) {
      if (trial % 2 == 1 && random() < 0.3) set->exclude(i);
      if (set->is_available(i) && cost[i] <= limit) entrants.push_back({i, cost[i], distance_to(design, x[i])});
    }
    const auto field = backend->make_field(cost, {});
    ASSERT_EQ(backend->race(*set, *field, limit), literal_race(entrants)) << "trial " << trial << ", m = " << m;
  }
}

TEST(Race, LargeSetsTakeTheRadixPathAndAgree) {
  const auto backend = cpu(2);
  oracle::Uniform random(4);
  for (const bool ties : {false, true}) {
    const std::size_t m = 6000;
    const Points x = ties ? grid_points(random, m, 16) : random.points(m, 2);
    const Points design = {{0.5, 0.25}};
    std::vector<double> cost(m);
    for (double& c : cost) c = ties ? std::floor(random() * 3) : random() * 10 - 5;
    const auto set = backend->make_candidates(Rows(x).view());
    set->set_design(Rows(design).view());
    std::vector<Entrant> entrants;
    for (std::size_t i = 0; i < m; ++i) entrants.push_back({i, cost[i], distance_to(design, x[i])});
    EXPECT_EQ(backend->race(*set, *backend->make_field(cost, {}), infinity), literal_race(entrants));
  }
}

TEST(Race, ConstantCostIsGreedyFarthestPoint) {
  const auto backend = cpu(2);
  oracle::Uniform random(5);
  const Points x = random.points(700, 3);
  const auto set = backend->make_candidates(Rows(x).view());
  const auto cost = backend->make_field(std::vector<double>(700, 2.5), {});
  Points design = {x[10]};
  set->set_design(Rows(design).view());
  set->exclude(10);
  for (int pick = 0; pick < 25; ++pick) {
    std::size_t farthest = 0;
    for (std::size_t i = 1; i < x.size(); ++i)
      if (distance_to(design, x[i]) > distance_to(design, x[farthest])) farthest = i;
    EXPECT_DOUBLE_EQ(set->fill(), distance_to(design, x[farthest]));
    const std::size_t winner = backend->race(*set, *cost, infinity);
    ASSERT_EQ(winner, farthest) << "pick " << pick;
    design.push_back(x[winner]);
    set->add_design_point(x[winner]);
    set->exclude(winner);
  }
}

TEST(Race, WithoutDesignTheCheapestRemainsAndNothingLeftIsNone) {
  const auto backend = cpu(1);
  const auto set = backend->make_candidates(Rows({{0.1}, {0.2}, {0.3}, {0.4}}).view());
  const auto cost = backend->make_field(std::vector<double>{3, 1, 1, 2}, {});
  EXPECT_EQ(set->fill(), infinity);
  EXPECT_EQ(backend->race(*set, *cost, infinity), 1u);  // all distances tie, so every exclusion goes by cost
  EXPECT_EQ(backend->race(*set, *cost, 0.5), Scored::none);
  for (std::size_t i = 0; i < 4; ++i) set->exclude(i);
  set->exclude(2);
  EXPECT_EQ(set->available(), 0u);
  EXPECT_EQ(backend->race(*set, *cost, infinity), Scored::none);
  EXPECT_THROW(set->exclude(4), carbo::InvalidOptions);
}

TEST(Race, DoesNotDependOnThreadsOrTiles) {
  oracle::Uniform random(6);
  const Points x = random.points(5001, 4);
  const std::vector<double> cost = random.values(5001, -1, 1);
  const Points design = random.points(9, 4);
  std::size_t winner = Scored::none;
  double fill = 0;
  for (const std::size_t threads : {1, 2, 7})
    for (const std::size_t tile : {0, 300, 1001}) {
      const auto backend = cpu(threads, tile);
      const auto set = backend->make_candidates(Rows(x).view());
      set->set_design(Rows(design).view());
      set->add_design_point(x[17]);
      const std::size_t now = backend->race(*set, *backend->make_field(cost, {}), infinity);
      if (winner == Scored::none) {
        winner = now;
        fill = set->fill();
      }
      EXPECT_EQ(now, winner);
      EXPECT_EQ(set->fill(), fill);
    }
}
