#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <stdexcept>
#include <vector>

#include "replay/nearest_row.hpp"
#include "support/expect_error.hpp"

namespace carbo::replay {
namespace {

/// A real on a logarithmic scale, an integer and a category.
Space mixed_space() {
  return Space{real("rate", 1e-4, 1.0).log(), integer("depth", 0, 10), categorical("kind", {"a", "b", "c"})};
}

/// Squared distance by hand: decades of four, tenths, and 1 between two categories.
double distance(const double* a, const double* b) {
  const double rate = (std::log10(a[0]) - std::log10(b[0])) / 4, depth = (a[1] - b[1]) / 10;
  return rate * rate + depth * depth + (a[2] == b[2] ? 0.0 : 1.0);
}

TEST(NearestRow, IsTheOneWithTheLeastDistanceInTheUnitCube) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> exponent(-4, 0);
  std::uniform_int_distribution<int> depth(0, 10), kind(0, 2);
  const auto draw = [&](std::size_t count) {
    std::vector<double> numbers;
    for (std::size_t i = 0; i < count; ++i)
      for (const double number : {std::pow(10, exponent(random)), double(depth(random)), double(kind(random))})
        numbers.push_back(number);
    return numbers;
  };
  const std::vector<double> rows = draw(300), points = draw(200);
  const NearestRow nearest(mixed_space(), rows);
  ASSERT_EQ(nearest.rows(), 300u);
  for (std::size_t point = 0; point < 200; ++point) {
    std::size_t best = 0;
    for (std::size_t row = 1; row < 300; ++row)
      if (distance(&rows[3 * row], &points[3 * point]) < distance(&rows[3 * best], &points[3 * point])) best = row;
    EXPECT_EQ(nearest(std::span(points).subspan(3 * point, 3)), best) << "point " << point;
  }
}

TEST(NearestRow, OfARowIsTheRowAndOfEquallyNearOnesTheFirst) {
  const std::vector<double> rows{0.01, 6, 1, 0.01, 4, 1, 0.01, 6, 1};
  const NearestRow nearest(mixed_space(), rows);
  EXPECT_EQ(nearest(std::vector<double>{0.01, 6, 1}), 0u);
  EXPECT_EQ(nearest(std::vector<double>{0.01, 4, 1}), 1u);
  EXPECT_EQ(nearest(std::vector<double>{0.01, 4, 2}), 1u);
  EXPECT_EQ(NearestRow(mixed_space(), std::vector<double>{1, 0, 0})(std::vector<double>{1e-4, 10, 2}), 0u);
  const Space line{real("x", 0, 1)};
  EXPECT_EQ(NearestRow(line, std::vector<double>{0.75, 0.25})(std::vector<double>{0.5}), 0u);
  EXPECT_EQ(NearestRow(line, std::vector<double>{0.25, 0.75})(std::vector<double>{0.5}), 0u);
}

TEST(NearestRow, RefusesATableWithoutRowsAndPointsOutsideTheSpace) {
  expect_error<std::invalid_argument>([] { NearestRow(mixed_space(), {}); }, {"among 0 numbers", "rows of 3"});
  const std::vector<double> torn{0.1, 2, 0, 0.1};
  expect_error<std::invalid_argument>([&] { NearestRow(mixed_space(), torn); }, {"among 4 numbers"});
  const NearestRow nearest(mixed_space(), std::span(torn).first(3));
  expect_error<InvalidConfiguration>([&] { nearest(std::vector<double>{0.1, 11, 0}); }, {"depth"});
  expect_error<InvalidConfiguration>([&] { nearest(std::vector<double>{std::nan(""), 1, 0}); }, {"rate"});
  EXPECT_THROW(nearest(std::vector<double>{0.1, 1}), InvalidConfiguration);
}

}  // namespace
}  // namespace carbo::replay
