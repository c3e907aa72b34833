#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "acquisition/float_variance.hpp"
#include "support/backend_oracle.hpp"
#include "support/sanitized.hpp"

// Variances bounded in float32, in the order of the kernel, against long double by plain loops.
namespace {

namespace kernels = carbo::kernels;

constexpr long double sqrt_5 = 2.236067977499789696409L;

/// Points in the unit cube, some of them round one of them, and the first rows of L⁻¹ of their covariances.
struct Draw {
  Draw(oracle::Uniform& uniform, std::size_t rows) : rows(rows) {
    const auto between = [&](double low, double high) { return low + (high - low) * uniform(); };
    columns = 1 + static_cast<std::size_t>(uniform() * 10);
    for (std::size_t c = 0; c < columns; ++c)
      inverse_lengthscales.push_back(std::exp(between(-2, 3)) / std::sqrt(static_cast<double>(columns)));
    signal_variance = std::exp(between(-3, 3));
    noise = std::exp(between(std::log(1e-8), std::log(0.3)));
    width = std::exp(between(-6, 0));
    for (std::size_t i = 0; i < rows; ++i) add_point(uniform, points);
    invert();
  }

  void add_point(oracle::Uniform& uniform, std::vector<double>& to) const {
    const bool near = uniform() < 0.5;
    for (std::size_t c = 0; c < columns; ++c) {
      const double x = near ? std::clamp(0.4 + width * (uniform() - 0.5), 0.0, 1.0) : uniform();
      to.push_back(x * inverse_lengthscales[c]);
    }
  }

  long double correlation(const double* a, const double* b) const {
    long double squared = 0;
    for (std::size_t c = 0; c < columns; ++c) {
      const long double difference = static_cast<long double>(a[c]) - b[c];
      squared += difference * difference;
    }
    const long double scaled = std::sqrt(5 * squared);
    return (1 + scaled + scaled * scaled / 3) * std::exp(-scaled);
  }

  /// Cholesky and its inverse by rows, in long double; the inverse is then the float64 matrix that products are with.
  void invert() {
    std::vector<long double> lower(rows * rows), exact(rows * rows);
    for (std::size_t j = 0; j < rows; ++j)
      for (std::size_t i = j; i < rows; ++i) {
        long double sum = signal_variance * (correlation(&points[i * columns], &points[j * columns]) +
                                             (i == j ? static_cast<long double>(noise) : 0));
        for (std::size_t k = 0; k < j; ++k) sum -= lower[i * rows + k] * lower[j * rows + k];
        lower[i * rows + j] = i == j ? std::sqrt(sum) : sum / lower[j * rows + j];
      }
    for (std::size_t j = 0; j < rows; ++j)
      for (std::size_t i = j; i < rows; ++i) {
        long double sum = i == j ? 1 : 0;
        for (std::size_t k = j; k < i; ++k) sum -= lower[i * rows + k] * exact[k * rows + j];
        exact[i * rows + j] = sum / lower[i * rows + i];
      }
    inverse.assign(exact.begin(), exact.end());
  }

  long double exact_variance(const double* x) const {
    std::vector<long double> covariances;
    for (std::size_t i = 0; i < rows; ++i)
      covariances.push_back(signal_variance * correlation(x, &points[i * columns]));
    long double explained = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      long double v = 0;
      for (std::size_t j = 0; j <= i; ++j) v += inverse[i * rows + j] * covariances[j];
      explained += v * v;
    }
    return signal_variance - explained;
  }

  /// As launch_tighten computes it; `share`: of the proved error.
  double float_variance(const double* x, float share) const {
    std::vector<float> correlations;
    double radius = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      float squared = 0;
      double squares = 0;
      for (std::size_t c = 0; c < columns; ++c) {
        const auto moved = [&](double value) { return static_cast<double>(sqrt_5) * (value - centre(c)); };
        const double point = moved(points[i * columns + c]);
        const float difference = static_cast<float>(moved(x[c])) - static_cast<float>(point);
        squared += difference * difference;
        squares += point * point;
      }
      correlations.push_back(kernels::matern_float(squared));
      radius = std::max(radius, std::sqrt(squares));
    }
    double squares = 0;
    for (std::size_t c = 0; c < columns; ++c)
      squares += std::pow(static_cast<double>(sqrt_5) * (x[c] - centre(c)), 2);
    const double d = static_cast<double>(columns);
    const float of_sum = share * kernels::float_variance_share(std::sqrt(squares) + radius, d);
    double certain = 0;
    for (std::size_t i = 0; i < rows; ++i) certain += certain_square(i, correlations, of_sum, share, d);
    return kernels::float_variance(signal_variance, certain);
  }

  double certain_square(std::size_t i, const std::vector<float>& correlations, float of_sum, float share,
                        double d) const {
    double largest = 0, total = 0;
    for (std::size_t j = 0; j <= i; ++j) {
      const double weight = std::abs(std::sqrt(signal_variance) * inverse[i * rows + j]);
      largest = std::max(largest, weight);
      total += weight;
    }
    kernels::FloatVarianceRow row = kernels::float_variance_row(largest, total, d);
    EXPECT_GT(static_cast<double>(row.unit), largest);
    row.slack *= share;
    float sum = 0, part = 0, absolute = 0;
    for (std::size_t j = 0; j <= i; ++j) {
      const double weight = std::sqrt(signal_variance) * inverse[i * rows + j] / static_cast<double>(row.unit);
      part += static_cast<float>(weight) * correlations[j];
      absolute += std::abs(static_cast<float>(weight)) * correlations[j];
      if ((j + 1) % kernels::float_rows != 0 && j < i) continue;
      sum += part;
      part = 0;
    }
    const float least = kernels::certain_part(row, sum, absolute, of_sum);
    return static_cast<double>(least * least);
  }

  double centre(std::size_t c) const { return 0.5 * inverse_lengthscales[c]; }

  std::size_t rows;
  std::size_t columns = 1;
  std::vector<double> inverse_lengthscales;
  double signal_variance = 1;
  double noise = 0;  ///< over the signal's
  double width = 1;
  std::vector<double> points;   ///< rows × columns, scaled
  std::vector<double> inverse;  ///< rows × rows, lower triangle
};

