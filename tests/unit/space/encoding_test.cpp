#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include <carbo/error.hpp>
#include <carbo/space.hpp>

#include "support/expect_error.hpp"
#include "support/mixed_space.hpp"
#include "support/not_finite.hpp"

namespace carbo {
namespace {

using carbo::test::infinity;
using carbo::test::not_a_number;

TEST(Encoding, FollowsTheDefinition) {
  const Space space = mixed_space();
  ASSERT_EQ(space.encoded_columns(), 9u);
  const std::vector<int> owners(space.column_parameters().begin(), space.column_parameters().end());
  EXPECT_EQ(owners, (std::vector<int>{0, 1, 2, 2, 2, 3, 4, 5, 6}));
  const std::vector<double> code = space.encode(space.configuration(std::vector<double>{0.01, 8, 1, 1, 0.5, 32, 0}));
  const double half_root = 1.0 / std::sqrt(2.0);
  const std::vector<double> expected{0.5, 1.0, 0.0, half_root, 0.0, 0.5, 1.0, 0.5, 0.25};
  // Logarithms and divisions: a few roundings of numbers up to 10, at 1.1e-16 each relative.
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(code[i], expected[i], 1e-15) << "column " << i;
}

TEST(Encoding, TwoCategoriesAreAtDistanceOne) {
  const Space space{categorical("c", {"a", "b", "c", "d"})};
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < i; ++j) {
      const auto a = space.encode(space.configuration(std::vector<double>{static_cast<double>(i)}));
      const auto b = space.encode(space.configuration(std::vector<double>{static_cast<double>(j)}));
      double squared = 0;
      for (std::size_t k = 0; k < 4; ++k) squared += (a[k] - b[k]) * (a[k] - b[k]);
      EXPECT_NEAR(squared, 1.0, 4e-16);
    }
  }
}

TEST(Encoding, RoundTripIsExactForFiniteKinds) {
  const std::vector<Parameter> parameters{integer("i", -700, 1300),
                                          integer("l", 1, 5000).log(),
                                          integer("far", 1000000000000, 1000000002000).log(),
                                          ordinal("o", {"a", "b", "c", "d", "e", "f", "g"}),
                                          categorical("c", {"a", "b", "c"}),
                                          discrete("d", {-5, 0.1, 0.3, 1e10})};
  for (const Parameter& parameter : parameters) {
    const Space space{parameter};
    const bool labelled = !parameter.labels().empty();
    for (std::uint64_t i = 0; i < parameter.cardinality(); ++i) {
      const double number = labelled ? static_cast<double>(i)
                            : parameter.kind() == ParameterKind::discrete
                                ? parameter.values()[i]
                                : parameter.lower() + static_cast<double>(i);
      const Configuration x = space.configuration(std::vector<double>{number});
      const std::vector<double> code = space.encode(x);
      for (const double coordinate : code) {
        ASSERT_GE(coordinate, 0.0);
        ASSERT_LE(coordinate, 1.0);
      }
      ASSERT_EQ(space.decode(code), x) << parameter.name() << " " << number;
    }
  }
}

TEST(Encoding, RoundTripOfWideIntegersIsExact) {
  constexpr std::int64_t limit = std::int64_t{1} << 44;
  const Space space{integer("k", -limit, limit), integer("l", 1, limit).log()};
  for (std::int64_t i = 0; i < 2000; ++i) {
    const Configuration near_top = space.configuration({{"k", limit - i}, {"l", limit - i}});
    EXPECT_EQ(space.decode(space.encode(near_top)), near_top);
    const Configuration spread = space.configuration({{"k", i * i * i * 1000 - limit}, {"l", 1 + i * i * i * 1000}});
    EXPECT_EQ(space.decode(space.encode(spread)), spread);
  }
}

TEST(Encoding, RoundTripOfRealsIsWithinRounding) {
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  const Space linear{real("x", -3.0, 1000.0)};
  const Space log{real("x", 1e-300, 1e300).log()};
  for (int i = 0; i <= 1000; ++i) {
    const double x = -3.0 + 1.003 * i;
    const double back = linear.decode(linear.encode(linear.configuration(std::vector<double>{x}))).real("x");
    EXPECT_NEAR(back, x, 3.0 * epsilon * 1003.0);  // three roundings at the size of the range
    const double y = std::min(1e300, 1e-300 * std::pow(10.0, 0.6 * i));
    const double other = log.decode(log.encode(log.configuration(std::vector<double>{y}))).real("x");
    EXPECT_NEAR(other, y, y * 4.0 * epsilon * 1400.0);  // rounding of logarithms that span 1,382
  }
  for (const double end : {-3.0, 1000.0}) {
    EXPECT_EQ(linear.decode(linear.encode(linear.configuration(std::vector<double>{end}))).real("x"), end);
  }
}

TEST(Encoding, DecodeGivesTheNearestAndClamps) {
  const Space space{real("x", 2, 4), integer("k", 0, 4), discrete("d", {1, 10, 100}), ordinal("o", {"a", "b"})};
  EXPECT_EQ(space.decode(std::vector<double>{-5, -5, -5, -5}).to_string(), "x=2 k=0 d=1 o=a");
  EXPECT_EQ(space.decode(std::vector<double>{5, infinity, 5, 5}).to_string(), "x=4 k=4 d=100 o=b");
  EXPECT_EQ(space.decode(std::vector<double>{0.5, 0.3, 0.3, 0.6}).to_string(), "x=3 k=1 d=10 o=b");
  const Space category{categorical("c", {"a", "b", "c"})};
  EXPECT_EQ(category.decode(std::vector<double>{0.1, 0.3, 0.2}).category("c"), "b");
  EXPECT_EQ(category.decode(std::vector<double>{0.3, 0.3, 0.3}).category("c"), "a");
}

