#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "replay/statistics.hpp"
#include "support/not_finite.hpp"

namespace carbo::replay {
namespace {

using carbo::test::infinity;

TEST(BenchStatistics, QuantilesInterpolateOrderStatistics) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_EQ(quantile({10, 20, 30, 40, 50}, 0.25), 20);
  EXPECT_EQ(quantile({0, 10}, 0.3), 3);
  EXPECT_EQ(quantile({7}, 0.9), 7);
  EXPECT_EQ(quantile({5, 1}, 0), 1);
  EXPECT_EQ(quantile({5, 1}, 1), 5);
}

TEST(BenchStatistics, InfiniteEntriesCountAsLargest) {
  EXPECT_EQ(median({infinity, 1, 2}), 2);
  EXPECT_EQ(median({infinity, infinity, 1}), infinity);
  EXPECT_EQ(median({infinity, infinity, 1, 2}), infinity);
  EXPECT_EQ(median({infinity, infinity}), infinity);
}

TEST(BenchStatistics, RefusesWhatHasNoQuantile) {
  EXPECT_THROW(median({}), std::invalid_argument);
  EXPECT_THROW(median({1, NAN}), std::invalid_argument);
  EXPECT_THROW(quantile({1}, 1.5), std::invalid_argument);
  EXPECT_THROW(mean({}), std::invalid_argument);
}

}  // namespace
}  // namespace carbo::replay
