#include "backend/cpu/products.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "backend/cpu/cholesky.hpp"
#include "support/sanitized.hpp"

namespace carbo::internal {
namespace {

constexpr double untouched = -7.25;
constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// Round the rows of a tile at every level, its columns, and the blocks of solves and factors.
constexpr std::size_t sizes[] = {1,  2,  3,  4,  5,  7,  8,  9,  11,  12,  13, 23,
                                 24, 25, 63, 64, 65, 95, 96, 97, 191, 193, 300};

struct Square {
  explicit Square(std::size_t n) : size(n), stride(matrix_stride(n)), data(n * stride, untouched) {}
  LowerMatrix view() { return {data.data(), size, stride}; }
  double* row(std::size_t i) { return data.data() + i * stride; }
  double at(std::size_t i, std::size_t j) const { return data[i * stride + j]; }

  std::size_t size, stride;
  std::vector<double> data;
};

std::vector<double> draws(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> entry(-1.0, 1.0);
  std::vector<double> values(count);
  for (double& one : values) one = entry(random);
  return values;
}

/// A lower triangle that solves well: 2 on the diagonal, the sum of a row's other entries at most 1.
Square lower_triangle(std::size_t n) {
  Square lower(n);
  const std::vector<double> entries = draws(n * n, 3);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) lower.row(i)[j] = entries[i * n + j] / static_cast<double>(n);
    lower.row(i)[i] = 2.0 + 0.5 * entries[i * n + i];
  }
  return lower;
}

/// A Gram matrix of exp(−|i − j| / 7), 0.1 on its diagonal beside.
Square gram_matrix(std::size_t n) {
  Square gram(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      gram.row(i)[j] = std::exp(-static_cast<double>(i - j) / 7.0) + (i == j ? 0.1 : 0.0);
  return gram;
}

/// In place K → L from the lower triangle; by strips in order, too, to the same bits.
bool factor_of(ThreadPool& pool, Square& gram, double smallest) {
  const std::size_t n = gram.size;
  std::vector<double> storage(Strips::doubles_for(n, n), untouched);
  const Strips strips = Strips::in_order(storage.data(), n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) *strips.at(j, i) = gram.row(j)[i] = gram.at(i, j);
  const bool works = factorise(pool, strips, n, smallest);
  EXPECT_EQ(factorise(pool, gram.view().upper(), n, smallest), works);
  if (!works) return false;
  mirror_upper(gram.data.data(), gram.stride, n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) EXPECT_EQ(*strips.at(j, i), gram.at(i, j)) << n << ": " << i << ", " << j;
  return true;
}

/// Whether the library takes a term off a sum with one rounding: (1 + 2⁻³⁰)² − its rounded value is 2⁻⁶⁰, or 0.
bool fused() {
  const double factor = 1.0 + 0x1p-30;
  Square lower(2);
  lower.row(0)[0] = lower.row(1)[1] = 1.0;
  lower.row(1)[0] = factor;
  std::vector<double> x(2 * 24, factor);
  volatile const double rounded = factor * factor;
  std::fill(x.begin() + 24, x.end(), rounded);
  solve_columns({lower.data.data(), lower.stride}, 2, x.data(), 24, 24);
  return x[24] != 0;
}

/// One term off a sum as the library's instructions do it.
double less(bool fused, double sum, double a, double b) {
  if (fused) return std::fma(-a, b, sum);
  volatile const double product = a * b;
  return sum - product;
}

#ifdef __FMA__
TEST(Products, TermsAreFusedWhereTheLevelCan) {
  if (test::sanitized) GTEST_SKIP() << "what is compiled for sanitizers is not optimised so far";
  EXPECT_TRUE(fused());
}
#endif

TEST(Products, StridesArePaddedAndNotAPage) {
  EXPECT_EQ(matrix_stride(0), 24u);
  EXPECT_EQ(matrix_stride(1), 24u);
  EXPECT_EQ(matrix_stride(24), 24u);
  EXPECT_EQ(matrix_stride(1000), 1008u);
  EXPECT_EQ(matrix_stride(1536), 1560u);
}

TEST(Products, SolveIsThePlainLoopToTheBitAndLeavesTheRest) {
  const bool one_rounding = fused();
  for (const std::size_t n : sizes) {
    Square lower = lower_triangle(n);
    for (const std::size_t columns : {8u, 16u, 24u, 40u, 72u}) {
      const std::size_t stride = columns + 5;
      std::vector<double> x = draws((n + 1) * stride, 4);
      std::vector<double> expected = x;
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t c = 0; c < columns; ++c) {
          double sum = expected[i * stride + c];
          for (std::size_t k = 0; k < i; ++k) sum = less(one_rounding, sum, lower.at(i, k), expected[k * stride + c]);
          expected[i * stride + c] = sum * (1.0 / lower.at(i, i));
        }
      solve_columns({lower.data.data(), lower.stride}, n, x.data(), stride, columns);
      ASSERT_EQ(x, expected) << n << " rows, " << columns << " columns";
    }
  }
}

