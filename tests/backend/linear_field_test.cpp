#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include <carbo/error.hpp>

#include "backend/backend.hpp"
#include "backend/cpu/covariance.hpp"
#include "formulas/linear_cost.hpp"
#include "support/expect_error.hpp"
#include "support/random.hpp"

namespace carbo::internal {
namespace {

/// Numbers in [low, high) that depend on the seed alone.
std::vector<double> numbers(std::size_t count, std::uint64_t seed, double low = 0.0, double high = 1.0) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = low + (high - low) * uniform(seed, Draw::random_pick, i);
  return values;
}

/// The cost of a sum of features by its definition, apart from the product's formula.
double plain_cost(double sum, double knee) {
  return sum >= knee ? sum : knee / (1.0 + std::log((2.0 * knee - sum) / knee));
}

struct LinearFieldTest : ::testing::Test {
  std::unique_ptr<Backend> backend = make_backend({.kind = BackendKind::cpu, .threads = 2});
};

TEST_F(LinearFieldTest, IsTheLogarithmOfASumOfFeaturesAtEverySize) {
  for (const std::size_t rows :
       {std::size_t{0}, std::size_t{1}, panel_width - 1, panel_width, panel_width + 1, std::size_t{3000}}) {
    for (const std::size_t features : {0u, 1u, 4u}) {
      const std::vector<double> values = numbers(rows * features, rows + features, -1.0, 3.0);
      const std::vector<double> coefficients = numbers(features, 99, -1.0, 2.0);
      const std::vector<double> offsets = numbers(rows, 5, -4.0, 4.0);
      LinearTerm term;
      term.coefficients = coefficients;
      term.intercept = 0.4;
      term.knee = 0.3;
      const auto table = backend->make_features({values.data(), rows, features});
      ASSERT_EQ(table->size(), rows);
      ASSERT_EQ(table->features(), features);
      const auto offset = backend->make_field(offsets, {});
      const auto alone = backend->linear_field(*table, term);
      const auto shifted = backend->linear_field(*table, term, offset.get());
      ASSERT_EQ(alone->size(), rows);
      EXPECT_FALSE(alone->has_variance());
      for (std::size_t i = 0; i < rows; ++i) {
        double sum = term.intercept;
        for (std::size_t f = 0; f < features; ++f) sum += coefficients[f] * values[i * features + f];
        // A sum of five products of numbers of order 1 errs by a few ε; its logarithm by that over at least 0.03.
        const double expected = std::log(plain_cost(sum, term.knee));
        EXPECT_NEAR(alone->mean(i), expected, 1e-13);
        EXPECT_NEAR(shifted->mean(i), expected + offsets[i], 1e-13);
      }
    }
  }
}

TEST_F(LinearFieldTest, VarianceIsTheQuadraticFormOfTheCovariance) {
  const std::size_t rows = panel_width + 3, features = 2;
  const std::vector<double> values = numbers(rows * features, 7, 0.0, 5.0);
  const std::vector<double> coefficients{1.5, 0.25};
  // B Bᵀ for B = [[1, 0, 0], [0.5, 2, 0], [-0.3, 0.1, 0.7]].
  const std::vector<double> covariance{1.0, 0.5, -0.3, 0.5, 4.25, 0.05, -0.3, 0.05, 0.59};
  const auto table = backend->make_features({values.data(), rows, features});
  for (const CostError error : {CostError::relative, CostError::absolute}) {
    LinearTerm term;
    term.coefficients = coefficients;
    term.intercept = 0.2;
    term.knee = 0.5;
    term.covariance = covariance;
    term.spread = 0.15;
    term.error = error;
    const auto field = backend->linear_field(*table, term);
    ASSERT_TRUE(field->has_variance());
    for (std::size_t i = 0; i < rows; ++i) {
      const double phi[3] = {values[2 * i], values[2 * i + 1], 1.0};
      const double sum = 1.5 * phi[0] + 0.25 * phi[1] + 0.2;
      double form = 0;
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) form += phi[a] * covariance[3 * a + b] * phi[b];
      const double step = 1e-6;
      const double slope =
          (std::log(plain_cost(sum + step, 0.5)) - std::log(plain_cost(sum - step, 0.5))) / (2 * step);
      const double ratio = 0.15 / plain_cost(sum, 0.5);
      const double expected = error == CostError::relative ? 0.15 * 0.15 * (1 + slope * slope * form)
                                                           : std::log(1 + ratio * ratio * (1 + form));
      EXPECT_NEAR(field->variance(i), expected, 1e-7 * expected);
    }
  }
}

