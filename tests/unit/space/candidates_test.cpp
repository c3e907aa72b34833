#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <carbo/error.hpp>

#include "space/candidates.hpp"
#include "space/local.hpp"
#include "support/continuous_space.hpp"
#include "support/encoded_table.hpp"
#include "support/expect_error.hpp"
#include "support/sobol_options.hpp"
#include "support/text.hpp"

namespace carbo {
namespace {

using test::continuous;
using test::sobol_options;

using internal::CandidateTable;
using internal::LocalCentres;
using internal::make_candidate_table;
using internal::uniform_draw;

Space mixed() {
  return Space{real("x", -1, 3),
               real("l", 1e-3, 10).log(),
               integer("k", 0, 40),
               integer("w", 1, 4096).log(),
               categorical("c", {"a", "b", "c"}),
               discrete("d", {1, 2, 4, 8, 16}),
               ordinal("o", {"low", "mid", "high"})};
}

std::set<std::vector<double>> rows_of(const CandidateTable& table) {
  std::set<std::vector<double>> rows;
  for (std::size_t i = 0; i < table.rows; ++i) rows.emplace(table.numbers_of(i).begin(), table.numbers_of(i).end());
  return rows;
}

/// Distinct, valid, allowed and encoded as the space encodes.
void expect_sound(const Space& space, const CandidateTable& table) {
  ASSERT_EQ(table.parameters, space.parameters().size());
  ASSERT_EQ(table.columns, space.encoded_columns());
  ASSERT_EQ(table.numbers.size(), table.rows * table.parameters);
  const std::vector<double> encoded = test::encoded(table);
  ASSERT_EQ(encoded.size(), table.rows * table.columns);
  EXPECT_EQ(rows_of(table).size(), table.rows);
  for (std::size_t i = 0; i < table.rows; ++i) {
    const Configuration x = space.configuration(table.numbers_of(i));
    ASSERT_TRUE(space.allows(x)) << x.to_string();
    const std::vector<double> code = space.encode(x);
    ASSERT_TRUE(std::equal(code.begin(), code.end(), encoded.data() + i * table.columns)) << x.to_string();
  }
}

TEST(SobolCandidates, AreSoundInEveryKindOfSpace) {
  for (const Space& space : {continuous(1), continuous(6), mixed()}) {
    for (const std::size_t count : {1u, 2u, 1000u}) {
      const CandidateTable table = make_candidate_table(space, sobol_options(count), 7, 0, {});
      EXPECT_EQ(table.rows, count);
      EXPECT_TRUE(table.pool_index.empty());
      expect_sound(space, table);
    }
  }
}

TEST(SobolCandidates, StratifyEveryDimensionUpToOneHundred) {
  const Space space = continuous(100);
  const CandidateTable table = make_candidate_table(space, sobol_options(256), 3, 0, {});
  ASSERT_EQ(table.rows, 256u);
  for (std::size_t j = 0; j < 100; ++j) {
    std::set<int> strata;
    for (std::size_t i = 0; i < 256; ++i) strata.insert(static_cast<int>(table.numbers_of(i)[j] * 256));
    EXPECT_EQ(strata.size(), 256u) << "dimension " << j;
  }
}

TEST(SobolCandidates, DependOnSeedAndRoundAndOnNothingElse) {
  const Space space = mixed();
  const auto numbers = [&](std::uint64_t seed, std::uint64_t round) {
    return make_candidate_table(space, sobol_options(200), seed, round, {}).numbers;
  };
  EXPECT_EQ(numbers(1, 0), numbers(1, 0));
  EXPECT_NE(numbers(1, 0), numbers(2, 0));
  EXPECT_NE(numbers(1, 0), numbers(1, 1));
  // A shorter set is the beginning of a longer one.
  const std::vector<double> first = make_candidate_table(space, sobol_options(50), 1, 0, {}).numbers;
  const std::vector<double> all = numbers(1, 0);
  EXPECT_TRUE(std::equal(first.begin(), first.end(), all.begin()));
}

TEST(SobolCandidates, DropDuplicatesOfAFiniteSpaceAndFindAllOfIt) {
  const Space space{integer("k", 0, 9), categorical("c", {"a", "b"})};
  const CandidateTable table = make_candidate_table(space, sobol_options(4096), 5, 0, {});
  EXPECT_EQ(table.rows, 20u);
  expect_sound(space, table);
}

TEST(SobolCandidates, GoOnWhereConstraintsRejectMost) {
  Space space = continuous(2);
  space.constrain([](const Configuration& x) { return x.real("x0") < 0.05; }, "x0 < 0.05");
  const CandidateTable table = make_candidate_table(space, sobol_options(500), 5, 0, {});
  EXPECT_EQ(table.rows, 500u);  // 1 in 20 is allowed and 64 times 500 indices may be tried
  expect_sound(space, table);
}

TEST(SobolCandidates, GiveWhatIsThereWhereConstraintsRejectNearlyAll) {
  Space space = continuous(2);
  space.constrain([](const Configuration& x) { return x.real("x0") < 1.0 / 1024; }, "x0 < 1/1024");
  // 64 · 128 indices, 2^13, put 2^13 / 2^10 = 8 points in the allowed stratum.
  const CandidateTable table = make_candidate_table(space, sobol_options(128), 5, 0, {});
  EXPECT_EQ(table.rows, 8u);
  expect_sound(space, table);
}

TEST(CandidateErrors, NothingSatisfiesTheConstraints) {
  Space space{real("x", 0, 1), integer("k", 0, 3)};
  space.constrain([](const Configuration&) { return false; }, "never true");
  expect_error<InvalidSpace>([&] { make_candidate_table(space, sobol_options(64), 1, 0, {}); },
                             {"none of 4096 Sobol points", "'never true'", "loosen"});
  Space finite{integer("k", 0, 3)};
  finite.constrain([](const Configuration&) { return false; }, "never true");
  expect_error<InvalidSpace>([&] { make_candidate_table(finite, {}, 1, 0, {}); },
                             {"no configuration of the space", "'never true'"});
  CandidateOptions options;
  options.pool = std::make_shared<Pool>(finite, std::vector<double>{1, 2}, 2);
  expect_error<InvalidSpace>([&] { make_candidate_table(finite, options, 1, 0, {}); },
                             {"no row of the pool", "'never true'"});
  EXPECT_FALSE(uniform_draw(finite, 1, 0).has_value());
}

TEST(CandidateErrors, Options) {
  const Space space = continuous(1);
  expect_error<InvalidOptions>([&] { make_candidate_table(space, sobol_options(0), 1, 0, {}); },
                               {"candidates.count is 0", "1 to 2^31"});
  expect_error<InvalidOptions>([&] { make_candidate_table(space, sobol_options(8, 1.5), 1, 0, {}); },
                               {"local_share is 1.5", "0 to 1"});
  expect_error<InvalidOptions>([&] { make_candidate_table(space, sobol_options(8, std::nan("")), 1, 0, {}); },
                               {"local_share", "0 to 1"});
}

TEST(CandidateErrors, EnumerationOfAnInfiniteOrTooLargeSpace) {
  CandidateOptions options;
  options.source = CandidateSource::enumeration;
  expect_error<InvalidOptions>([&] { make_candidate_table(continuous(1), options, 1, 0, {}); },
                               {"real parameter", "CandidateSource::sobol"});
  const Space large{integer("a", 1, 1000), integer("b", 1, 1000)};
  expect_error<InvalidOptions>([&] { make_candidate_table(large, options, 1, 0, {}); },
                               {"1000000 configurations", "enumeration_limit is 65536", "raise the limit"});
  std::vector<Parameter> bits;
  for (int i = 0; i < 100; ++i) bits.push_back(integer(internal::text("b", i), 0, 1));
  expect_error<InvalidOptions>([&] { make_candidate_table(Space(bits), options, 1, 0, {}); }, {"more than 2^63"});
}

TEST(Enumeration, HoldsEveryConfigurationOnceInOrder) {
  const Space space{discrete("d", {1, 4}), integer("k", -1, 1), categorical("c", {"a", "b"})};
  const CandidateTable table = make_candidate_table(space, {}, 1, 0, {});
  ASSERT_EQ(table.rows, 12u);
  expect_sound(space, table);
  std::size_t row = 0;
  for (const double d : {1.0, 4.0}) {
    for (const double k : {-1.0, 0.0, 1.0}) {
      for (const double c : {0.0, 1.0}) {
        const auto numbers = table.numbers_of(row++);
        EXPECT_EQ(std::vector<double>(numbers.begin(), numbers.end()), (std::vector<double>{d, k, c}));
      }
    }
  }
}

TEST(Enumeration, KeepsToTheConstraints) {
  Space space{integer("lc", 0, 4), integer("lp", 0, 4)};
  space.constrain([](const Configuration& x) { return x.integer("lc") + x.integer("lp") <= 4; }, "lc + lp <= 4");
  const CandidateTable table = make_candidate_table(space, {}, 1, 0, {});
  EXPECT_EQ(table.rows, 15u);
  expect_sound(space, table);
}

TEST(FixedCandidates, FollowsSourceSizeAndPool) {
  const Space small{integer("k", 1, 10)};
  const Space large{integer("k", 1, 100000)};
  CandidateOptions options;
  EXPECT_TRUE(internal::fixed_candidates(small, options));
  EXPECT_FALSE(internal::fixed_candidates(large, options));
  EXPECT_FALSE(internal::fixed_candidates(continuous(1), options));
  options.enumeration_limit = 10;
  EXPECT_TRUE(internal::fixed_candidates(small, options));
  options.enumeration_limit = 9;
  EXPECT_FALSE(internal::fixed_candidates(small, options));
  options.source = CandidateSource::sobol;
  EXPECT_FALSE(internal::fixed_candidates(small, options));
  options.pool = std::make_shared<Pool>(small, std::vector<double>{1}, 1);
  EXPECT_TRUE(internal::fixed_candidates(small, options));
  options.pool = nullptr;
  options.source = CandidateSource::enumeration;
  EXPECT_TRUE(internal::fixed_candidates(large, options));
}

TEST(PoolCandidates, KeepTheFirstOfDuplicatesAndWhatIsAllowed) {
  Space space{real("x", -1, 1), integer("k", 0, 3)};
  space.constrain([](const Configuration& x) { return x.integer("k") != 2; }, "k != 2");
  CandidateOptions options;
  options.pool = std::make_shared<Pool>(
      space, std::vector<double>{0.5, 2, 0.5, 1, 0.0, 1, 0.5, 1, -0.0, 1, 0.25, 3, 0.5, 2, 0.5, 0}, 8);
  const CandidateTable table = make_candidate_table(space, options, 1, 0, {});
  expect_sound(space, table);
  EXPECT_EQ(table.numbers, (std::vector<double>{0.5, 1, 0.0, 1, 0.25, 3, 0.5, 0}));
  EXPECT_EQ(table.pool_index, (std::vector<std::size_t>{1, 2, 5, 7}));
}

TEST(PoolCandidates, RefuseAPoolOfAnotherSpace) {
  const Space two{real("x", 0, 1), real("y", 0, 1)};
  const Space narrow{real("x", 0, 0.5), real("y", 0, 1)};
  CandidateOptions options;
  options.pool = std::make_shared<Pool>(two, std::vector<double>{0.25, 0.5, 0.75, 0.5}, 2);
  expect_error<InvalidPool>([&] { make_candidate_table(continuous(1), options, 1, 0, {}); },
                            {"2 parameters", "this one has 1"});
  expect_error<InvalidPool>([&] { make_candidate_table(narrow, options, 1, 0, {}); },
                            {"row 1", "'x'", "0.75", "another space"});
}

// Many equal rows and rows that differ in one bit: the set must neither merge nor repeat.
TEST(PoolCandidates, TellRowsApartByTheirLastBit) {
  const Space space = continuous(2);
  std::vector<double> numbers;
  double x = 0.5;
  for (int i = 0; i < 5000; ++i) {
    for (int copy = 0; copy < 3; ++copy) numbers.insert(numbers.end(), {x, 0.5});
    x = std::nextafter(x, 1.0);
  }
  CandidateOptions options;
  options.pool = std::make_shared<Pool>(space, numbers, 15000);
  const CandidateTable table = make_candidate_table(space, options, 1, 0, {});
  ASSERT_EQ(table.rows, 5000u);
  for (std::size_t i = 0; i < 5000; ++i) EXPECT_EQ(table.pool_index[i], 3 * i);
}

TEST(LocalCandidates, CentresTakeTurnsWithMoreForTheBest) {
  std::vector<int> turns(4, 0);
  for (std::size_t row = 0; row < 100; ++row) ++turns[internal::centre_of(row, 4)];
  EXPECT_EQ(turns, (std::vector<int>{40, 30, 20, 10}));
  for (std::size_t row = 0; row < 5; ++row) EXPECT_EQ(internal::centre_of(row, 1), 0u);
}

TEST(LocalCandidates, LieRoundTheCentreAndNeverOnIt) {
  const Space space = mixed();
  const LocalCentres centres{{{0.5, 0.1, 40, 1, 1, 16, 0}}};
  const CandidateTable table = make_candidate_table(space, sobol_options(1000, 0.4), 9, 3, centres);
  expect_sound(space, table);
  EXPECT_GT(table.rows, 950u);  // some local rows repeat each other where only levels move
  EXPECT_LE(table.rows, 1000u);
  const CandidateTable global = make_candidate_table(space, sobol_options(600), 9, 3, {});
  EXPECT_TRUE(std::equal(global.numbers.begin(), global.numbers.end(), table.numbers.begin()));

  std::vector<int> moved(7, 0);
  std::vector<double> steps;
  for (std::size_t i = 600; i < table.rows; ++i) {
    const auto row = table.numbers_of(i);
    int changes = 0;
    for (std::size_t j = 0; j < 7; ++j) {
      const bool change = row[j] != centres.numbers[0][j];
      moved[j] += change;
      changes += change;
    }
    EXPECT_GE(changes, 1);
    if (row[0] != 0.5) steps.push_back(std::abs(row[0] - 0.5) / 4.0);
  }
  // Each is moved with probability 1/7 + 6/7·0.3 = 0.4; of 400 rows 160 ± 9.8. Retries favour rows that move more.
  for (std::size_t j = 0; j < 7; ++j) {
    EXPECT_GT(moved[j], 110) << "parameter " << j;
    EXPECT_LT(moved[j], 230) << "parameter " << j;
  }
  // |step| is scale·|z|, scale log-uniform on [1e-3, 0.3] with median 0.017: half lie below about 0.01.
  std::sort(steps.begin(), steps.end());
  EXPECT_GT(steps[steps.size() / 2], 0.004);
  EXPECT_LT(steps[steps.size() / 2], 0.03);
  EXPECT_LT(steps.front(), 0.001);
  EXPECT_GT(steps.back(), 0.1);
}

TEST(LocalCandidates, ReachEveryOtherCategoryAndStepAtLeastOneLevel) {
  const Space space{categorical("c", {"a", "b", "c", "d"}), integer("k", 0, 100000), real("x", 0, 1)};
  const std::vector<internal::Axis> axes = internal::axes_of(space);
  const std::vector<double> centre{2, 100000, 0.0};
  std::map<double, int> categories;
  std::vector<double> row(3);
  for (std::uint64_t i = 0; i < 4000; ++i) {
    internal::perturb(axes, centre, {1, 0, i, 0}, row);
    ASSERT_NO_THROW(space.configuration(row));
    ASSERT_NE(row, centre);
    ++categories[row[0]];
  }
  ASSERT_EQ(categories.size(), 4u);
  const double moved = 4000 - categories[2];
  // One in three each; five standard deviations of a binomial.
  for (const double c : {0.0, 1.0, 3.0}) EXPECT_NEAR(categories[c], moved / 3, 5 * std::sqrt(moved * 2 / 9));
}

TEST(LocalCandidates, OfAOneParameterSpaceOfTwoValuesIsTheOther) {
  const Space space{integer("k", 0, 1)};
  const std::vector<internal::Axis> axes = internal::axes_of(space);
  std::vector<double> row(1);
  for (std::uint64_t i = 0; i < 100; ++i) {
    internal::perturb(axes, std::vector<double>{static_cast<double>(i % 2)}, {1, 0, i, 0}, row);
    EXPECT_EQ(row[0], static_cast<double>(1 - i % 2));
  }
}

TEST(LocalCandidates, KeepToTheConstraintsAndChangeWithTheRound) {
  Space space = continuous(3);
  space.constrain([](const Configuration& x) { return x.real("x0") + x.real("x1") <= 1; }, "x0 + x1 <= 1");
  const LocalCentres centres{{{0.5, 0.5, 0.1}, {0.2, 0.2, 0.9}}};
  const CandidateTable first = make_candidate_table(space, sobol_options(400, 0.5), 2, 0, centres);
  const CandidateTable second = make_candidate_table(space, sobol_options(400, 0.5), 2, 1, centres);
  expect_sound(space, first);
  EXPECT_GT(first.rows, 390u);
  EXPECT_NE(first.numbers, second.numbers);
  EXPECT_EQ(first.numbers, make_candidate_table(space, sobol_options(400, 0.5), 2, 0, centres).numbers);
}

TEST(LocalCandidates, AShareOfOneStillLeavesASobolPoint) {
  const Space space = continuous(2);
  const LocalCentres centres{{{0.5, 0.5}}};
  EXPECT_EQ(make_candidate_table(space, sobol_options(100, 1.0), 2, 0, centres).rows, 100u);
  EXPECT_EQ(make_candidate_table(space, sobol_options(1, 1.0), 2, 0, centres).rows, 1u);
  EXPECT_EQ(make_candidate_table(space, sobol_options(100, 1.0), 2, 0, {}).rows, 100u);
}

TEST(CandidateErrors, CentreOutsideTheSpace) {
  const Space space = continuous(2);
  expect_error<InvalidConfiguration>(
      [&] {
        make_candidate_table(space, sobol_options(8, 0.5), 1, 0, LocalCentres{{{0.5, 2.0}}});
      },
      {"'x1'", "value 2"});
  expect_error<InvalidConfiguration>(
      [&] { make_candidate_table(space, sobol_options(8, 0.5), 1, 0, LocalCentres{{{0.5}}}); }, {"1 numbers"});
}

TEST(UniformDraw, IsUniformReproducibleAndIndependentOfOtherDraws) {
  const Space space{real("x", -1, 3), categorical("c", {"a", "b", "c"})};
  constexpr int draws = 20000;
  double mean = 0;
  std::vector<int> categories(3, 0);
  for (std::uint64_t i = 0; i < draws; ++i) {
    const auto numbers = uniform_draw(space, 4, i);
    ASSERT_TRUE(numbers.has_value());
    mean += (*numbers)[0] / draws;
    ++categories[static_cast<std::size_t>((*numbers)[1])];
  }
  EXPECT_NEAR(mean, 1.0, 5 * std::sqrt(16.0 / 12.0 / draws));  // five standard errors
  for (const int count : categories) EXPECT_NEAR(count, draws / 3.0, 5 * std::sqrt(draws * 2.0 / 9.0));
  EXPECT_EQ(uniform_draw(space, 4, 17), uniform_draw(space, 4, 17));
  EXPECT_NE(uniform_draw(space, 4, 17), uniform_draw(space, 4, 18));
  EXPECT_NE(uniform_draw(space, 4, 17), uniform_draw(space, 5, 17));
}

TEST(UniformDraw, KeepsToTheConstraints) {
  Space space = continuous(2);
  space.constrain([](const Configuration& x) { return x.real("x0") > 0.99; }, "x0 > 0.99");
  for (std::uint64_t i = 0; i < 50; ++i) {
    const auto numbers = uniform_draw(space, 4, i);
    ASSERT_TRUE(numbers.has_value());
    EXPECT_GT((*numbers)[0], 0.99);
  }
}

}  // namespace
}  // namespace carbo