TEST(Products, TransposedSolveIsThePlainLoopFromTheLastTermToTheBit) {
  const bool one_rounding = fused();
  for (const std::size_t n : sizes) {
    Square lower = lower_triangle(n);
    for (const std::size_t columns : {8u, 24u, 32u}) {
      const std::size_t stride = columns + 5;
      std::vector<double> x = draws((n + 1) * stride, 4);
      std::vector<double> expected = x;
      for (std::size_t i = n; i-- > 0;)
        for (std::size_t c = 0; c < columns; ++c) {
          double sum = expected[i * stride + c];
          for (std::size_t k = n; k-- > i + 1;)
            sum = less(one_rounding, sum, lower.at(k, i), expected[k * stride + c]);
          expected[i * stride + c] = sum * (1.0 / lower.at(i, i));
        }
      solve_columns_transposed({lower.data.data(), lower.stride}, n, x.data(), stride, columns);
      ASSERT_EQ(x, expected) << n << " rows, " << columns << " columns";
    }
  }
}

TEST(Products, OneColumnHasTheBitsOfSeveralAndRowsOfZerosChangeNone) {
  for (const std::size_t n : sizes) {
    Square lower = lower_triangle(n);
    const LeftSide<Layout::rows> rows{lower.data.data(), lower.stride};
    std::vector<double> many = draws(n * 24, 8);
    for (std::size_t i = n - n / 3; i < n; ++i) many[i * 24 + 7] = 0;
    std::vector<double> one(n), shorter;
    for (std::size_t i = 0; i < n; ++i) one[i] = many[i * 24 + 7];
    shorter.assign(one.begin(), one.end() - static_cast<std::ptrdiff_t>(n / 3));
    std::vector<double> upwards = many, one_upwards = one;
    solve_columns_transposed({lower.data.data(), lower.stride}, n, upwards.data(), 24, 24);
    solve_column_transposed(lower.data.data(), lower.stride, n, one_upwards.data());
    solve_column_transposed(lower.data.data(), lower.stride, shorter.size(), shorter.data());
    for (std::size_t i = 0; i < n; ++i) solve_next_row(rows, i, many.data(), 24, 24);
    Square both = lower;  // and its transpose above the diagonal
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < i; ++j) both.data[j * both.stride + i] = lower.data[i * lower.stride + j];
    solve_column(both.data.data(), both.stride, n, one.data());
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(one[i], many[i * 24 + 7]) << n << " rows, " << i;
      ASSERT_EQ(one_upwards[i], upwards[i * 24 + 7]) << n << " rows, " << i;
    }
    one_upwards.resize(shorter.size());
    ASSERT_EQ(one_upwards, shorter) << n << " rows";
  }
}

TEST(Products, NothingToSolveIsLeftAlone) {
  std::vector<double> x(24, untouched);
  solve_columns({nullptr, 0}, 0, x.data(), 24, 24);
  const double one = 4.0;
  solve_columns({&one, 24}, 1, x.data(), 24, 0);
  EXPECT_EQ(x, std::vector<double>(24, untouched));
}

