#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "acquisition/pair_margin.hpp"
#include "formulas/matern_pair.hpp"
#include "support/backend_oracle.hpp"
#include "support/sanitized.hpp"

// Sums of correlations by pairs of float32, in the order of the kernel, against long double by plain loops.
namespace {

namespace kernels = carbo::kernels;
using kernels::FloatPair;

/// In units of which the proof counts what an entry errs by.
constexpr double pair_unit = kernels::float_roundoff * kernels::pair_grid;

struct Powers {
  Powers() {
    for (int j = 0; j < kernels::pair_powers; ++j) all[j] = kernels::power_pair(j);
  }
  FloatPair all[kernels::pair_powers];
};
const Powers powers;

long double value_of(const FloatPair& pair) { return static_cast<long double>(pair.high) + pair.low; }

long double exact_matern(long double squared) {
  const long double a = std::sqrt(squared);
  return (1 + a + a * a / 3) * std::exp(-a);
}

double relative_error(const FloatPair& found, long double exact) {
  return static_cast<double>(std::abs(value_of(found) - exact) / exact);
}

TEST(FloatPairs, ProductsAndSumsAreExact) {
  oracle::Uniform uniform(3);
  for (int draw = 0; draw < 100000; ++draw) {
    const auto drawn = [&] { return static_cast<float>((uniform() - 0.5) * std::exp(40 * (uniform() - 0.5))); };
    const float a = drawn(), b = drawn();
    ASSERT_EQ(value_of(kernels::exact_product(a, b)), static_cast<long double>(a) * b);
    ASSERT_EQ(value_of(kernels::exact_sum(a, b)), static_cast<long double>(a) + b);
    const double number = static_cast<double>(a) + 1e-9 * static_cast<double>(b);
    ASSERT_LE(std::abs(value_of(kernels::pair_of(number)) - number), 0x1p-48 * std::abs(number));
    const double coordinate = 30 * (uniform() - 0.5);
    const FloatPair split = kernels::grid_pair(coordinate);
    ASSERT_EQ(std::remainder(split.high, kernels::pair_grid), 0.0f);
    ASSERT_LE(std::abs(split.low), kernels::pair_grid / 2);
    ASSERT_LE(std::abs(value_of(split) - coordinate), pair_unit / 4);
  }
}

TEST(PairMatern, ErrsByNoMoreThanTheProofCountsWith) {
  double of_root = 0, of_exponential = 0, of_correlation = 0;
  for (double x = 1e-9; x < 80.2; x += 1e-4 * x + 1e-7) {
    const FloatPair split = kernels::pair_of(x), squared = kernels::pair_of(x * x);
    of_root = std::max(of_root, relative_error(kernels::pair_root(squared), std::sqrt(value_of(squared))));
    of_exponential = std::max(
        of_exponential, relative_error(kernels::exp_negative_pair(split, powers.all), std::exp(-value_of(split))));
    // A grid's squares and what is beside them, which may be negative.
    const double on_grid = std::floor(x * x * 0x1p16 + 0.7) * 0x1p-16;
    const kernels::PairedSquares squares{static_cast<float>(on_grid), static_cast<float>(x * x - on_grid)};
    if (static_cast<double>(squares.high) >= 6400.0) continue;
    const long double of = std::max(0.0L, static_cast<long double>(squares.high) + squares.rest);
    of_correlation =
        std::max(of_correlation, relative_error(kernels::matern_pair(squares, powers.all), exact_matern(of)));
  }
  EXPECT_LE(of_root, 0x1p-43);
  EXPECT_LE(of_exponential, 0x1p-32);
  EXPECT_LE(of_correlation, pair_unit);
  EXPECT_EQ(value_of(kernels::matern_pair({}, powers.all)), 1.0L);
  for (const float far : {6400.0f, 1e10f, HUGE_VALF, std::nanf("")}) {
    EXPECT_GT(kernels::matern_pair({far, 0.3f}, powers.all).high, 0.0f);
    EXPECT_LT(kernels::matern_pair({far, -HUGE_VALF}, powers.all).high, 1e-31f);
  }
}

TEST(PairMargin, CountsFarPointsWithEnough) {
  const double nearest = 16.0 - static_cast<double>(kernels::pair_grid) * std::sqrt(kernels::most_pair_columns);
  EXPECT_GE(nearest, 15.9);
  double highest = 0, steepest = 0;
  for (double a = 1e-3; a < 100; a += 1e-3) {
    if (a >= nearest) highest = std::max(highest, a * static_cast<double>(exact_matern(a * a)));
    steepest = std::max(steepest, 2 * a * (1 + a) / (6 + 6 * a + 2 * a * a));
  }
  EXPECT_LE(highest, kernels::pair_far_share);
  EXPECT_GE(highest, 0.9 * kernels::pair_far_share);
  EXPECT_LE(steepest, 1.0);
}

/// Points and weights of one GP, and a candidate, all as a kernel gets them: scaled and moved.
struct PairDraw {
  explicit PairDraw(oracle::Uniform& uniform) {
    const auto between = [&](double low, double high) { return low + (high - low) * uniform(); };
    columns = 1 + static_cast<std::size_t>(uniform() * 20);
    const double rows = uniform() < 0.02 ? between(100, 500) : between(1, 24);
    const double scale = std::exp(between(-2, 3.5)), spread = std::exp(between(-9, 0));
    const double least = std::exp(between(-20, 0)), shift = between(-20, 20);
    const auto coordinate = [&](bool near) {
      const double own = scale * (shift + (near ? spread : 1.0) * between(-1, 1));
      return uniform() < 0.05 ? std::round(own) : own;  // equal ones, too
    };
    const bool near = uniform() < 0.7;
    for (std::size_t c = 0; c < columns; ++c) candidate.push_back(coordinate(near));
    for (std::size_t i = 0; i < static_cast<std::size_t>(rows); ++i) {
      for (std::size_t c = 0; c < columns; ++c) points.push_back(coordinate(near));
      weights.push_back((uniform() < 0.5 ? -1 : 1) * std::exp(between(std::log(least), 0)));
    }
  }

