#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <carbo/error.hpp>

#include "formulas/sobol.hpp"
#include "space/candidate_stream.hpp"
#include "space/local.hpp"
#include "support/continuous_space.hpp"
#include "support/encoded_table.hpp"
#include "support/expect_error.hpp"
#include "support/mixed_space.hpp"
#include "support/random.hpp"
#include "support/sobol_options.hpp"

namespace carbo {
namespace {

using test::continuous;
using test::sobol_options;

using internal::CandidateStream;
using internal::CandidateTable;
using internal::LocalCentres;
using internal::make_candidate_stream;
using internal::make_candidate_table;

constexpr std::uint64_t two_to_32 = std::uint64_t{1} << 32;

struct Tile {
  std::vector<double> numbers;
  std::vector<double> encoded;
  std::vector<std::uint8_t> allowed;

  Tile(const CandidateStream& stream, std::size_t rows)
      : numbers(rows * stream.parameters(), -7.0), encoded(rows * stream.columns(), -7.0), allowed(rows, 9) {}

  /// Rows [begin, end) of the tile.
  void fill(const CandidateStream& stream, std::uint64_t first, std::size_t begin, std::size_t end) {
    const std::size_t rows = end - begin;
    const auto part = [&](auto& all, std::size_t width) {
      return std::span(all).subspan(begin * width, rows * width);
    };
    stream.fill(first, part(numbers, stream.parameters()), part(encoded, stream.columns()), part(allowed, 1));
  }