TEST(Products, SolvedRowsDoNotDependOnThoseBelowNorOnLanes) {
  constexpr std::size_t n = 201;
  Square lower = lower_triangle(n);
  const std::vector<double> start = draws(n * panel_width, 5);
  std::vector<double> all = start;
  solve_lower_panel(lower.view(), n, all.data());
  for (const std::size_t rows : {1u, 7u, 64u, 100u, 200u})
    for (const std::size_t lanes : {24u, 144u}) {
      std::vector<double> part = start;
      solve_lower_panel(lower.view(), rows, part.data(), lanes);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t c = 0; c < panel_width; ++c) {
          const std::vector<double>& from = i < rows && c < lanes ? all : start;
          ASSERT_EQ(part[i * panel_width + c], from[i * panel_width + c]) << rows << ", " << lanes << ": " << i;
        }
    }
}

TEST(Products, SolvesHoldInLongDouble) {
  for (const std::size_t n : {65u, 300u}) {
    Square lower = lower_triangle(n);
    std::vector<double> x = draws(n * 24, 6);
    const std::vector<double> b = x;
    solve_columns({lower.data.data(), lower.stride}, n, x.data(), 24, 24);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t c = 0; c < 24; ++c) {
        long double sum = 0, size = 0;
        for (std::size_t k = 0; k <= i; ++k) {
          const long double term = static_cast<long double>(lower.at(i, k)) * x[k * 24 + c];
          sum += term;
          size += std::fabs(term);
        }
        // Backward stable: |Lx − b| ≤ (n + 1)ε|L||x|.
        ASSERT_LE(std::fabs(sum - b[i * 24 + c]), static_cast<long double>(n + 1) * epsilon * size);
      }
  }
}

TEST(Products, FactorsMultiplyBackInLongDouble) {
  for (const std::size_t threads : {1u, 3u}) {
    ThreadPool pool(threads);
    for (const std::size_t n : sizes) {
      Square gram = gram_matrix(n);
      Square factor = gram;
      ASSERT_TRUE(factor_of(pool, factor, 0.0)) << n;
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j) {
          long double sum = 0, size = 0;
          for (std::size_t k = 0; k <= j; ++k) {
            const long double term = static_cast<long double>(factor.at(i, k)) * factor.at(j, k);
            sum += term;
            size += std::fabs(term);
          }
          ASSERT_LE(std::fabs(sum - gram.at(i, j)), static_cast<long double>(n + 2) * epsilon * size)
              << n << ": " << i << ", " << j;
        }
    }
  }
}

TEST(Products, FactorsDoNotDependOnThreads) {
  ThreadPool one(1), many(4);
  Square first = gram_matrix(500), second = first;
  ASSERT_TRUE(factor_of(one, first, 0.0));
  ASSERT_TRUE(factor_of(many, second, 0.0));
  for (std::size_t i = 0; i < 500; ++i)
    for (std::size_t j = 0; j <= i; ++j) ASSERT_EQ(first.at(i, j), second.at(i, j));
}

TEST(Products, NoFactorOfWhatIsNotPositive) {
  ThreadPool pool(2);
  EXPECT_TRUE(factorise(pool, {}, 0, 0.0));
  for (const double bad : {-1.0, 0.0, std::numeric_limits<double>::quiet_NaN()})
    for (const std::size_t where : {0u, 7u, 95u, 96u, 196u}) {
      Square gram = gram_matrix(197);
      gram.row(where)[where] = bad;
      EXPECT_FALSE(factor_of(pool, gram, 0.0)) << bad << " at " << where;
    }
  Square small = gram_matrix(30);
  EXPECT_FALSE(factor_of(pool, small, 1.05));  // pivots after the first are smaller
  Square twice = gram_matrix(30);
  for (std::size_t j = 0; j < 20; ++j) twice.row(20)[j] = twice.at(19, j);
  twice.row(20)[19] = twice.row(20)[20] = twice.at(19, 19);
  for (std::size_t i = 21; i < 30; ++i) twice.row(i)[20] = twice.at(i, 19);
  EXPECT_FALSE(factor_of(pool, twice, 30 * epsilon));
}

/// U and U⁻ᵀ by strips, as fits have them.
struct Inverted {
  explicit Inverted(const Square& factor)
      : size(factor.size), upper(Strips::doubles_for(size, size)), storage(upper.size(), untouched) {
    const Strips strips = Strips::in_order(upper.data(), size);
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j <= i; ++j) *strips.at(j, i) = factor.at(i, j);
    for (std::size_t first = 0; first < size; first += cholesky_block)
      invert_columns(strips, size, first, std::min(cholesky_block, size - first), inverse());
  }
  Strips inverse() { return Strips::in_order(storage.data(), size); }

  std::size_t size;
  std::vector<double> upper, storage;
};

