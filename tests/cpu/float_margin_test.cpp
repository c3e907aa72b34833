#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "acquisition/float_margin.hpp"
#include "backend/cpu/float_responses.hpp"
#include "backend/cpu/float_screen.hpp"
#include "backend/cpu/panel.hpp"
#include "formulas/matern_float.hpp"
#include "support/backend_oracle.hpp"
#include "support/sanitized.hpp"

// Float32 sums against long double by plain loops, and the proved margin between them.
namespace {

using namespace carbo::internal;
namespace kernels = carbo::kernels;

constexpr double u = kernels::float_roundoff;

TEST(FloatMatern, ErrsByNoMoreThanTheProofCountsWith) {
  double worst_exp = 0, worst_matern = 0;
  for (float x = 0; x <= kernels::farthest_float; x += 1e-4f + 1e-6f * x) {
    const long double exact = std::exp(-static_cast<long double>(x));
    const auto error = [](float value, long double of) {
      return static_cast<double>(std::abs(static_cast<long double>(value) - of) / of) / u;
    };
    worst_exp = std::max(worst_exp, error(kernels::exp_negative_float(x), exact));
    const long double a = std::sqrt(static_cast<long double>(x * x));
    const long double matern = (1 + a + a * a / 3) * std::exp(-a);
    worst_matern = std::max(worst_matern, error(kernels::matern_float(x * x), matern) - static_cast<double>(a));
  }
  EXPECT_LE(worst_exp, 4.0);
  EXPECT_LE(worst_matern, 10.0);
  EXPECT_EQ(kernels::matern_float(0.0f), 1.0f);
  for (const float far : {6400.0f, 1e10f, 3e38f, HUGE_VALF}) {
    EXPECT_GT(kernels::matern_float(far), 0.0f);
    EXPECT_LT(kernels::matern_float(far), 1e-31f);
  }
}

/// sup (a − A) ρ(a), by looking at many a.
TEST(FloatMargin, CountsFarPointsWithEnough) {
  double highest = 0;
  for (double a = 0; a < 100; a += 1e-4)
    highest = std::max(highest, (a - kernels::far_distance) * (1 + a + a * a / 3) * std::exp(-a));
  EXPECT_LE(highest, kernels::far_share);
  EXPECT_GE(highest, 0.99 * kernels::far_share);
}

/// One GP with drawn points, weights and lengthscales, and a panel to sum over.
struct Draw {
  Draw(oracle::Uniform& uniform, std::size_t columns, std::size_t rows) {
    const auto between = [&](double low, double high) { return low + (high - low) * uniform(); };
    GpParameters gp;
    for (std::size_t c = 0; c < columns; ++c) gp.inverse_lengthscales.push_back(std::exp(between(-2, 4)));
    gp.signal_variance = std::exp(between(-3, 3));
    gp.noise_variance = std::exp(between(std::log(1e-8), std::log(0.3)));
    const double spread = std::exp(between(-6, 0));
    for (std::size_t i = 0; i < rows * columns; ++i) points.push_back(0.5 + spread * between(-0.5, 0.5));
    const double least = std::exp(between(-20, 0));
    for (std::size_t i = 0; i < rows; ++i)
      weights.push_back((uniform() < 0.5 ? -1 : 1) * std::exp(between(std::log(least), 0)) * 1e3);
    factor = std::make_unique<CpuFactor>(std::make_shared<carbo::internal::ThreadPool>(1),
                                         MatrixView{points.data(), rows, columns}, weights, gp);
    if (uniform() < 0.3) {
      background.assign(weights.begin(), weights.begin() + static_cast<std::ptrdiff_t>((rows + 1) / 2));
      factor->set_background({points.data(), background.size(), columns}, background);
    }
    for (std::size_t c = 0; c < columns; ++c)
      for (std::size_t j = 0; j < panel_width; ++j)
        panel.push_back((0.5 + (j % 2 ? spread : 1.0) * between(-0.5, 0.5)) * gp.inverse_lengthscales[c]);
  }

  long double exact(std::size_t first_row, std::size_t j) const {
    long double sum = 0;
    for (std::size_t i = first_row; i < weights.size(); ++i) sum += term(factor->points(), i, weights[i], j);
    for (std::size_t i = 0; i < background.size(); ++i) sum += term(factor->background().points, i, background[i], j);
    return sum;
  }
  long double term(const PointColumns& all, std::size_t i, double weight, std::size_t j) const {
    long double squared = 0;
    for (std::size_t c = 0; c < all.columns; ++c) {
      const long double difference =
          static_cast<long double>(panel[c * panel_width + j]) - all.data[c * all.stride + i];
      squared += difference * difference;
    }
    const long double a = std::sqrt(5.0L * squared);
    return static_cast<long double>(factor->parameters().signal_variance) * weight * (1 + a + a * a / 3) *
           std::exp(-a);
  }

