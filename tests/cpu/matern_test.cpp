#include "formulas/matern.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "backend/cpu/covariance.hpp"

namespace kernels = carbo::kernels;
using namespace carbo::internal;

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

long double matern_by_definition(long double r) {
  const long double s = std::sqrt(5.0L) * r;
  return (1 + s + s * s / 3) * std::exp(-s);
}

}  // namespace

TEST(Matern, FollowsItsDefinition) {
  for (double r = 0; r < 100; r = r * 1.01 + 1e-9) {
    const double exact = static_cast<double>(matern_by_definition(r));
    // The argument's rounding is amplified by √5 r in the exponential.
    EXPECT_NEAR(kernels::matern(r * r), exact, epsilon * exact * (8 + 4 * r)) << r;
  }
  EXPECT_EQ(kernels::matern(0.0), 1.0);
  EXPECT_EQ(kernels::matern(1e12), 0.0);
  EXPECT_TRUE(std::isnan(kernels::matern(std::numeric_limits<double>::quiet_NaN())));
}

TEST(Matern, SlopeIsTheDerivativeByLogLengthscale) {
  for (const double r : {0.05, 0.4, 1.0, 3.0, 9.0}) {
    const long double step = 1e-5L;
    const long double up = matern_by_definition(r * std::exp(-step));
    const long double down = matern_by_definition(r * std::exp(step));
    const double difference = static_cast<double>((up - down) / (2 * step));
    const kernels::MaternWithSlope value = kernels::matern_with_slope(r * r);
    EXPECT_NEAR(value.slope * r * r, difference,
                1e-9 * (1 + r * r));                        // central differences: step² · third derivative
    EXPECT_DOUBLE_EQ(value.value, kernels::matern(r * r));  // what is fused the compiler decides, place by place
  }
}

TEST(SquaredDistances, MatchPlainLoopsForEveryDimension) {
  for (std::size_t columns = 1; columns <= 13; ++columns) {
    const std::size_t stride = 264;
    std::vector<double> points(columns * stride);
    std::vector<double> point(columns);
    for (std::size_t i = 0; i < points.size(); ++i) points[i] = std::sin(1.0 + static_cast<double>(i) * 0.37);
    for (std::size_t c = 0; c < columns; ++c) point[c] = std::cos(static_cast<double>(c));
    std::vector<double> squared(panel_width, -1.0);
    squared_distances(point.data(), 1, {points.data(), stride, columns}, 8, 248, squared.data());
    for (std::size_t j = 0; j < 248; ++j) {
      long double exact = 0;
      for (std::size_t c = 0; c < columns; ++c) {
        const long double d = static_cast<long double>(points[c * stride + 8 + j]) - point[c];
        exact += d * d;
      }
      ASSERT_NEAR(squared[j], static_cast<double>(exact), 4 * epsilon * static_cast<double>(columns));
    }
    EXPECT_EQ(squared[248], -1.0);
  }
}

TEST(SquaredDistances, AreExactlyZeroAtTheSamePoint) {
  std::vector<double> points(3 * 8, 0.1);
  const double point[] = {0.1, 0.1, 0.1};
  double squared[8];
  squared_distances(point, 1, {points.data(), 8, 3}, 0, 8, squared);
  for (const double value : squared) EXPECT_EQ(value, 0.0);
}
