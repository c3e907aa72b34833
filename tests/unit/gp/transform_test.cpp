#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include <carbo/error.hpp>

#include "gp/transform.hpp"

namespace carbo::internal {
namespace {

void expect_standardised(const std::vector<double>& values, double tolerance) {
  long double mean = 0, square = 0;
  for (const double value : values) mean += value;
  mean /= values.size();
  for (const double value : values) square += (value - mean) * (value - mean);
  EXPECT_NEAR(static_cast<double>(mean), 0.0, tolerance);
  EXPECT_NEAR(static_cast<double>(square / values.size()), 1.0, tolerance);
}

TEST(TargetTransform, StandardisesToMeanZeroAndVarianceOne) {
  for (const double shift : {0.0, -3.0, 1e6}) {
    for (const double scale : {1e-3, 1.0, 1e5}) {
      std::vector<double> values;
      for (int i = 0; i < 37; ++i) values.push_back(shift + scale * std::sin(i * 1.7));
      const TargetTransform transform(Transform::none, values);
      // Rounding of the values themselves, relative to their spread.
      expect_standardised(transform.standardised(), 1e-13 + 4e-16 * std::abs(shift) / scale);
      for (std::size_t i = 0; i < values.size(); ++i) {
        EXPECT_DOUBLE_EQ(transform.forward(values[i]), transform.standardised()[i]);
        EXPECT_NEAR(transform.backward(transform.standardised()[i]), values[i],
                    1e-15 * (std::abs(shift) + 4 * scale));
      }
    }
  }
}

TEST(TargetTransform, ScaleAndShiftOfTheValuesDoNotMatter) {
  const std::vector<double> values{3.0, -1.0, 0.5, 8.0};
  std::vector<double> moved;
  for (const double value : values) moved.push_back(1024.0 * value - 64.0);
  const TargetTransform first(Transform::none, values), second(Transform::none, moved);
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(first.standardised()[i], second.standardised()[i], 1e-14);
  }
}

TEST(TargetTransform, EqualValuesBecomeZeroWithScaleOne) {
  for (const Transform kind : {Transform::none, Transform::log, Transform::rank}) {
    for (const double value : {0.1, 3.0, 1e300}) {
      for (const std::size_t count : {1u, 2u, 10u}) {
        const TargetTransform transform(kind, std::vector<double>(count, value));
        for (const double target : transform.standardised()) EXPECT_EQ(target, 0.0);
        EXPECT_NEAR(transform.backward(0.0) / value, 1.0, 1e-12);
      }
    }
  }
  const TargetTransform transform(Transform::none, std::vector<double>{5.0, 5.0});
  EXPECT_EQ(transform.forward(7.0), 2.0);
}

TEST(TargetTransform, ValuesEqualToRoundingBecomeZeroToRounding) {
  const double next = std::nextafter(1e300, 2e300);
  const TargetTransform transform(Transform::none, std::vector<double>{1e300, next, next});
  for (const double target : transform.standardised()) EXPECT_NEAR(target, 0.0, 1e-14);
}

TEST(TargetTransform, HugeAndTinyValuesNeitherOverflowNorVanish) {
  const double huge = std::numeric_limits<double>::max();
  expect_standardised(TargetTransform(Transform::none, std::vector<double>{huge, -huge, 0.0}).standardised(), 1e-14);
  expect_standardised(TargetTransform(Transform::none, std::vector<double>{1e-300, 2e-300, 5e-300}).standardised(),
                      1e-14);
  const TargetTransform ranked(Transform::rank, std::vector<double>{huge, -huge});
  EXPECT_EQ(ranked.backward(0.0), 0.0);
}

TEST(TargetTransform, LogStandardisesLogarithms) {
  const std::vector<double> values{1e-8, 1.0, 1e8};
  const TargetTransform transform(Transform::log, values);
  const double expected = std::sqrt(1.5);  // −1, 0, 1 over their standard deviation √(2/3)
  EXPECT_NEAR(transform.standardised()[0], -expected, 1e-14);
  EXPECT_NEAR(transform.standardised()[1], 0.0, 1e-14);
  EXPECT_NEAR(transform.standardised()[2], expected, 1e-14);
  EXPECT_NEAR(transform.backward(transform.forward(0.37)), 0.37, 1e-14);
}

TEST(TargetTransform, RankGivesNormalScoresAndTiesShareThem) {
  const std::vector<double> values{50.0, -1.0, 50.0, 1e9};
  const TargetTransform transform(Transform::rank, values);
  // Mean ranks 2.5, 1, 2.5, 4 of 4: probabilities 1/2, 1/8, 1/2, 7/8. Φ⁻¹(7/8) = 1.150349…; over its sd it is √2.
  EXPECT_NEAR(transform.standardised()[0], 0.0, 1e-14);
  EXPECT_NEAR(transform.standardised()[1], -std::numbers::sqrt2, 1e-12);
  EXPECT_EQ(transform.standardised()[0], transform.standardised()[2]);
  EXPECT_NEAR(transform.standardised()[3], std::numbers::sqrt2, 1e-12);
  EXPECT_EQ(transform.backward(9.0), 1e9);
  EXPECT_EQ(transform.backward(-9.0), -1.0);
  EXPECT_EQ(transform.forward(1e10), transform.standardised()[3]);
  EXPECT_NEAR(transform.backward(-std::numbers::sqrt2 / 2), 24.5, 1e-9);
  for (const double value : values) EXPECT_NEAR(transform.backward(transform.forward(value)), value, 1e-9 * 1e9);
}

TEST(TargetTransform, RanksAreBlindToMonotoneMaps) {
  std::vector<double> values, mapped;
  for (int i = 0; i < 20; ++i) {
    values.push_back(std::sin(i * 2.1));
    mapped.push_back(std::exp(20 * values.back()));
  }
  const TargetTransform first(Transform::rank, values), second(Transform::rank, mapped);
  for (int i = 0; i < 20; ++i) EXPECT_NEAR(first.standardised()[i], second.standardised()[i], 1e-13);
}

TEST(TargetTransform, RefusesWhatItCannotTransform) {
  for (const Transform kind : {Transform::none, Transform::log, Transform::rank}) {
    for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
      EXPECT_THROW(TargetTransform(kind, std::vector<double>{1.0, bad}), InvalidObservation);
    }
  }
  EXPECT_THROW(TargetTransform(Transform::log, std::vector<double>{1.0, 0.0}), InvalidObservation);
  EXPECT_THROW(TargetTransform(Transform::log, std::vector<double>{-1.0}), InvalidObservation);
}

TEST(NormalQuantile, MatchesPublishedValues) {
  // Odeh and Evans' tables and mpmath at 30 digits.
  EXPECT_NEAR(normal_quantile(0.5), 0.0, 1e-16);
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-14);
  EXPECT_NEAR(normal_quantile(0.025), -1.959963984540054, 1e-14);
  EXPECT_NEAR(normal_quantile(0.875), 1.1503493803760082, 1e-14);
  EXPECT_NEAR(normal_quantile(1e-10), -6.361340902404056, 1e-13);
  EXPECT_NEAR(normal_quantile(0.4999), -0.0002506628300880351, 1e-16);
}

TEST(TargetTransform, RanksOfSubnormalNeighboursAreFinite) {
  const std::vector<double> values{0.0, 4.9406564584124654e-324, 9.8813129168249309e-324, 1.5e-323};
  const TargetTransform transform(Transform::rank, values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_TRUE(std::isfinite(transform.standardised()[i])) << i;
    EXPECT_TRUE(std::isfinite(transform.forward(values[i]))) << i;
    if (i > 0) {
      EXPECT_GE(transform.standardised()[i], transform.standardised()[i - 1]) << i;
    }
  }
}

}  // namespace
}  // namespace carbo::internal
