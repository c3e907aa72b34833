#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include "formulas/sobol.hpp"
#include "support/random.hpp"

namespace carbo {
namespace {

using internal::Draw;
using kernels::philox;
using kernels::PhiloxBlock;

void expect_block(const PhiloxBlock& block, const std::array<std::uint32_t, 4>& expected) {
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(block.word[i], expected[i]) << "word " << i;
}

// Published with Random123 (kat_vectors, philox4x32 10 rounds).
TEST(Philox, GivesThePublishedVectors) {
  expect_block(philox(0, 0, 0), {0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u});
  expect_block(philox(~0ull, ~0ull, ~0ull), {0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu});
  // Words are little end first: counter 243f6a88 85a308d3 13198a2e 03707344, key a4093822 299f31d0.
  expect_block(philox(0x299f31d0a4093822ull, 0x85a308d3243f6a88ull, 0x0370734413198a2eull),
               {0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u});
}

TEST(UnitDouble, NeverReachesItsEnds) {
  EXPECT_GT(kernels::unit_double(0, 0), 0.0);
  EXPECT_LT(kernels::unit_double(~0u, ~0u), 1.0);
  EXPECT_EQ(kernels::unit_double(0x80000000u, 0), 0.5 + std::ldexp(1.0, -53));
  EXPECT_EQ(kernels::unit_double(0, 0) + kernels::unit_double(~0u, ~0u), 1.0);
}

TEST(Random, UniformHasTheMomentsOfTheUnitInterval) {
  constexpr int draws = 200000;
  double mean = 0;
  double square = 0;
  double cube = 0;
  for (int i = 0; i < draws; ++i) {
    const double u = internal::uniform(11, Draw::random_pick, static_cast<std::uint64_t>(i));
    ASSERT_GT(u, 0.0);
    ASSERT_LT(u, 1.0);
    mean += u / draws;
    square += u * u / draws;
    cube += u * u * u / draws;
  }
  // Var(u^k) = 1/(2k+1) − 1/(k+1)² ≤ 1/12 for k = 1, 2, 3; five standard errors.
  const double tolerance = 5.0 * std::sqrt(1.0 / 12.0 / draws);
  EXPECT_NEAR(mean, 1.0 / 2.0, tolerance);
  EXPECT_NEAR(square, 1.0 / 3.0, 5.0 * std::sqrt(4.0 / 45.0 / draws));
  EXPECT_NEAR(cube, 1.0 / 4.0, 5.0 * std::sqrt(9.0 / 112.0 / draws));
}

TEST(Random, NormalHasTheMomentsOfTheStandardNormal) {
  constexpr int draws = 200000;
  std::array<double, 5> moment{};
  for (int i = 0; i < draws; ++i) {
    const double z = internal::normal(12, Draw::fantasy, static_cast<std::uint64_t>(i));
    for (int k = 1; k <= 4; ++k) moment[static_cast<std::size_t>(k)] += std::pow(z, k) / draws;
  }
  // Var(z^k) is 1, 2, 15, 96 for k = 1 to 4; five standard errors.
  const double root = std::sqrt(static_cast<double>(draws));
  EXPECT_NEAR(moment[1], 0.0, 5.0 * std::sqrt(1.0) / root);
  EXPECT_NEAR(moment[2], 1.0, 5.0 * std::sqrt(2.0) / root);
  EXPECT_NEAR(moment[3], 0.0, 5.0 * std::sqrt(15.0) / root);
  EXPECT_NEAR(moment[4], 3.0, 5.0 * std::sqrt(96.0) / root);
}

TEST(Random, SeedPurposeIndexAndLaneAllMatter) {
  std::set<double> distinct;
  for (const std::uint64_t seed : {1ull, 2ull, 1ull << 32}) {
    for (const Draw purpose : {Draw::uniform_configuration, Draw::restart}) {
      for (const std::uint64_t index : {0ull, 1ull, 1ull << 32}) {
        for (const std::uint32_t lane : {0u, 1u, 0x80000000u}) {
          distinct.insert(internal::uniform(seed, purpose, index, lane));
        }
      }
    }
  }
  EXPECT_EQ(distinct.size(), 3u * 2u * 3u * 3u);
  EXPECT_EQ(internal::uniform(1, Draw::restart, 5, 2), internal::uniform(1, Draw::restart, 5, 2));
}

std::uint32_t sobol(int dimension, std::uint32_t index) {
  return kernels::sobol_word(kernels::sobol_directions.word[dimension], index);
}

std::uint32_t gray(std::uint32_t index) { return index ^ (index >> 1); }

// Made with scipy 1.17: qmc.Sobol(100, scramble=False, bits=32), whose i-th point is ours of index gray(i).
TEST(Sobol, GivesTheValuesOfScipy) {
  constexpr std::array<int, 8> dimensions{0, 1, 2, 3, 9, 49, 98, 99};
  struct Reference {
    std::uint32_t index;
    std::array<std::uint32_t, 8> word;
  };
  const std::vector<Reference> references{
      {1u, {2147483648u, 2147483648u, 2147483648u, 2147483648u, 2147483648u, 2147483648u, 2147483648u, 2147483648u}},
      {2u, {3221225472u, 1073741824u, 1073741824u, 1073741824u, 3221225472u, 3221225472u, 1073741824u, 3221225472u}},
      {7u, {536870912u, 2684354560u, 1610612736u, 536870912u, 3758096384u, 536870912u, 2684354560u, 2684354560u}},
      {37u, {3959422976u, 2751463424u, 2483027968u, 3959422976u, 738197504u, 4093640704u, 4093640704u, 738197504u}},
      {1023u, {4194304u, 3233808384u, 2629828608u, 624951296u, 3653238784u, 3535798272u, 4173332480u, 2277507072u}},
      {123456u,
       {113803264u, 784891904u, 1319665664u, 1934065664u, 1069711360u, 688816128u, 1204125696u, 3976167424u}},
      {987654321u,
       {2537197028u, 2354976556u, 1767331772u, 3767087380u, 1004529404u, 2053409860u, 2141020444u, 3426550796u}},
      {4294967295u, {1u, 4294967295u, 3305133397u, 1342505107u, 2197780721u, 2196727743u, 2977242493u, 1488403325u}},
  };
  for (const Reference& reference : references) {
    for (std::size_t d = 0; d < dimensions.size(); ++d) {
      EXPECT_EQ(sobol(dimensions[d], gray(reference.index)), reference.word[d])
          << "index " << reference.index << ", dimension " << dimensions[d];
    }
  }
}

// Sums modulo 2^64, from the same scipy objects, over all 100 dimensions.
TEST(Sobol, AllDimensionsHaveTheChecksumsOfScipy) {
  std::uint64_t directions = 0;
  std::uint64_t points = 0;
  for (std::uint64_t j = 0; j < 100; ++j) {
    for (std::uint64_t k = 0; k < 32; ++k) directions += (j + 1) * (k + 1) * kernels::sobol_directions.word[j][k];
    for (std::uint32_t i = 0; i < 1024; ++i) points += (j + 1) * (i + 1) * sobol(static_cast<int>(j), gray(i));
  }
  EXPECT_EQ(directions, 5778773216583704ull);
  EXPECT_EQ(points, 5691370777937444864ull);
}

TEST(Sobol, ReversesBits) {
  EXPECT_EQ(kernels::reverse_bits(1u), 0x80000000u);
  EXPECT_EQ(kernels::reverse_bits(0x12345678u), 0x1E6A2C48u);
  EXPECT_EQ(kernels::reverse_bits(kernels::reverse_bits(0xDEADBEEFu)), 0xDEADBEEFu);
}

std::uint32_t scrambled(int dimension, std::uint32_t index, std::uint64_t seed) {
  return kernels::owen_scramble(sobol(dimension, index), philox(seed, 3, static_cast<std::uint64_t>(dimension)));
}

TEST(OwenScramble, KeepsOnePointInEveryIntervalOfEveryProjection) {
  for (const int bits : {0, 1, 4, 10}) {
    const std::uint32_t count = 1u << bits;
    for (int dimension = 0; dimension < 100; ++dimension) {
      std::vector<int> hits(count, 0);
      for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t word = scrambled(dimension, i, 5);
        ++hits[bits == 0 ? 0 : word >> (32 - bits)];
      }
      EXPECT_EQ(std::count(hits.begin(), hits.end(), 1), static_cast<std::ptrdiff_t>(count)) << dimension;
    }
  }
}

// The first two dimensions are a (0, m, 2)-net: each of the 2^m boxes of 2^-a by 2^-(m-a) holds one point.
TEST(OwenScramble, KeepsTheNetOfTheFirstTwoDimensions) {
  constexpr int bits = 8;
  for (const std::uint64_t seed : {1ull, 77ull}) {
    for (int a = 1; a < bits; ++a) {
      std::set<std::uint32_t> boxes;
      for (std::uint32_t i = 0; i < (1u << bits); ++i) {
        const std::uint32_t x = scrambled(0, i, seed) >> (32 - a);
        const std::uint32_t y = scrambled(1, i, seed) >> (32 - (bits - a));
        boxes.insert((x << (bits - a)) | y);
      }
      EXPECT_EQ(boxes.size(), std::size_t{1} << bits) << "a = " << a << ", seed " << seed;
    }
  }
}

// Digit d is flipped or kept by a coin of its own for every prefix: over many keys the flips are fair, and those of
// two prefixes independent. |mean| and |correlation| of n fair coins stay below 5/√n.
TEST(OwenScramble, FlipsAreFairAndIndependentBetweenPrefixes) {
  constexpr int keys = 2000;
  constexpr int prefixes = 16;
  for (const int digit : {5, 6, 9, 17, 32}) {
    std::array<double, prefixes> sum{};
    std::array<std::array<double, prefixes>, prefixes> product{};
    for (int key = 0; key < keys; ++key) {
      std::array<double, prefixes> flip{};
      for (std::uint32_t p = 0; p < prefixes; ++p) {
        const std::uint32_t word = kernels::owen_scramble(p << 28, philox(static_cast<std::uint64_t>(key), 0, 1));
        flip[p] = ((word >> (32 - digit)) & 1u) != 0 ? 1.0 : -1.0;
        sum[p] += flip[p];
        for (std::uint32_t q = 0; q < p; ++q) product[p][q] += flip[p] * flip[q];
      }
    }
    const double tolerance = 5.0 * std::sqrt(static_cast<double>(keys));
    for (int p = 0; p < prefixes; ++p) {
      EXPECT_LT(std::abs(sum[p]), tolerance) << "digit " << digit << ", prefix " << p;
      for (int q = 0; q < p; ++q) EXPECT_LT(std::abs(product[p][q]), tolerance) << digit << ": " << p << ", " << q;
    }
  }
}

// A smooth integrand: nested uniform scrambling has an error of about n^-1.5, random points one of n^-0.5.
// f = Π (1 + (u_j − 1/2)·e^{u_j}), with ∫ = (1 + 1 − (e − 1)/2)^d and a standard deviation of 1.2 for d = 2.
TEST(OwenScramble, IntegratesSmoothFunctionsFarBetterThanChance) {
  constexpr std::uint32_t count = 1024;
  constexpr int seeds = 100;
  const double exact = std::pow(2.0 - (std::exp(1.0) - 1.0) / 2.0, 2);
  double squared_error = 0;
  double bias = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    double mean = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      double f = 1;
      for (int j = 0; j < 2; ++j) {
        const double u = kernels::sobol_unit(scrambled(j, i, static_cast<std::uint64_t>(seed)));
        f *= 1.0 + (u - 0.5) * std::exp(u);
      }
      mean += f / count;
    }
    squared_error += (mean - exact) * (mean - exact) / seeds;
    bias += (mean - exact) / seeds;
  }
  const double chance = 1.2 / std::sqrt(static_cast<double>(count));
  EXPECT_LT(std::sqrt(squared_error), chance / 100.0);
  EXPECT_LT(std::abs(bias), 5.0 * std::sqrt(squared_error / seeds));
}

TEST(Sobol, UnitIsTheCentreOfItsInterval) {
  EXPECT_EQ(kernels::sobol_unit(0), std::ldexp(1.0, -33));
  EXPECT_EQ(kernels::sobol_unit(~0u), 1.0 - std::ldexp(1.0, -33));
}

}  // namespace
}  // namespace carbo