  long double exact() const {
    long double sum = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      long double squared = 0;
      for (std::size_t c = 0; c < columns; ++c) {
        const long double difference = static_cast<long double>(candidate[c]) - points[i * columns + c];
        squared += difference * difference;
      }
      sum += weights[i] * exact_matern(squared);
    }
    return sum;
  }

  /// As screen_pairs sums.
  double sum(double& absolute) const {
    double sum = 0;
    FloatPair part{};
    float sizes = 0;
    const auto take = [&] {
      sum += static_cast<double>(part.high) + static_cast<double>(part.low);
      absolute += static_cast<double>(sizes);
      part = {}, sizes = 0;
    };
    for (std::size_t i = 0; i < weights.size(); ++i) {
      kernels::PairedSquares squares{};
      for (std::size_t c = 0; c < columns; ++c)
        kernels::add_square(kernels::grid_pair(candidate[c]), kernels::grid_pair(points[i * columns + c]), squares);
      const FloatPair weight = kernels::pair_of(weights[i]);
      const FloatPair correlation = kernels::matern_pair(squares, powers.all);
      kernels::add_product(weight, correlation, part);
      sizes = fmaf(std::abs(weight.high), correlation.high, sizes);
      if ((i + 1) % kernels::pair_rows == 0) take();
    }
    take();
    return sum;
  }

  double margin(double absolute) const {
    double total = 0, radius = 0;
    for (const double weight : weights) total += std::abs(weight);
    for (std::size_t i = 0; i < weights.size(); ++i) radius = std::max(radius, norm(points.data() + i * columns));
    const double d = static_cast<double>(columns), reach = norm(candidate.data()) + radius;
    EXPECT_TRUE(kernels::pair_margin_exists(reach, d));
    return kernels::sum_margin(kernels::pair_sum_errors(d), absolute, total, reach, d,
                               static_cast<double>(weights.size()));
  }
  double norm(const double* x) const {
    double squares = 0;
    for (std::size_t c = 0; c < columns; ++c) squares += x[c] * x[c];
    return std::sqrt(squares);
  }

  std::size_t columns = 1;
  std::vector<double> points;  ///< rows × columns
  std::vector<double> weights;
  std::vector<double> candidate;
};

/// A million with CARBO_MARGIN_DRAWS=1000000.
TEST(PairMargin, HoldsInEveryDrawAndNotWhereItIsShrunk) {
  const char* const asked = std::getenv("CARBO_MARGIN_DRAWS");
  const std::size_t draws = asked != nullptr ? std::strtoull(asked, nullptr, 10) : carbo::test::cases(40000);
  oracle::Uniform uniform(29);
  std::size_t violations = 0, shrunk = 0;
  double worst = 0;
  for (std::size_t draw = 0; draw < draws; ++draw) {
    const PairDraw drawn(uniform);
    double absolute = 0;
    const double sum = drawn.sum(absolute);
    const double share = static_cast<double>(std::abs(sum - drawn.exact())) / drawn.margin(absolute);
    violations += share > 1.0 ? 1 : 0;
    shrunk += share > 0.02 ? 1 : 0;
    worst = std::max(worst, share);
  }
  EXPECT_EQ(violations, 0u) << worst;
  EXPECT_GT(shrunk, 0u) << worst;
  RecordProperty("worst", std::to_string(worst));
}

TEST(PairMargin, IsAFewThousandthsOfThatInFloat32) {
  const double reach = 20, columns = 6;
  EXPECT_LT(kernels::pair_sum_errors(columns).near, 1.5e-3 * kernels::float_sum_errors(reach, columns).near);
  EXPECT_LT(kernels::pair_sum_errors(columns).far, 3e-3 * kernels::float_sum_errors(reach, columns).far);
  EXPECT_FALSE(kernels::pair_margin_exists(1e5, columns));
  EXPECT_FALSE(kernels::pair_margin_exists(reach, 601));
}

}  // namespace
