#include "gp/row_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "support/random.hpp"

namespace carbo::internal {
namespace {

TEST(RowOrder, InterleavesTheBestWithTheFarthest) {
  const std::vector<double> points = {0.0, 0.1, 0.2, 0.55, 1.0};
  const std::vector<double> targets = {3.0, -1.0, 2.0, 0.0, 5.0};
  // Best 0.1; farthest from it 1.0; next best 0.55; farthest from 0.1, 0.55 and 1.0 is 0.0 or 0.2 (both 0.1): the
  // first.
  EXPECT_EQ(spread_and_best_order({points.data(), 5, 1}, targets), (std::vector<std::size_t>{1, 4, 3, 0, 2}));
}

TEST(RowOrder, MeasuresDistancesInLengthscales) {
  const std::vector<double> points = {0.0, 0.0, 0.3, 0.0, 0.0, 0.2};
  const std::vector<double> targets = {0.0, 1.0, 2.0};
  EXPECT_EQ(spread_and_best_order({points.data(), 3, 2}, targets)[1], 1u);
  const std::vector<double> scales = {1.0, 10.0};
  EXPECT_EQ(spread_and_best_order({points.data(), 3, 2}, targets, scales)[1], 2u);
}

TEST(RowOrder, IsAPermutationWithRepeatsTiesAndManyRows) {
  for (const std::size_t rows : {1u, 2u, 511u, 512u, 513u, 700u}) {
    std::vector<double> points(rows * 2);
    std::vector<double> targets(rows);
    for (std::size_t i = 0; i < rows; ++i) {
      points[2 * i] = static_cast<double>(i % 7);
      points[2 * i + 1] = static_cast<double>(i % 5);
      targets[i] = std::floor(3.0 * uniform(1, Draw::uniform_configuration, i));
    }
    const auto order = spread_and_best_order({points.data(), rows, 2}, targets);
    EXPECT_EQ(std::set<std::size_t>(order.begin(), order.end()).size(), rows);
    EXPECT_EQ(order.size(), rows);
    EXPECT_EQ(targets[order.front()], *std::min_element(targets.begin(), targets.end()));
  }
  EXPECT_TRUE(spread_and_best_order({nullptr, 0, 2}, {}).empty());
}

}  // namespace
}  // namespace carbo::internal