TEST(Products, InverseAndItsGramHoldInLongDouble) {
  ThreadPool pool(2);
  for (const std::size_t n : {1u, 9u, 25u, 96u, 97u, 203u}) {
    Square factor = gram_matrix(n);
    ASSERT_TRUE(factor_of(pool, factor, 0.0));
    Inverted inverted(factor);
    const Strips inverse = inverted.inverse();
    // Entries of L⁻¹ are below 4, and its rows' sums of squares below 11: the inverse of 0.1 and more.
    const long double close = 64.0L * static_cast<long double>(n) * epsilon;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        long double sum = 0;
        for (std::size_t k = j; k <= i; ++k) sum += static_cast<long double>(factor.at(i, k)) * *inverse.at(k, j);
        ASSERT_LE(std::fabs(sum - (i == j ? 1.0L : 0.0L)), close) << n << ": " << i << ", " << j;
      }
    for (std::size_t first = 0; first < n; first += cholesky_block) {
      const std::size_t height = std::min(cholesky_block, n - first), stride = matrix_stride(n);
      std::vector<double> rows(height * stride, untouched);
      multiply_transposed(inverse, n, first, height, rows.data(), stride);
      for (std::size_t i = first; i < first + height; ++i)
        for (std::size_t j = 0; j <= i; ++j) {
          long double sum = 0;
          for (std::size_t k = i; k < n; ++k) sum += static_cast<long double>(*inverse.at(k, i)) * *inverse.at(k, j);
          ASSERT_LE(std::fabs(sum - rows[(i - first) * stride + j]), close) << n << ": " << i << ", " << j;
        }
    }
  }
}

TEST(Products, InverseIsTheSameFromRowsAndFromColumns) {
  ThreadPool pool(1);
  Square factor = gram_matrix(203);
  ASSERT_TRUE(factor_of(pool, factor, 0.0));
  Inverted expected(factor), other(factor);
  std::fill(other.storage.begin(), other.storage.end(), untouched);
  for (std::size_t first = 0; first < 203; first += cholesky_block)
    invert_columns(LeftSide<Layout::rows>{factor.data.data(), factor.stride}, 203, first,
                   std::min<std::size_t>(cholesky_block, 203 - first), other.inverse());
  EXPECT_EQ(other.storage, expected.storage);
}

TEST(Products, VectorsAreSolvedAndMultipliedInLongDouble) {
  ThreadPool pool(1);
  for (const std::size_t n : {1u, 24u, 25u, 203u}) {
    Square factor = gram_matrix(n);
    ASSERT_TRUE(factor_of(pool, factor, 0.0));
    Inverted inverted(factor);
    const std::size_t stride = Strips::doubles_for(1, n);
    const std::vector<double> start = draws(2 * stride, 9);
    std::vector<double> both = start, alone = start, weights(stride);
    solve_rows_of(Strips::in_order(inverted.upper.data(), n), n, both.data(), stride, 2);
    solve_rows_of(Strips::in_order(inverted.upper.data(), n), n, alone.data(), stride, 1);
    const long double close = 64.0L * static_cast<long double>(n) * epsilon;
    for (std::size_t which = 0; which < 2; ++which)
      for (std::size_t i = 0; i < n; ++i) {
        long double sum = 0;
        for (std::size_t k = 0; k <= i; ++k)
          sum += static_cast<long double>(factor.at(i, k)) * both[which * stride + k];
        ASSERT_LE(std::fabs(sum - start[which * stride + i]), close) << n << ": " << i;
      }
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(alone[i], both[i]) << n << ": " << i;
    multiply_transposed_vector(inverted.inverse(), n, cholesky_block, both.data(), weights.data());
    for (std::size_t c = 0; c < n; ++c) {
      long double sum = 0;
      for (std::size_t k = c; k < n; ++k) sum += static_cast<long double>(*inverted.inverse().at(k, c)) * both[k];
      ASSERT_LE(std::fabs(sum - weights[c]), 8 * close) << n << ": " << c;
    }
  }
}

}  // namespace
}  // namespace carbo::internal