// On a log scale the whole number nearest to a coordinate minimises |log k − t|, here by trying all.
TEST(Encoding, DecodeOfLogIntegersIsNearestInLogarithms) {
  const Space space{integer("k", 2, 90).log()};
  for (int i = 0; i <= 997; ++i) {
    const double coordinate = i / 997.0;
    const double wanted = std::log(2.0) + coordinate * (std::log(90.0) - std::log(2.0));
    int best = 2;
    for (int k = 3; k <= 90; ++k) {
      if (std::abs(std::log(k) - wanted) < std::abs(std::log(best) - wanted)) best = k;
    }
    EXPECT_EQ(space.decode(std::vector<double>{coordinate}).integer("k"), best) << coordinate;
  }
}

TEST(EncodingErrors, SizesAndNaN) {
  const Space space{real("x", 0, 1), categorical("c", {"a", "b"})};
  std::vector<double> three(3);
  std::vector<double> two(2);
  expect_error<InvalidConfiguration>([&] { space.encode(three, three); }, {"3 numbers", "2 parameters"});
  expect_error<InvalidConfiguration>([&] { space.encode(two, two); }, {"holds 2 numbers", "give 3"});
  expect_error<InvalidConfiguration>(
      [&] {
        space.encode(std::vector<double>{0.5, 7}, three);
      },
      {"'c'", "position 7"});
  expect_error<InvalidConfiguration>([&] { space.decode(two); }, {"holds 2 numbers", "give 3"});
  expect_error<InvalidConfiguration>([&] { space.decode(std::vector<double>{not_a_number, 0, 1}); }, {"'x'", "NaN"});
  expect_error<InvalidConfiguration>(
      [&] {
        space.decode(std::vector<double>{0.5, 0, not_a_number});
      },
      {"'c'", "NaN"});
  expect_error<InvalidConfiguration>([&] { space.from_unit(three, two); }, {"holds 3 numbers", "give 2"});
  expect_error<InvalidConfiguration>([&] { space.from_unit(two, three); }, {"holds 3 numbers", "give 2"});
  expect_error<InvalidConfiguration>(
      [&] {
        space.from_unit(std::vector<double>{0, not_a_number}, two);
      },
      {"'c'", "NaN"});
}

TEST(FromUnit, FiniteKindsGetEqualSharesAndTheEndsStayInside) {
  const std::vector<Parameter> parameters{integer("i", -2, 2), ordinal("o", {"a", "b", "c", "d", "e"}),
                                          categorical("c", {"a", "b", "c", "d", "e"}),
                                          discrete("d", {-7, 0, 1, 5, 11})};
  for (const Parameter& parameter : parameters) {
    const Space space{parameter};
    std::map<double, int> hits;
    double number = 0;
    for (int i = 0; i < 1000; ++i) {
      space.from_unit(std::vector<double>{(i + 0.5) / 1000.0}, {&number, 1});
      ++hits[number];
      EXPECT_NO_THROW(space.configuration(std::vector<double>{number}));
    }
    EXPECT_EQ(hits.size(), 5u);
    for (const auto& [value, count] : hits) EXPECT_EQ(count, 200) << parameter.name() << " " << value;
    space.from_unit(std::vector<double>{0.0}, {&number, 1});
    EXPECT_EQ(number, parameter.lower());
    for (const double unit : {std::nextafter(1.0, 0.0), 1.0, 1.5}) {
      space.from_unit(std::vector<double>{unit}, {&number, 1});
      EXPECT_EQ(number, parameter.upper()) << parameter.name() << " at " << unit;
    }
  }
}

TEST(FromUnit, LogIntegersGetTheirShareOfTheLogarithms) {
  const Space space{integer("k", 1, 100).log()};
  constexpr int steps = 100000;
  std::vector<int> hits(101, 0);
  double number = 0;
  for (int i = 0; i < steps; ++i) {
    space.from_unit(std::vector<double>{(i + 0.5) / steps}, {&number, 1});
    ++hits[static_cast<std::size_t>(number)];
  }
  for (int k = 1; k <= 100; ++k) {
    const double share = std::log((k + 0.5) / (k - 0.5)) / std::log(100.5 / 0.5);
    EXPECT_NEAR(hits[static_cast<std::size_t>(k)], share * steps, 1.01) << k;  // one grid step at each end
  }
}

TEST(FromUnit, RealsFollowTheirScale) {
  const Space space{real("x", -2, 6), real("y", 1e-4, 1).log()};
  std::vector<double> numbers(2);
  space.from_unit(std::vector<double>{0.25, 0.5}, numbers);
  EXPECT_EQ(numbers[0], 0.0);
  EXPECT_NEAR(numbers[1], 0.01, 1e-16);
  space.from_unit(std::vector<double>{1.0, 1.0}, numbers);
  EXPECT_EQ(numbers[0], 6.0);
  EXPECT_EQ(numbers[1], 1.0);
}

TEST(FromUnit, WidestIntegersStayExactAndInside) {
  constexpr std::int64_t limit = (std::int64_t{1} << 53) - 1;
  const Space space{integer("k", -limit, limit), integer("l", 1, limit).log()};
  std::vector<double> numbers(2);
  for (int i = 0; i <= 1000; ++i) {
    space.from_unit(std::vector<double>{i / 1000.0, i / 1000.0}, numbers);
    const Configuration x = space.configuration(numbers);
    EXPECT_NO_THROW(space.decode(space.encode(x)));
  }
}

}  // namespace
}  // namespace carbo
