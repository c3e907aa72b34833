#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "support/search_paths.hpp"

// Batches whose picks join a round, against plain loops over the improvement of every candidate.
namespace {

using namespace search_cases;

struct Picked {
  std::size_t index = 0;
  double score = 0;
};

/// A batch as it is defined: of every candidate the improvement, by the dense pass without a cost, and the cost
/// beside those before it.
std::vector<Picked> by_plain_loops(const Case& c, std::size_t count, std::size_t together, double lowest) {
  DensePath path(c);
  Incumbents incumbents({lowest});
  std::vector<Picked> picks;
  std::vector<double> lengths;
  for (std::size_t k = 0; k < count; ++k) {
    Asked improvement{incumbents.now(), spec_of(c), std::numeric_limits<double>::infinity()};
    improvement.acquisition.parameter = 0;
    const std::vector<double> gains = path.scores(improvement);
    Picked best{0, -std::numeric_limits<double>::infinity()};
    for (std::size_t i = 0; i < gains.size(); ++i) {
      double cost = std::exp(c.log_costs[i]);
      double length = 0;
      for (const double one : lengths) length = std::max(length, one);
      if (k > 0 && k < together) {
        const double beyond = cost > length ? cost / length : 1.0;
        cost = std::max(cost, length) * std::pow(beyond, static_cast<double>(k));
      }
      const double score = gains[i] - c.alpha * std::log(cost);
      if (score > best.score) best = {i, score};
    }
    picks.push_back(best);
    lengths.push_back(std::exp(c.log_costs[best.index]));
    path.world().set->exclude(best.index);
    std::vector<double> normals;
    for (std::uint32_t f = 0; f < c.fantasies; ++f) normals.push_back(normal(c.seed, Draw::fantasy, k, f));
    incumbents.add(path.fantasise(c.candidate(best.index), normals));
  }
  return picks;
}

std::vector<Picked> by_search(const Case& c, std::size_t count, std::size_t together, double lowest) {
  BoundedPath path(c);
  Incumbents incumbents({lowest});
  std::vector<Picked> picks;
  BatchRequest request;
  request.count = count;
  request.together = together;
  request.acquisition = spec_of(c);
  request.incumbents = &incumbents;
  request.normals = [&](std::size_t pick) {
    std::vector<double> normals;
    for (std::uint32_t f = 0; f < c.fantasies; ++f) normals.push_back(normal(c.seed, Draw::fantasy, pick, f));
    return normals;
  };
  request.take = [&](const PickedRow& picked) {
    picks.push_back({picked.best.index, picked.best.score});
    path.world().set->exclude(picked.best.index);
    return c.candidate(picked.best.index);
  };
  EXPECT_EQ(path.search().pick(request), BatchEnd::complete);
  return picks;
}

TEST(RoundSearch, PicksAreThoseOfPlainLoops) {
  std::size_t changed = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Case c = late_case({60, 500, 7}, seed);
    c.alpha = seed % 2 == 0 ? 1.0 : 0.5;
    const double lowest = *std::min_element(c.targets.begin(), c.targets.end());
    std::vector<std::vector<Picked>> all;
    for (const std::size_t together : {0, 4, 7}) {
      const std::vector<Picked> expected = by_plain_loops(c, 7, together, lowest);
      all.push_back(by_search(c, 7, together, lowest));
      ASSERT_EQ(all.back().size(), expected.size());
      for (std::size_t k = 0; k < expected.size(); ++k) {
        EXPECT_EQ(all.back()[k].index, expected[k].index) << "pick " << k << " of " << c;
        EXPECT_NEAR(all.back()[k].score, expected[k].score, 1e-9);
      }
    }
    for (std::size_t k = 0; k < 7; ++k) changed += all[0][k].index != all[2][k].index ? 1 : 0;
  }
  EXPECT_GE(changed, 6u) << "rounds have to matter to picks";
}

}  // namespace