  std::vector<double> row(std::size_t index) const {
    const std::size_t width = numbers.size() / allowed.size();
    const auto begin = numbers.begin() + static_cast<std::ptrdiff_t>(index * width);
    return {begin, begin + static_cast<std::ptrdiff_t>(width)};
  }
};

Tile tile_of(const CandidateStream& stream, std::uint64_t first, std::size_t rows) {
  Tile tile(stream, rows);
  tile.fill(stream, first, 0, rows);
  return tile;
}

Tile tile_of(const CandidateStream& stream) { return tile_of(stream, 0, stream.size()); }

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

LocalCentres centres_of(const Space& space, std::size_t count) {
  LocalCentres centres;
  for (std::size_t i = 0; i < count; ++i) centres.numbers.push_back(*internal::uniform_draw(space, 99, i));
  return centres;
}

// A real parameter makes repeats impossible to meet by chance, so the table drops nothing.
TEST(CandidateStream, EqualsTheTableWhereNothingIsDropped) {
  for (const Space& space : {continuous(1), continuous(6), mixed_space()}) {
    for (const std::size_t count : {1u, 2u, 63u, 64u, 65u, 1023u, 1024u, 1025u, 3000u}) {
      const CandidateTable table = make_candidate_table(space, sobol_options(count), 7, 2, {});
      const CandidateStream stream = make_candidate_stream(space, sobol_options(count), 7, 2, {});
      ASSERT_EQ(table.rows, count);
      ASSERT_EQ(stream.size(), count);
      EXPECT_EQ(stream.parameters(), table.parameters);
      EXPECT_EQ(stream.columns(), table.columns);
      const Tile tile = tile_of(stream);
      EXPECT_TRUE(same_bits(tile.numbers, table.numbers)) << count;
      EXPECT_TRUE(same_bits(tile.encoded, test::encoded(table))) << count;
      EXPECT_EQ(tile.allowed, std::vector<std::uint8_t>(count, 1));
    }
  }
}

TEST(CandidateStream, EqualsTheTableWithALocalShare) {
  const Space space = continuous(6);
  for (const double share : {0.3, 1.0}) {
    const auto options = sobol_options(2000, share);
    const LocalCentres centres = centres_of(space, 3);
    const CandidateTable table = make_candidate_table(space, options, 7, 5, centres);
    ASSERT_EQ(table.rows, 2000u);
    const Tile tile = tile_of(make_candidate_stream(space, options, 7, 5, centres));
    EXPECT_TRUE(same_bits(tile.numbers, table.numbers));
    EXPECT_TRUE(same_bits(tile.encoded, test::encoded(table)));
  }
}

TEST(CandidateStream, LocalRowsAreFirstAttemptsByTheirRowNumber) {
  const Space space = mixed_space();
  const LocalCentres centres = centres_of(space, 4);
  const CandidateStream stream = make_candidate_stream(space, sobol_options(1000, 0.25), 3, 8, centres);
  ASSERT_EQ(stream.size(), 1000u);
  const Tile tile = tile_of(stream);
  const auto axes = internal::axes_of(space);
  std::vector<double> expected(space.parameters().size());
  for (std::size_t row = 0; row < 250; ++row) {
    const auto& centre = centres.numbers[internal::centre_of(row, 4)];
    internal::perturb(axes, centre, {3, 8, row, 0}, expected);
    EXPECT_EQ(tile.row(750 + row), expected) << row;
  }
}

TEST(CandidateStream, EncodesAsTheSpaceDoes) {
  const Space space = mixed_space();
  const CandidateStream stream = make_candidate_stream(space, sobol_options(700, 0.5), 3, 8, centres_of(space, 2));
  const Tile tile = tile_of(stream);
  for (std::size_t row = 0; row < 700; ++row) {
    const std::vector<double> code = space.encode(space.configuration(tile.row(row)));
    for (std::size_t i = 0; i < code.size(); ++i) {
      ASSERT_EQ(tile.encoded[row * code.size() + i], code[i]) << "row " << row << ", column " << i;
    }
  }
}

// Point by point from the definition, far beyond what a table holds.
TEST(CandidateStream, RowIsTheSobolPointOfItsIndex) {
  const Space space{real("x", -1, 3), integer("k", 0, 40), real("y", 1e-3, 10).log()};
  const CandidateStream stream = make_candidate_stream(space, sobol_options(two_to_32), 11, 4, {});
  ASSERT_EQ(stream.size(), two_to_32);
  for (const std::uint64_t index : {0ull, 1ull, 12345ull, 99'999'999ull, 3'000'000'001ull, 4294967295ull}) {
    std::vector<double> unit(3);
    for (std::size_t i = 0; i < 3; ++i) {
      const auto key = kernels::philox(11, 4, (static_cast<std::uint64_t>(internal::Draw::sobol_scramble) << 32) | i);
      std::uint32_t word = 0;
      for (int bit = 0; bit < 32; ++bit) {
        if ((index >> bit) % 2 == 1) word ^= kernels::sobol_directions.word[i][bit];
      }
      unit[i] = (static_cast<double>(kernels::owen_scramble(word, key)) + 0.5) / 4294967296.0;
    }
    const std::vector<double> row = tile_of(stream, index, 1).row(0);
    // -1 + 4u: one rounding below 4. The logarithm of y, at most 9.3, takes four roundings of 8.9e-16, exp and pow
    // one of 2.2e-16 each: 4e-15 of y.
    EXPECT_NEAR(row[0], -1 + 4 * unit[0], 1e-15);
    EXPECT_EQ(row[1], std::floor(unit[1] * 41));
    EXPECT_NEAR(row[2], 1e-3 * std::pow(1e4, unit[2]), 4e-15 * row[2]) << index;
  }
}

// An aligned block of 256 points has one in each of 256 strata of every dimension, wherever it lies.
TEST(CandidateStream, LastBlockIsStratified) {
  const CandidateStream stream = make_candidate_stream(continuous(20), sobol_options(two_to_32), 5, 0, {});
  const Tile tile = tile_of(stream, two_to_32 - 256, 256);
  for (std::size_t j = 0; j < 20; ++j) {
    std::set<int> strata;
    for (std::size_t i = 0; i < 256; ++i) strata.insert(static_cast<int>(tile.row(i)[j] * 256));
    EXPECT_EQ(strata.size(), 256u) << "dimension " << j;
  }
}

std::vector<CandidateStream> every_kind_of_stream() {
  const Space mixed = mixed_space();
  Space constrained = mixed_space();
  constrained.constrain([](const Configuration& x) { return x.integer("layers") % 2 == 0; }, "even");
  const Space finite{integer("k", 0, 99), discrete("d", {1, 2, 5}), categorical("c", {"a", "b"}),
                     integer("w", 1, 8).log()};
  const LocalCentres centres = centres_of(mixed, 5);
  CandidateOptions pool;
  pool.pool = std::make_shared<Pool>(mixed, make_candidate_table(mixed, sobol_options(2100), 1, 0, {}).numbers, 2100);
  std::vector<CandidateStream> streams;
  streams.push_back(make_candidate_stream(mixed, sobol_options(2100, 0.4), 1, 0, centres));
  streams.push_back(make_candidate_stream(constrained, sobol_options(2100, 0.4), 1, 0, centres));
  streams.push_back(make_candidate_stream(finite, {}, 1, 0, {}));
  streams.push_back(make_candidate_stream(constrained, pool, 1, 0, {}));
  return streams;
}

TEST(CandidateStream, SplitsGiveTheSameBits) {
  const auto streams = every_kind_of_stream();
  for (std::size_t kind = 0; kind < streams.size(); ++kind) {
    const CandidateStream& stream = streams[kind];
    const Tile whole = tile_of(stream);
    for (const std::size_t step : {1u, 7u, 63u, 64u, 65u, 1000u, 1024u, 1025u}) {
      Tile pieces(stream, stream.size());
      for (std::size_t first = 0; first < stream.size(); first += step) {
        pieces.fill(stream, first, first, std::min<std::size_t>(first + step, stream.size()));
      }
      EXPECT_TRUE(same_bits(pieces.numbers, whole.numbers)) << "kind " << kind << ", step " << step;
      EXPECT_TRUE(same_bits(pieces.encoded, whole.encoded)) << "kind " << kind << ", step " << step;
      EXPECT_EQ(pieces.allowed, whole.allowed) << "kind " << kind << ", step " << step;
    }
  }
}

TEST(CandidateStream, ThreadsMayShareATile) {
  for (const CandidateStream& stream : every_kind_of_stream()) {
    const Tile whole = tile_of(stream);
    Tile shared(stream, stream.size());
    std::vector<std::thread> threads;
    for (std::size_t part = 0; part < 4; ++part) {
      threads.emplace_back([&, part] {
        shared.fill(stream, part * stream.size() / 4, part * stream.size() / 4, (part + 1) * stream.size() / 4);
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_TRUE(same_bits(shared.numbers, whole.numbers));
    EXPECT_TRUE(same_bits(shared.encoded, whole.encoded));
    EXPECT_EQ(shared.allowed, whole.allowed);
  }
}

TEST(CandidateStream, ConstraintsMarkRowsAndChangeNothingElse) {
  Space space = continuous(3);
  const Tile free = tile_of(make_candidate_stream(space, sobol_options(1500), 2, 0, {}));
  space.constrain([](const Configuration& x) { return x.real("x0") + x.real("x1") <= 1; }, "x0 + x1 <= 1");
  const Tile marked = tile_of(make_candidate_stream(space, sobol_options(1500), 2, 0, {}));
  EXPECT_TRUE(same_bits(marked.numbers, free.numbers));
  EXPECT_TRUE(same_bits(marked.encoded, free.encoded));
  std::size_t kept = 0;
  for (std::size_t row = 0; row < 1500; ++row) {
    const bool allowed = free.row(row)[0] + free.row(row)[1] <= 1;
    EXPECT_EQ(marked.allowed[row], allowed ? 1 : 0) << row;
    kept += allowed;
  }
  EXPECT_GT(kept, 700u);  // half of them, evenly spread
  EXPECT_LT(kept, 800u);
  // Nothing allowed is an error for a table, which holds nothing then; a stream still has its rows.
  space.constrain([](const Configuration&) { return false; });
  EXPECT_EQ(tile_of(make_candidate_stream(space, sobol_options(5), 2, 0, {})).allowed,
            std::vector<std::uint8_t>(5, 0));
}

TEST(CandidateStream, KeepsRepeats) {
  const Space space{integer("k", 0, 1)};
  const CandidateStream stream = make_candidate_stream(space, sobol_options(64), 2, 0, {});
  ASSERT_EQ(stream.size(), 64u);
  const Tile tile = tile_of(stream);
  EXPECT_EQ(std::count(tile.numbers.begin(), tile.numbers.end(), 0.0), 32);
  EXPECT_EQ(std::count(tile.numbers.begin(), tile.numbers.end(), 1.0), 32);
}

TEST(CandidateStream, EnumeratesByMixedRadix) {
  const Space space{discrete("d", {1, 4}), integer("k", -1, 1), categorical("c", {"a", "b"})};
  const CandidateStream small = make_candidate_stream(space, {}, 1, 0, {});
  ASSERT_EQ(small.size(), 12u);
  const Tile tile = tile_of(small);
  std::size_t row = 0;
  for (const double d : {1.0, 4.0}) {
    for (const double k : {-1.0, 0.0, 1.0}) {
      for (const double c : {0.0, 1.0}) EXPECT_EQ(tile.row(row++), (std::vector<double>{d, k, c}));
    }
  }
  const Space large{integer("a", 0, 1999), integer("b", 0, 999), integer("c", 0, 999)};
  CandidateOptions options;
  options.source = CandidateSource::enumeration;
  options.enumeration_limit = two_to_32;
  const CandidateStream stream = make_candidate_stream(large, options, 1, 0, {});
  ASSERT_EQ(stream.size(), 2'000'000'000u);
  EXPECT_EQ(tile_of(stream, 1'234'567'089, 1).row(0), (std::vector<double>{1234, 567, 89}));
  EXPECT_EQ(tile_of(stream, 1'999'999'999, 1).row(0), (std::vector<double>{1999, 999, 999}));
}

TEST(CandidateStream, ReadsEveryRowOfAPool) {
  Space space{real("x", -1, 1), integer("k", 0, 3)};
  space.constrain([](const Configuration& x) { return x.integer("k") != 2; }, "k != 2");
  CandidateOptions options;
  options.pool = std::make_shared<Pool>(space, std::vector<double>{0.5, 2, 0.5, 1, -0.0, 1, 0.5, 1}, 4);
  const Tile tile = tile_of(make_candidate_stream(space, options, 1, 0, {}));
  EXPECT_TRUE(same_bits(tile.numbers, {0.5, 2, 0.5, 1, 0.0, 1, 0.5, 1}));
  EXPECT_EQ(tile.allowed, (std::vector<std::uint8_t>{0, 1, 1, 1}));
}

TEST(CandidateStream, OutlivesItsSpaceAndMoves) {
  const auto made = [] {
    const Space space = mixed_space();
    return make_candidate_stream(space, sobol_options(100, 0.5), 3, 1, centres_of(space, 2));
  };
  CandidateStream stream = made();
  const Tile before = tile_of(stream);
  const CandidateStream moved = std::move(stream);
  EXPECT_TRUE(same_bits(tile_of(moved).numbers, before.numbers));
  EXPECT_TRUE(same_bits(tile_of(moved).encoded, before.encoded));
}

TEST(CandidateStreamErrors, SpansThatDoNotFit) {
  const Space space{real("x", 0, 1), categorical("c", {"a", "b", "c"})};
  const CandidateStream stream = make_candidate_stream(space, sobol_options(10), 1, 0, {});
  const auto refused = [&](std::uint64_t first, std::size_t numbers, std::size_t encoded, std::size_t rows,
                           const std::vector<std::string>& parts) {
    std::vector<double> a(numbers);
    std::vector<double> b(encoded);
    std::vector<std::uint8_t> c(rows);
    expect_error<InvalidOptions>([&] { stream.fill(first, a, b, c); }, parts);
  };
  refused(0, 3, 8, 2, {"3 numbers given", "4 needed"});
  refused(0, 4, 7, 2, {"7 encoded values given", "8 needed"});
  refused(9, 4, 8, 2, {"2 rows from row 9", "10"});
  refused(11, 0, 0, 0, {"0 rows from row 11"});
  refused(two_to_32 * two_to_32 - 1, 4, 8, 2, {"2 rows"});
  EXPECT_NO_THROW(stream.fill(10, {}, {}, {}));
}

TEST(CandidateStreamErrors, AreThoseOfTheTable) {
  const Space space = continuous(2);
  const auto refused = [&](const CandidateOptions& options, const std::vector<std::string>& parts) {
    expect_error<InvalidOptions>([&] { make_candidate_stream(space, options, 1, 0, {}); }, parts);
  };
  refused(sobol_options(0), {"candidates.count is 0", "1 to 2^32"});
  refused(sobol_options(two_to_32 + 1), {"candidates.count is 4294967297", "1 to 2^32"});
  refused(sobol_options(8, -0.1), {"local_share is -0.1", "0 to 1"});
  CandidateOptions enumeration;
  enumeration.source = CandidateSource::enumeration;
  refused(enumeration, {"real parameter", "CandidateSource::sobol"});
  expect_error<InvalidOptions>(
      [&] {
        make_candidate_stream(Space{integer("a", 1, 1000), integer("b", 1, 1000)}, enumeration, 1, 0, {});
      },
      {"1000000 configurations", "enumeration_limit is 65536", "2^32 at most"});
  expect_error<InvalidConfiguration>(
      [&] {
        make_candidate_stream(space, sobol_options(8, 0.5), 1, 0, LocalCentres{{{0.5, 2.0}}});
      },
      {"'x1'", "value 2"});
  CandidateOptions pool;
  pool.pool = std::make_shared<Pool>(space, std::vector<double>{0.25, 0.5, 0.75, 0.5}, 2);
  expect_error<InvalidPool>([&] { make_candidate_stream(continuous(1), pool, 1, 0, {}); },
                            {"2 parameters", "this one has 1"});
  const Space narrow{real("x", 0, 0.5), real("y", 0, 1)};
  expect_error<InvalidPool>([&] { make_candidate_stream(narrow, pool, 1, 0, {}); },
                            {"row 1", "'x'", "0.75", "another space"});
}

}  // namespace
}  // namespace carbo
