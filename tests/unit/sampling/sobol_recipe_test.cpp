#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include <carbo/error.hpp>

#include "acquisition/candidate_set.hpp"
#include "backend/backend.hpp"
#include "support/encoded_table.hpp"
#include "support/expect_error.hpp"
#include "support/mixed_space.hpp"
#include "support/random.hpp"
#include "support/sobol_options.hpp"

namespace carbo::internal {
namespace {

using test::encoded;
using test::sobol_options;

std::unique_ptr<Backend> cpu() { return make_backend({.kind = BackendKind::cpu, .threads = 2, .tile = 512}); }

/// Point `index` of a sample by its definition: direction words of the bits that are set, scrambled, then the space's
/// own maps.
std::vector<double> point_by_definition(const Space& space, std::uint64_t seed, std::uint64_t round,
                                        std::uint32_t index) {
  std::vector<double> units, numbers(space.parameters().size()), code(space.encoded_columns());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::uint32_t word = 0;
    for (int bit = 0; bit < 32; ++bit)
      if ((index >> bit) & 1u) word ^= kernels::sobol_directions.word[i][bit];
    const auto key = kernels::philox(seed, round, (static_cast<std::uint64_t>(Draw::sobol_scramble) << 32) | i);
    units.push_back((static_cast<double>(kernels::owen_scramble(word, key)) + 0.5) / 4294967296.0);
  }
  space.from_unit(units, numbers);
  space.encode(numbers, code);
  return code;
}

bool same_bits(std::span<const double> a, std::span<const double> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

/// Same coordinates, and all available.
void expect_same_set(const CandidateSet& found, const CandidateSet& expected, std::size_t columns) {
  ASSERT_EQ(found.size(), expected.size());
  EXPECT_EQ(found.available(), found.size());
  std::vector<std::size_t> rows(found.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::vector<double> a(rows.size() * columns), b(a.size());
  found.read(rows, a);
  expected.read(rows, b);
  EXPECT_TRUE(same_bits(a, b));
}

TEST(SobolRecipe, PointsAreThoseOfTheDefinition) {
  const Space space = mixed_space();
  const SobolRecipe recipe = make_sobol_recipe(space, 5, 3);
  ASSERT_EQ(recipe.columns, space.encoded_columns());
  std::vector<std::uint32_t> indices = {0, 1, 2, 3, 63, 64, 65, 1000003, 0x7FFFFFFFu, 0x80000000u, 0xFFFFFFFFu};
  for (std::uint32_t i = 0; i < 600; ++i) indices.push_back(2654435761u * i);  // any order will do
  const std::size_t stride = indices.size() + 3;
  std::vector<double> columns(recipe.columns * stride, -7.0);
  encode_sobol_points(recipe, indices, columns.data(), stride);
  for (std::size_t j = 0; j < indices.size(); ++j) {
    const std::vector<double> expected = point_by_definition(space, 5, 3, indices[j]);
    for (std::size_t c = 0; c < recipe.columns; ++c) {
      ASSERT_EQ(columns[c * stride + j], expected[c]) << "index " << indices[j] << ", column " << c;
    }
  }
  for (std::size_t c = 0; c < recipe.columns; ++c)
    for (std::size_t j = indices.size(); j < stride; ++j) EXPECT_EQ(columns[c * stride + j], -7.0);
}

TEST(SobolRecipe, OnePointAtATimeIsTheSame) {
  const Space space = mixed_space();
  const SobolRecipe recipe = make_sobol_recipe(space, 1, 0);
  for (std::uint32_t index = 0; index < 300; ++index) {
    const std::vector<double> expected = point_by_definition(space, 1, 0, index);
    for (const kernels::SobolAxis& axis : recipe.axes) {
      const double level = kernels::sobol_level(axis, index);
      for (int c = 0; c < axis.columns; ++c) {
        // Another compilation may fuse a product and a sum or not: a unit or two in the last digit of a logarithm
        // below 10 in magnitude, over a width of 6 or more.
        ASSERT_NEAR(kernels::encoded_value(axis, level, c), expected[static_cast<std::size_t>(axis.first_column + c)],
                    1e-15);
      }
    }
  }
}

TEST(SobolRecipe, TablesSayWhichPointsTheyKept) {
  const CandidateTable whole = make_candidate_table(mixed_space(), sobol_options(500), 3, 1, {});
  EXPECT_EQ(whole.sobol.rows, 500u);
  EXPECT_TRUE(whole.sobol.indices.empty());
  EXPECT_TRUE(whole.encoded.empty());

  Space constrained = mixed_space();
  constrained.constrain([](const Configuration& c) { return c.real("shift") > 0; }, "shift above 0");
  const LocalCentres centres{{*uniform_draw(constrained, 4, 0)}};
  const CandidateTable part = make_candidate_table(constrained, sobol_options(500, 0.3), 3, 1, centres);
  ASSERT_EQ(part.sobol.rows, 350u);
  ASSERT_EQ(part.sobol.indices.size(), 350u);
  EXPECT_TRUE(std::is_sorted(part.sobol.indices.begin(), part.sobol.indices.end(), std::less_equal<>{}));
  EXPECT_EQ(part.encoded.size(), (part.rows - 350) * part.columns);
  for (std::size_t row = 0; row < 350; ++row) {
    const std::vector<double> expected = point_by_definition(constrained, 3, 1, part.sobol.indices[row]);
    EXPECT_EQ(expected, constrained.encode(constrained.configuration(part.numbers_of(row))));
  }
  EXPECT_EQ(make_candidate_table(Space{integer("k", 0, 9)}, {}, 3, 1, {}).sobol.rows, 0u);
}

TEST(SobolRecipe, TheSetIsThatOfTheEncodedTable) {
  const auto backend = cpu();
  Space constrained = mixed_space();
  constrained.constrain([](const Configuration& c) { return c.real("shift") > 0; }, "shift above 0");
  for (const Space& space : {mixed_space(), constrained, Space{real("x", 0, 1)}}) {
    const LocalCentres centres{{*uniform_draw(space, 4, 0)}};
    for (const std::size_t rows : {1u, 2u, 263u, 264u, 265u, 528u, 2000u}) {
      for (const double local_share : {0.0, 0.4, 1.0}) {
        const CandidateTable table = make_candidate_table(space, sobol_options(rows, local_share), 9, 2, centres);
        const std::vector<double> rows_encoded = encoded(table);
        const auto expected = backend->make_candidates({rows_encoded.data(), table.rows, table.columns});
        expect_same_set(*make_candidates(*backend, table), *expected, table.columns);
      }
    }
  }
}

TEST(SobolRecipe, TilesBeginAnywhereUpToTheLastIndex) {
  const Space space = mixed_space();
  const SobolRecipe recipe = make_sobol_recipe(space, 8, 0);
  const auto backend = cpu();
  for (const std::uint32_t first : {1u, 4096u, 0xFFFFFFFFu - 299u}) {
    std::vector<double> expected;
    for (std::uint32_t i = 0; i < 300; ++i) {
      const std::vector<double> row = point_by_definition(space, 8, 0, first + i);
      expected.insert(expected.end(), row.begin(), row.end());
    }
    const auto set = backend->make_candidates(SobolRows{.recipe = &recipe, .first = first, .points = 300});
    expect_same_set(*set, *backend->make_candidates({expected.data(), 300, recipe.columns}), recipe.columns);
  }
}

TEST(SobolRecipe, RowsThatDoNotFitAreRefused) {
  const SobolRecipe recipe = make_sobol_recipe(mixed_space(), 8, 0);
  const auto backend = cpu();
  const auto make = [&](const SobolRows& rows) { return [&backend, rows] { backend->make_candidates(rows); }; };
  SobolRows rows{.recipe = &recipe, .points = 3};
  SobolRows wrong = rows;
  wrong.recipe = nullptr;
  expect_error<InvalidOptions>(make(wrong), {"a recipe and at least one Sobol point"});
  wrong = rows;
  wrong.points = 0;
  expect_error<InvalidOptions>(make(wrong), {"a recipe and at least one Sobol point"});
  wrong = rows;
  wrong.first = 0xFFFFFFFEu;
  expect_error<InvalidOptions>(make(wrong), {"3 Sobol points from index 4294967294", "2^32 - 1"});
  const std::vector<std::uint32_t> two = {1, 5};
  wrong = rows;
  wrong.indices = two;
  expect_error<InvalidOptions>(make(wrong), {"Sobol indices", "2 given, 3 needed"});
  std::vector<double> others(recipe.columns, 0.5);
  wrong = rows;
  wrong.others = {others.data(), 1, recipe.columns - 1};
  expect_error<InvalidOptions>(make(wrong), {"columns of added rows"});
  others[2] = std::numeric_limits<double>::quiet_NaN();
  wrong.others = {others.data(), 1, recipe.columns};
  expect_error<NumericalError>(make(wrong), {"added rows: row 0, column 2", "must be finite"});
}

// Levels of a whole axis get equal shares of the unit interval, those of a log axis shares by their logarithms.
TEST(AxisMap, SharesEndWhereTheyShould) {
  const kernels::SobolAxis whole = make_sobol_recipe(Space{integer("k", -3, 4)}, 1, 0).axes[0];
  for (int level = 0; level < 8; ++level) {
    const double begin = level / 8.0;
    EXPECT_EQ(kernels::axis_level(whole.map, begin), level - 3.0);
    if (level > 0) {
      EXPECT_EQ(kernels::axis_level(whole.map, std::nextafter(begin, 0.0)), level - 4.0);
    }
    EXPECT_EQ(kernels::axis_coordinate(whole.map, level - 3.0), level / 7.0);
  }
  EXPECT_EQ(kernels::axis_level(whole.map, 1.0), 4.0);

  const kernels::SobolAxis log_whole = make_sobol_recipe(Space{integer("k", 1, 100).log()}, 1, 0).axes[0];
  for (int level = 1; level < 100; ++level) {
    const double end = std::log((level + 0.5) / 0.5) / std::log(100.5 / 0.5);
    // The exponential errs by a few units of its last digit, far less than a shift of 1e-9.
    EXPECT_EQ(kernels::axis_level(log_whole.map, end - 1e-9), level);
    EXPECT_EQ(kernels::axis_level(log_whole.map, end + 1e-9), level + 1);
  }
  EXPECT_EQ(kernels::axis_level(log_whole.map, 0.0), 1.0);
  EXPECT_EQ(kernels::axis_level(log_whole.map, 1.0), 100.0);
}

TEST(AxisMap, DiscreteLevelsArePositionsAndCategoriesAreAtDistanceOne) {
  const SobolRecipe recipe =
      make_sobol_recipe(Space{discrete("d", {-4.0, 0.5, 100.0}), categorical("c", {"a", "b", "c", "d"})}, 1, 0);
  const kernels::SobolAxis& discrete = recipe.axes[0];
  for (const double position : {0.0, 1.0, 2.0}) {
    EXPECT_EQ(kernels::axis_level(discrete.map, (position + 0.5) / 3.0), position);
    EXPECT_EQ(kernels::encoded_value(discrete, position, 0), position / 2.0);
  }
  const kernels::SobolAxis& category = recipe.axes[1];
  EXPECT_EQ(category.first_column, 1);
  EXPECT_EQ(category.columns, 4);
  for (int a = 0; a < 4; ++a) {
    for (int b = 0; b < a; ++b) {
      double squared = 0;
      for (int c = 0; c < 4; ++c) {
        const double step = kernels::encoded_value(category, a, c) - kernels::encoded_value(category, b, c);
        squared += step * step;
      }
      EXPECT_NEAR(squared, 1.0, 4 * std::numeric_limits<double>::epsilon());  // two squares, rounded
    }
  }
}

}  // namespace
}  // namespace carbo::internal