TEST_F(LinearFieldTest, TheKneeJoinsSmoothlyAndNothingIsBelowZero) {
  for (const double knee : {1e-9, 0.3, 1e9}) {
    const double below = kernels::log_linear_cost(knee * (1 - 1e-9), knee).value;
    const double above = kernels::log_linear_cost(knee * (1 + 1e-9), knee).value;
    EXPECT_NEAR(below, above, 1e-8);
    EXPECT_NEAR(kernels::log_linear_cost(knee * (1 - 1e-12), knee).slope * knee, 1.0, 1e-9);
    double last = -std::numeric_limits<double>::infinity();
    for (double t = -1e6; t < 10; t += t < -10 ? 1000 : 0.01) {
      const kernels::LogLinearCost cost = kernels::log_linear_cost(t * knee, knee);
      ASSERT_TRUE(std::isfinite(cost.value));
      ASSERT_GE(cost.value, last);
      ASSERT_GT(cost.slope, 0);
      last = cost.value;
    }
    // A sum a thousand knees below 0 still costs an eighth of a knee: a wrong extrapolation never looks free.
    EXPECT_GT(std::exp(kernels::log_linear_cost(-1000 * knee, knee).value), 0.12 * knee);
  }
}

TEST_F(LinearFieldTest, AnOffsetIsAddedToASweep) {
  const std::vector<double> points{0.1, 0.6, 0.9}, targets{-1.0, 0.2, 0.8}, places = numbers(300, 3);
  const GpParameters parameters{{2.0}, 1.2, 0.01, 0.1};
  const auto factor = std::move(backend->factor({points.data(), 3, 1}, targets, {&parameters, 1}).front());
  const auto set = backend->make_candidates({places.data(), 300, 1});
  const std::vector<double> offsets = numbers(300, 11, -5.0, 5.0);
  const auto offset = backend->make_field(offsets, {});
  const Affine units{0.7, 2.5};
  const auto plain = backend->sweep(*factor, *set, true, units);
  const auto shifted = backend->sweep(*factor, *set, true, units, offset.get());
  for (std::size_t i = 0; i < 300; ++i) {
    EXPECT_EQ(shifted->mean(i), plain->mean(i) + offsets[i]);
    EXPECT_EQ(shifted->variance(i), plain->variance(i));
  }
}

TEST_F(LinearFieldTest, RefusesWhatDoesNotFit) {
  const std::vector<double> values{1, 2, 3, 4};
  const auto table = backend->make_features({values.data(), 2, 2});
  const std::vector<double> coefficients{1, 1}, covariance(9, 0.0), short_offset{1.0};
  LinearTerm good;
  good.coefficients = coefficients;
  good.knee = 1;
  const double nan = std::nan("");
  const auto refused = [&](auto change, const char* word) {
    LinearTerm term = good;
    change(term);
    expect_error<Error>([&] { backend->linear_field(*table, term); }, {"linear_field", word});
  };
  refused([&](LinearTerm& term) { term.coefficients = {coefficients.data(), 1}; }, "coefficients");
  refused([&](LinearTerm& term) { term.covariance = {covariance.data(), 4}; }, "covariance");
  refused([](LinearTerm& term) { term.knee = 0; }, "knee");
  refused([&](LinearTerm& term) { term.intercept = nan; }, "intercept");
  refused([](LinearTerm& term) { term.spread = -1; }, "spread");
  const auto offset = backend->make_field(short_offset, {});
  expect_error<InvalidOptions>([&] { backend->linear_field(*table, good, offset.get()); }, {"offset", "1", "2"});
  const std::vector<double> broken{1, nan, 3, 4};
  expect_error<NumericalError>([&] { backend->make_features({broken.data(), 2, 2}); }, {"make_features"});
}

}  // namespace
}  // namespace carbo::internal
