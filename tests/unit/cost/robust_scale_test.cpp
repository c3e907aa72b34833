#include "cost/robust_scale.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/not_finite.hpp"
#include "support/random.hpp"

namespace carbo::internal {
namespace {

using carbo::test::infinity;

/// E[min(x², t²)] over a standard normal by the midpoint rule: 4e5 panels on [−40, 40] are exact to about 1e-9, the
/// kinks at ±t included.
double expected_clipped_square(double threshold) {
  const int panels = 400000;
  const double width = 80.0 / panels;
  double sum = 0;
  for (int i = 0; i < panels; ++i) {
    const double x = -40.0 + (i + 0.5) * width;
    sum += std::min(x * x, threshold * threshold) * std::exp(-0.5 * x * x);
  }
  return sum * width / std::sqrt(2 * std::acos(-1.0));
}

double clipped_squares(const std::vector<double>& residuals, double scale, double threshold) {
  double sum = 0;
  for (const double r : residuals) sum += std::min(std::pow(r / scale, 2), threshold * threshold);
  return sum;
}

std::vector<double> normals(std::size_t count, std::uint64_t seed) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(normal(seed, Draw::fantasy, i));
  return values;
}

TEST(Proposal2Scale, SolvesItsEquation) {
  for (const double threshold : {0.5, 1.345, 3.0}) {
    const double expected = expected_clipped_square(threshold);
    for (const std::size_t count : {2, 3, 10, 101}) {
      for (std::uint64_t seed = 0; seed < 20; ++seed) {
        std::vector<double> residuals = normals(count, seed);
        residuals[0] *= std::pow(10.0, static_cast<double>(seed) - 10.0);
        const double freedom = 0.7 * static_cast<double>(count);
        const double scale = proposal2_scale(residuals, freedom, threshold);
        ASSERT_GT(scale, 0) << "count " << count << ", seed " << seed;
        // The integral above is the least exact term.
        EXPECT_NEAR(clipped_squares(residuals, scale, threshold) / (freedom * expected), 1.0, 1e-7)
            << "threshold " << threshold << ", count " << count << ", seed " << seed;
      }
    }
  }
}

TEST(Proposal2Scale, IsTheDeviationOfNormalResiduals) {
  // Its standard error is about 0.8 / √n: 0.008 here; four of them.
  EXPECT_NEAR(proposal2_scale(normals(10000, 3), 10000, 1.345), 1.0, 0.032);
}

TEST(Proposal2Scale, GrowsWithItsUnitAndDoesNotOverflow) {
  const std::vector<double> residuals = normals(50, 7);
  const double scale = proposal2_scale(residuals, 48, 1.345);
  for (const double unit : {1e-300, 1e-12, 1e12, 1e300}) {
    std::vector<double> others = residuals;
    for (double& r : others) r *= unit;
    EXPECT_NEAR(proposal2_scale(others, 48, 1.345) / unit / scale, 1.0, 1e-12) << unit;
  }
}

TEST(Proposal2Scale, OneOutlierMovesItLittleHoweverFar) {
  std::vector<double> residuals = normals(50, 7);
  const double before = proposal2_scale(residuals, 50, 1.345);
  for (const double outlier : {1e3, 1e30, infinity}) {
    residuals[0] = outlier;
    // One residual at the threshold adds at most 1.81 to a sum of 35.5, whose logarithm falls by 1.1 a unit of log s.
    EXPECT_NEAR(proposal2_scale(residuals, 50, 1.345) / before, 1.0, 0.06) << outlier;
  }
}

TEST(Proposal2Scale, WithoutEnoughResidualsIsZeroOrInfinite) {
  EXPECT_EQ(proposal2_scale({}, 1, 1.345), 0.0);
  EXPECT_EQ(proposal2_scale(std::vector<double>{0.0, 0.0, 0.0}, 3, 1.345), 0.0);
  // 1.81 from the one that differs from 0 is less than the 3.55 asked for.
  EXPECT_EQ(proposal2_scale(std::vector<double>{0.0, 0.0, 0.0, 0.0, 5.0}, 5, 1.345), 0.0);
  EXPECT_EQ(proposal2_scale(std::vector<double>{infinity, 1.0}, 2, 1.345), infinity);
  EXPECT_GT(proposal2_scale(std::vector<double>{-2.0}, 1, 1.345), 0.0);
}

TEST(MedianScale, IsTheLowerMedianOfTheLargest) {
  const std::vector<double> residuals{-3.0, 0.5, 100.0, -1.0, 2.0};
  const double factor = 1.4826022185056018;  // 1 / Φ⁻¹(3/4)
  EXPECT_DOUBLE_EQ(median_scale(residuals, 5), 2.0 * factor);
  EXPECT_DOUBLE_EQ(median_scale(residuals, 4), 2.0 * factor);
  EXPECT_DOUBLE_EQ(median_scale(residuals, 3), 3.0 * factor);
  EXPECT_DOUBLE_EQ(median_scale(residuals, 1), 100.0 * factor);
  EXPECT_DOUBLE_EQ(median_scale(residuals, 0), 100.0 * factor);
  EXPECT_EQ(median_scale({}, 3), 0.0);
}

TEST(HuberLoss, MatchesItsWeightsByFiniteDifferences) {
  for (const double cut : {0.3, 1.0, 7.0}) {
    for (const double r : {-20.0, -1.5, -0.2, 0.0, 0.2, 0.9, 6.9, 7.5}) {
      const double step = 1e-6;
      const double slope = (huber_loss(r + step, cut) - huber_loss(r - step, cut)) / (2 * step);
      // Rounding of the loss (at most 140) over the step.
      EXPECT_NEAR(slope, huber_weight(r, cut) * r, 140 * 2.3e-16 / step * 2) << "cut " << cut << ", residual " << r;
    }
  }
}

}  // namespace
}  // namespace carbo::internal