  std::vector<double> points;  ///< rows × columns
  std::vector<double> weights;
  std::vector<double> background;  ///< weights of as many of the points, counted once more
  std::vector<double> panel;       ///< columns × panel_width, scaled
  std::unique_ptr<CpuFactor> factor;
};

/// The error of every candidate of a panel over its margin, at most.
double worst_share(const Draw& draw, std::size_t columns, std::size_t first_row, double margin_share) {
  double sum[panel_width] = {}, margin[panel_width];
  const FloatScreen screen(*draw.factor, draw.weights, first_row, margin_share);
  screen.add_sums({draw.panel.data(), panel_width, columns}, sum, margin);
  double worst = 0;
  for (std::size_t j = 0; j < panel_width; ++j) {
    EXPECT_TRUE(std::isfinite(sum[j]));
    const double error = static_cast<double>(std::abs(sum[j] - draw.exact(first_row, j)));
    worst = std::max(worst, margin[j] > 0 ? error / margin[j] : error > 0 ? HUGE_VAL : 0.0);
  }
  return worst;
}

/// A million with CARBO_MARGIN_DRAWS=1000000.
TEST(FloatMargin, HoldsInEveryDrawAndNotWhereItIsShrunk) {
  const char* const asked = std::getenv("CARBO_MARGIN_DRAWS");
  const std::size_t draws = asked != nullptr ? std::strtoull(asked, nullptr, 10) : carbo::test::own_cases(60000);
  oracle::Uniform uniform(17 + carbo::test::part().number);
  std::size_t violations = 0, shrunk = 0;
  for (std::size_t done = 0; done < draws; done += panel_width) {
    const std::size_t columns = 1 + static_cast<std::size_t>(uniform() * 18);
    const std::size_t rows = 1 + static_cast<std::size_t>(uniform() * 40);
    const Draw draw(uniform, columns, rows);
    const std::size_t first_row =
        uniform() < 0.8 ? 0 : static_cast<std::size_t>(uniform() * static_cast<double>(rows));
    const double worst = worst_share(draw, columns, first_row, 1.0);
    violations += worst > 1.0;
    shrunk += worst > 0.02;
  }
  EXPECT_EQ(violations, 0u);
  EXPECT_GT(shrunk, 0u);
}

/// Responses to drawn fantasised points, by their weights in long double.
struct ResponseDraw : Draw {
  ResponseDraw(oracle::Uniform& uniform, std::size_t columns, std::size_t rows, std::size_t fantasised)
      : Draw(uniform, columns, rows) {
    factor->set_background({}, {});
    for (std::size_t t = 0; t < fantasised; ++t) {
      std::vector<double> point;
      for (std::size_t c = 0; c < columns; ++c) point.push_back(uniform());
      if (uniform() < 0.3) point.assign(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(columns));
      factor->fantasise(point, std::vector<double>{0.5});
    }
  }

  long double exact_response(std::size_t t, std::size_t j) const {
    const CpuFactor::Fantasy& fantasy = factor->fantasies()[t];
    const double signal_variance = factor->parameters().signal_variance;
    const std::size_t own = factor->observed() + t;
    long double covariance = term(factor->points(), own, 1.0, j);
    for (std::size_t i = 0; i < own; ++i)
      covariance -= term(factor->points(), i, 1.0, j) * (fantasy.weights[i] / signal_variance);
    return covariance / fantasy.pivot;
  }
  long double exact_squares(std::size_t rows, std::size_t j) const {
    long double sum = 0;
    for (std::size_t i = 0; i < rows; ++i) sum += std::pow(term(factor->points(), i, 1.0, j), 2.0L);
    return sum;
  }
};

/// The same of responses to the last points, of which there may be any number that is bounded at once.
double worst_response_share(const ResponseDraw& draw, std::size_t columns, std::size_t first, double margin_share) {
  const FloatResponses responses(*draw.factor, margin_share);
  FloatResponses::Bounded found;
  double squares[panel_width];
  const std::size_t last = draw.factor->fantasised(), count = panel_width - 17 * last;
  const PointColumns panel{draw.panel.data(), panel_width, columns};
  responses.bound(first, last, panel, count, found, squares);
  alignas(64) double product[FloatResponses::most_points][panel_width];
  carbo::internal::responses(*draw.factor, first, last, panel, panel_width, product);
  double worst = 0;
  for (std::size_t j = 0; j < count; ++j) {
    EXPECT_GE(squares[j], static_cast<double>(draw.exact_squares(draw.factor->observed() + last - 1, j)));
    for (std::size_t s = 0; s < last - first; ++s) {
      const double error = static_cast<double>(std::abs(found.values[s][j] - draw.exact_response(first + s, j)));
      const double error_of_product = std::abs(found.values[s][j] - product[s][j]);
      EXPECT_TRUE(std::isfinite(found.values[s][j]));
      worst = std::max(worst, std::max(error, error_of_product) / found.errors[s][j]);
    }
  }
  return worst;
}

/// A million with CARBO_MARGIN_DRAWS=1000000.
TEST(FloatResponses, ErrByNoMoreThanTheirMarginInEveryDrawAndNotByOneThatIsShrunk) {
  const char* const asked = std::getenv("CARBO_MARGIN_DRAWS");
  const std::size_t draws = asked != nullptr ? std::strtoull(asked, nullptr, 10) : carbo::test::own_cases(60000);
  oracle::Uniform uniform(23 + carbo::test::part().number);
  std::size_t violations = 0, shrunk = 0;
  double highest = 0;
  for (std::size_t done = 0; done < draws; done += panel_width) {
    const std::size_t columns = 1 + static_cast<std::size_t>(uniform() * 18);
    const std::size_t rows = 1 + static_cast<std::size_t>(uniform() * 40);
    const std::size_t points = 1 + static_cast<std::size_t>(uniform() * 6);
    const ResponseDraw draw(uniform, columns, rows, points);
    const std::size_t first = points > FloatResponses::most_points ? points - FloatResponses::most_points : 0;
    const double worst = worst_response_share(draw, columns, first, 1.0);
    highest = std::max(highest, worst);
    violations += worst > 1.0;
    shrunk += worst_response_share(draw, columns, first, 0.02) > 1.0;
  }
  RecordProperty("highest_share", std::to_string(highest));
  EXPECT_EQ(violations, 0u) << highest;
  EXPECT_GT(shrunk, 0u);
}

}  // namespace
