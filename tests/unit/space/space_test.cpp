#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <carbo/error.hpp>
#include <carbo/space.hpp>

#include "support/expect_error.hpp"
#include "support/mixed_space.hpp"
#include "support/not_finite.hpp"
#include "support/text.hpp"

namespace carbo {
namespace {

using carbo::test::infinity;
using carbo::test::not_a_number;

void expect_refused(const Parameter& parameter, const std::vector<std::string>& parts) {
  expect_error<InvalidSpace>([&] { Space space{parameter}; }, parts);
}

TEST(SpaceErrors, BoundsReversed) {
  expect_refused(real("x", 2, 1), {"'x'", "lower bound 2 is above upper bound 1", "smaller one first"});
  expect_refused(integer("k", 5, -5), {"integer parameter 'k'", "5 is above upper bound -5"});
}

TEST(SpaceErrors, BoundsEqual) {
  expect_refused(real("x", 0.25, 0.25), {"'x'", "both bounds are 0.25", "leave a constant out"});
  expect_refused(integer("k", 3, 3), {"'k'", "both bounds are 3"});
}

TEST(SpaceErrors, BoundsNotFinite) {
  expect_refused(real("x", not_a_number, 1), {"'x'", "[NaN, 1]", "finite"});
  expect_refused(real("x", 0, not_a_number), {"'x'", "[0, NaN]", "finite"});
  expect_refused(real("x", -infinity, 1), {"'x'", "-inf", "finite"});
  expect_refused(real("x", 0, infinity), {"'x'", "inf", "finite"});
}

TEST(SpaceErrors, BoundsWhoseDifferenceOverflows) {
  expect_refused(real("x", -1e308, 1e308), {"'x'", "too far apart", "difference must be finite"});
}

TEST(SpaceErrors, NonPositiveBoundsOnALogScale) {
  expect_refused(real("x", 0, 1).log(), {"'x'", "lower bound 0 has no logarithm", "above 0"});
  expect_refused(real("x", -1, 1).log(), {"'x'", "lower bound -1"});
  expect_refused(integer("k", 0, 8).log(), {"'k'", "lower bound 0"});
}

TEST(SpaceErrors, BoundsTooCloseForALogScale) {
  expect_refused(real("x", 1e10, std::nextafter(1e10, 2e10)).log(), {"'x'", "same logarithm", "linear scale"});
}

TEST(SpaceErrors, IntegersThatADoubleCannotHold) {
  constexpr std::int64_t limit = (std::int64_t{1} << 53) - 1;
  expect_refused(integer("k", 0, limit + 1), {"'k'", "exactly", "2^53 - 1"});
  expect_refused(integer("k", -limit - 1, 0), {"'k'", "exactly"});
  expect_refused(integer("k", std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()),
                 {"'k'", "exactly"});
  EXPECT_EQ(integer("k", std::numeric_limits<std::int64_t>::min(), 0).cardinality(), 0u);
  const Space space{integer("k", -limit, limit)};
  EXPECT_EQ(space.cardinality(), 2 * static_cast<std::uint64_t>(limit) + 1);
}

TEST(SpaceErrors, NamesEmptyOrRepeated) {
  expect_refused(real("", 0, 1), {"parameter 0 has an empty name"});
  expect_error<InvalidSpace>(
      [] {
        Space space({real("a", 0, 1), real("b", 0, 1), integer("a", 0, 1)});
      },
      {"parameters 0 and 2", "'a'", "a name of its own"});
}

TEST(SpaceErrors, CategoriesMissingEmptyRepeatedOrSingle) {
  expect_refused(categorical("c", {}), {"'c'", "has no category", "two or more"});
  expect_refused(categorical("c", {"one"}), {"'c'", "'one' as its only category", "two or more"});
  expect_refused(categorical("c", {"a", ""}), {"'c'", "category 1 has an empty name"});
  expect_refused(categorical("c", {"a", "b", "a"}), {"'c'", "category 'a' is given twice"});
}

TEST(SpaceErrors, LevelsMissingEmptyRepeatedOrSingle) {
  expect_refused(ordinal("o", {}), {"ordinal parameter 'o'", "has no level"});
  expect_refused(ordinal("o", {"low"}), {"'o'", "'low' as its only level"});
  expect_refused(ordinal("o", {"", "high"}), {"'o'", "level 0 has an empty name"});
  expect_refused(ordinal("o", {"low", "low"}), {"'o'", "level 'low' is given twice"});
}

TEST(SpaceErrors, DiscreteValues) {
  expect_refused(discrete("d", {}), {"'d'", "has no values"});
  expect_refused(discrete("d", {0.5}), {"'d'", "0.5 as its only value"});
  expect_refused(discrete("d", {1, 3, 2}), {"'d'", "value 2 comes after 3", "ascending"});
  expect_refused(discrete("d", {1, 1, 2}), {"'d'", "value 1 is given twice"});
  expect_refused(discrete("d", {-0.0, 0.0}), {"'d'", "value 0 is given twice"});
  expect_refused(discrete("d", {1, not_a_number, 2}), {"'d'", "value 1 is NaN", "finite"});
  expect_refused(discrete("d", {1, infinity}), {"'d'", "value 1 is inf", "finite"});
}

TEST(SpaceErrors, LogOfWhatHasNoScale) {
  expect_refused(categorical("c", {"a", "b"}).log(), {"categorical parameter 'c'", "leave out log()"});
  expect_refused(ordinal("o", {"a", "b"}).log(), {"'o'", "only real and integer"});
  expect_refused(discrete("d", {1, 2}).log(), {"'d'", "only real and integer"});
}

TEST(SpaceErrors, NoneOrTooManyParameters) {
  expect_error<InvalidSpace>([] { Space space(std::vector<Parameter>{}); }, {"no parameters", "1 to 100"});
  std::vector<Parameter> parameters;
  for (int i = 0; i < 100; ++i) parameters.push_back(real(internal::text("x", i), 0, 1));
  EXPECT_EQ(Space(parameters).encoded_columns(), 100u);
  parameters.push_back(real("one more", 0, 1));
  expect_error<InvalidSpace>([&] { Space space(parameters); }, {"101 parameters", "at most 100"});
}

TEST(SpaceErrors, EmptyPredicate) {
  Space space{real("x", 0, 1)};
  expect_error<InvalidSpace>([&] { space.constrain({}, "budget"); }, {"'budget'", "empty"});
  EXPECT_FALSE(space.constrained());
}

TEST(Space, CountsItsConfigurations) {
  EXPECT_EQ(Space({integer("a", 1, 4), categorical("b", {"x", "y"}), discrete("c", {1, 2, 4})}).cardinality(), 24u);
  EXPECT_EQ(mixed_space().cardinality(), 0u);
  EXPECT_FALSE(mixed_space().finite());
  std::vector<Parameter> many;
  for (int i = 0; i < 63; ++i) many.push_back(integer(internal::text("b", i), 0, 1));
  EXPECT_EQ(Space(many).cardinality(), std::uint64_t{1} << 63);
  many.push_back(integer("last", 0, 1));
  EXPECT_EQ(Space(many).cardinality(), 0u);
  EXPECT_TRUE(Space(many).finite());
}

TEST(Configuration, GivesValuesByName) {
  const Space space = mixed_space();
  const Configuration x = space.configuration({{"rate", 0.01},
                                               {"layers", 4},
                                               {"optimizer", "adam"},
                                               {"size", "large"},
                                               {"dropout", 0.1},
                                               {"width", 64.0},
                                               {"shift", 2}});
  EXPECT_EQ(x.real("rate"), 0.01);
  EXPECT_EQ(x.integer("layers"), 4);
  EXPECT_EQ(x.real("layers"), 4.0);
  EXPECT_EQ(x.category("optimizer"), "adam");
  EXPECT_EQ(x.category("size"), "large");
  EXPECT_EQ(x.integer("size"), 2);
  EXPECT_EQ(x.real("dropout"), 0.1);
  EXPECT_EQ(std::get<double>(x.value("shift")), 2.0);
  EXPECT_EQ(std::get<std::int64_t>(x.value("width")), 64);
  EXPECT_EQ(std::get<std::string>(x.value("size")), "large");
  EXPECT_EQ(x.to_string(), "rate=0.01 layers=4 optimizer=adam size=large dropout=0.1 width=64 shift=2");
  EXPECT_EQ(space.configuration(x.numbers()), x);
}

TEST(Configuration, OutlivesItsSpaceAndComparesByMeaning) {
  const auto make = [](std::vector<std::string> names) {
    return Space{categorical("c", std::move(names))}.configuration({{"c", "b"}});
  };
  const Configuration x = make({"a", "b"});
  EXPECT_EQ(x.category("c"), "b");
  EXPECT_EQ(x, make({"a", "b"}));
  EXPECT_FALSE(x == make({"z", "b"}));
  const Space space{real("x", -1, 1)};
  EXPECT_EQ(space.configuration({{"x", -0.0}}), space.configuration({{"x", 0.0}}));
  EXPECT_FALSE(std::signbit(space.configuration({{"x", -0.0}}).real("x")));
}

TEST(Configuration, PrintsNumbersThatReadBack) {
  const Space space{real("x", -1e300, 1e300)};
  for (const double x : {0.1 + 0.2, 1.0 / 3.0, 1e-310, -2.5e17, 1e299, 4503599627370497.5}) {
    const std::string printed = space.configuration({{"x", x}}).to_string();
    EXPECT_EQ(std::strtod(printed.c_str() + 2, nullptr), x) << printed;
  }
  EXPECT_EQ(space.configuration({{"x", 1000000}}).to_string(), "x=1000000");
}

TEST(ConfigurationErrors, ReadingTheWrongKindOrName) {
  const Configuration x = mixed_space().configuration(std::vector<double>{0.1, 1, 1, 1, 0.5, 2, 0});
  expect_error<InvalidConfiguration>([&] { x.real("nothing"); }, {"no parameter 'nothing'", "'rate'", "'shift'"});
  expect_error<InvalidConfiguration>([&] { x.real("optimizer"); }, {"'optimizer' is categorical", "category()"});
  expect_error<InvalidConfiguration>([&] { x.real("size"); }, {"'size' is ordinal", "category() or integer()"});
  expect_error<InvalidConfiguration>([&] { x.integer("rate"); }, {"'rate' is real", "real()"});
  expect_error<InvalidConfiguration>([&] { x.integer("dropout"); }, {"'dropout' is discrete", "real()"});
  expect_error<InvalidConfiguration>([&] { x.category("layers"); }, {"'layers' is integer", "integer() or real()"});
}

TEST(ConfigurationErrors, ValuesByName) {
  const Space space{real("x", 0, 1), integer("k", 1, 3), categorical("c", {"a", "b"}), discrete("d", {1, 2.5})};
  using Values = std::map<std::string, Value>;
  const Values good{{"x", 0.5}, {"k", 2}, {"c", "a"}, {"d", 2.5}};
  EXPECT_EQ(space.configuration(good).to_string(), "x=0.5 k=2 c=a d=2.5");
  const auto refused = [&](const std::string& name, const Value& value, const std::vector<std::string>& parts) {
    Values changed = good;
    changed[name] = value;
    expect_error<InvalidConfiguration>([&] { space.configuration(changed); }, parts);
  };
  refused("x", 1.5, {"'x'", "value 1.5", "in [0, 1]"});
  refused("x", not_a_number, {"'x'", "value NaN", "in [0, 1]"});
  refused("x", infinity, {"'x'", "value inf"});
  refused("x", "half", {"'x'", "'half' is not a number"});
  refused("k", 4, {"'k'", "value 4", "a whole number in [1, 3]"});
  refused("k", 1.5, {"'k'", "value 1.5", "a whole number"});
  refused("c", "z", {"'c'", "no 'z'", "one of 'a', 'b'"});
  refused("c", 1, {"'c'", "takes a name", "one of 'a', 'b'"});
  refused("d", 2.0, {"'d'", "value 2", "one of 1, 2.5"});
  refused("d", not_a_number, {"'d'", "value NaN"});
  refused("e", 2.0, {"no parameter 'e'"});
  Values missing = good;
  missing.erase("k");
  expect_error<InvalidConfiguration>([&] { space.configuration(missing); }, {"'k' has no value", "[1, 3]"});
}

TEST(ConfigurationErrors, Numbers) {
  const Space space{real("x", 0, 1), ordinal("o", {"a", "b"})};
  const auto refused = [&](const std::vector<double>& numbers, const std::vector<std::string>& parts) {
    expect_error<InvalidConfiguration>([&] { space.configuration(numbers); }, parts);
  };
  refused({0.5}, {"1 numbers", "2 parameters"});
  refused({0.5, 0, 0}, {"3 numbers", "2 parameters"});
  refused({0.5, 2}, {"'o'", "position 2", "[0, 1]"});
  refused({0.5, -1}, {"'o'", "position -1"});
  refused({0.5, 0.5}, {"'o'", "position 0.5", "whole"});
  refused({0.5, not_a_number}, {"'o'", "position NaN"});
}

TEST(Constraints, AllHoldAndTheFirstViolatedIsNamed) {
  Space space{integer("a", 0, 4), integer("b", 0, 4)};
  space.constrain([](const Configuration& x) { return x.integer("a") + x.integer("b") <= 4; }, "a + b <= 4")
      .constrain([](const Configuration& x) { return x.integer("a") != 2; });
  EXPECT_TRUE(space.constrained());
  const auto at = [&](double a, double b) { return space.configuration(std::vector<double>{a, b}); };
  EXPECT_TRUE(space.allows(at(1, 3)));
  EXPECT_EQ(space.violated(at(1, 3)), "");
  EXPECT_FALSE(space.allows(at(2, 4)));
  EXPECT_EQ(space.violated(at(2, 4)), "a + b <= 4");
  EXPECT_EQ(space.violated(at(2, 1)), "constraint");
}

}  // namespace
}  // namespace carbo
