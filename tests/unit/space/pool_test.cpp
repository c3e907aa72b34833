#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <carbo/error.hpp>
#include <carbo/space.hpp>

#include "support/expect_error.hpp"
#include "support/not_finite.hpp"

namespace carbo {
namespace {

using carbo::test::infinity;
using carbo::test::not_a_number;

TEST(Pool, KeepsEveryRow) {
  const Space space{real("x", 0, 1), categorical("c", {"a", "b"})};
  const std::vector<double> numbers{0.5, 1, -0.0, 0, 0.5, 1};
  const Pool pool(space, numbers, 3);
  EXPECT_EQ(pool.size(), 3u);
  EXPECT_EQ(pool.row(0)[0], 0.5);
  EXPECT_EQ(pool.row(2)[1], 1.0);
  EXPECT_FALSE(std::signbit(pool.row(1)[0]));
  expect_error<InvalidPool>([&] { pool.row(3); }, {"row 3", "3 rows"});
  const Pool same(space, {space.configuration(pool.row(0)), space.configuration(pool.row(1))});
  EXPECT_EQ(same.size(), 2u);
  EXPECT_EQ(same.row(0)[1], 1.0);
}

TEST(Pool, CopiesShareRowsThatOutliveTheOriginal) {
  const Space space{real("x", 0, 1)};
  std::vector<double> numbers{0.25, 0.5, 0.75};
  auto original = std::make_unique<Pool>(space, numbers, 3);
  const Pool copy = *original;
  EXPECT_EQ(copy.numbers().data(), original->numbers().data());
  original.reset();
  numbers.assign(3, 9.0);  // the caller's own rows are no longer needed
  EXPECT_EQ(copy.size(), 3u);
  EXPECT_EQ(copy.row(2)[0], 0.75);
  Pool assigned(space, std::vector<double>{0.125}, 1);
  assigned = copy;
  EXPECT_EQ(assigned.row(1)[0], 0.5);
}

TEST(PoolErrors, ShapeAndValues) {
  const Space space{real("x", 0, 1), categorical("c", {"a", "b"})};
  const auto refused = [&](const std::vector<double>& numbers, std::size_t rows,
                           const std::vector<std::string>& parts) {
    expect_error<InvalidPool>([&] { Pool pool(space, numbers, rows); }, parts);
  };
  refused({}, 0, {"no rows", "at least one"});
  refused({0.5, 1, 0.5}, 1, {"3 numbers for 1 rows", "2 parameters", "give 2"});
  refused({0.5, 1}, 2, {"2 numbers for 2 rows", "give 4"});
  refused({0.5, 1}, std::numeric_limits<std::size_t>::max() / 2 + 2, {"at most 2^31"});
  refused({0.5, 1, not_a_number, 1}, 2, {"row 1", "'x'", "NaN", "in [0, 1]"});
  refused({0.5, 1, 0.5, 2}, 2, {"row 1", "'c'", "position 2"});
  refused({0.5, 1, 0.5, 0, infinity, 1}, 3, {"row 2", "'x'", "inf"});
  refused({1.5, 0}, 1, {"row 0", "'x'", "value 1.5", "in [0, 1]"});
}

TEST(PoolErrors, ConfigurationsOfAnotherSpace) {
  const Space space{real("x", 0, 1), categorical("c", {"a", "b"})};
  const Space other{real("x", 0, 1), categorical("c", {"b", "a"})};
  const Space wider{real("x", 0, 9), categorical("c", {"a", "b"})};
  expect_error<InvalidPool>([&] { Pool pool(space, std::vector<Configuration>{}); }, {"no rows"});
  expect_error<InvalidPool>(
      [&] {
        Pool pool(space, {other.configuration({{"x", 0.5}, {"c", "a"}})});
      },
      {"row 0", "x=0.5 c=a", "another space"});
  expect_error<InvalidPool>(
      [&] {
        Pool pool(space, {wider.configuration({{"x", 5.0}, {"c", "a"}})});
      },
      {"row 0", "'x'", "value 5"});
}

}  // namespace
}  // namespace carbo