struct Found {
  std::size_t draws = 0;
  std::size_t violations = 0;
  std::size_t unguarded = 0;  ///< without the error
  std::size_t near = 0;       ///< deviations that are no more than worthwhile_excess too large
};

void look_at(oracle::Uniform& uniform, const Draw& draw, std::size_t candidates, Found& found) {
  std::vector<double> x;
  for (std::size_t k = 0; k < candidates; ++k) {
    x.clear();
    draw.add_point(uniform, x);
    if (k % 8 == 0) x.assign(draw.points.begin(), draw.points.begin() + static_cast<std::ptrdiff_t>(draw.columns));
    const long double exact = draw.exact_variance(x.data());
    const double bound = draw.float_variance(x.data(), 1.0f);
    found.violations += static_cast<long double>(bound) < exact;
    found.unguarded += static_cast<long double>(draw.float_variance(x.data(), 0.0f)) < exact;
    found.near += bound < 1.5625 * static_cast<double>(exact);
    ++found.draws;
  }
}

/// A million with CARBO_MARGIN_DRAWS=1000000.
TEST(FloatVariance, IsNeverBelowTheExactOneUnlessItsErrorIsTakenAway) {
  const char* const asked = std::getenv("CARBO_MARGIN_DRAWS");
  const std::size_t draws = asked != nullptr ? std::strtoull(asked, nullptr, 10) : carbo::test::own_cases(20000);
  oracle::Uniform uniform(29);
  Found found;
  while (found.draws < draws) {
    const bool large = uniform() < 0.02;
    const Draw draw(uniform, large ? 256 : 1 + static_cast<std::size_t>(uniform() * 60));
    look_at(uniform, draw, large ? 32 : 64, found);
  }
  EXPECT_EQ(found.violations, 0u);
  EXPECT_GT(found.unguarded, 0u);
  EXPECT_GT(found.near, found.draws / 2);
}

TEST(FloatVariance, UnitsArePowersOfTwoAboveTheLargestEntry) {
  for (const double largest : {0.0, 1e-300, 1e-38, 0.75, 1.0, 3.0, 1e38}) {
    const float unit = kernels::float_unit_above(largest);
    int exponent = 0;
    EXPECT_EQ(std::frexp(unit, &exponent), 0.5f);
    EXPECT_GT(static_cast<double>(unit), largest);
    const float inverse = kernels::inverse_of_unit(unit);
    EXPECT_TRUE(inverse * unit == 1.0f || (inverse == 0.0f && largest >= 1e38));
  }
  EXPECT_EQ(kernels::float_unit_above(1e39), HUGE_VALF);
  EXPECT_EQ(kernels::inverse_of_unit(HUGE_VALF), 0.0f);
}

/// What float32 cannot hold is not certain.
TEST(FloatVariance, NothingIsCertainOfARowBeyondFloat32) {
  const kernels::FloatVarianceRow row = kernels::float_variance_row(1e39, 1e39, 3.0);
  EXPECT_EQ(kernels::certain_part(row, 0.5f, 0.5f, 1e-6f), 0.0f);
  EXPECT_EQ(kernels::certain_part(row, 0.0f, 0.0f, 1e-6f), 0.0f);
  const kernels::FloatVarianceRow usual = kernels::float_variance_row(1.0, 2.0, 3.0);
  EXPECT_GT(kernels::certain_part(usual, 0.25f, 0.5f, 1e-6f), 0.49f);
  EXPECT_EQ(kernels::certain_part(usual, 0.25f, 0.5f, kernels::float_variance_share(1e9, 3.0)), 0.0f);
}

}  // namespace
